import type { PlanName } from '@waymark/contract/plans';
import { DAY_MS, startOfUtcDay, utcDay } from '../time/utc-day.js';
import type { RetentionDays } from './retention-days.js';
import type { RetentionStore } from './retention-store.js';

export interface RowsKeptContext {
  retention: RetentionStore;
  retentionDays: RetentionDays;
}

/** A workspace and its plan, as in the identity of a request. */
interface PlannedWorkspace {
  slug: string;
  plan: { name: PlanName };
}

/**
 * Returns the start of the first UTC day whose rows are kept, or null while all are: also before the rows of earlier days
 * are deleted. A longer plan restores no rows. Uses the clock of this process, because it is for queries only: a wrong clock
 * shows or hides the rows of days around this one. Deletions use the clock of the database.
 */
export async function keptFromOf(
  { retention, retentionDays }: RowsKeptContext,
  { slug, plan }: PlannedWorkspace,
): Promise<Date | null> {
  const days = retentionDays[plan.name];
  const byPlan = days === null ? 0 : startOfUtcDay(utcDay(new Date())) - days * DAY_MS;
  const removed = (await retention.keptFrom(slug))?.getTime() ?? 0;
  const keptFrom = Math.max(byPlan, removed);
  return keptFrom === 0 ? null : new Date(keptFrom);
}

/** Returns the same day as `YYYY-MM-DD`. */
export async function rowsKeptFrom(ctx: RowsKeptContext, workspace: PlannedWorkspace): Promise<string | null> {
  const keptFrom = await keptFromOf(ctx, workspace);
  return keptFrom && utcDay(keptFrom);
}
