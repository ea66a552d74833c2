import type { PlanName } from '@waymark/contract/plans';
import { DAY_MS, startOfUtcDay, utcDay } from '../time/utc-day.js';
import type { RetentionDays } from './retention-days.js';
import type { RetentionStore } from './retention-store.js';

export interface RowsKeptContext {
  retention: RetentionStore;
  retentionDays: RetentionDays;
}

/**
 * Returns the first UTC day whose rows are kept (`YYYY-MM-DD`), or null while all are. A longer plan restores no rows.
 */
export async function rowsKeptFrom(
  { retention, retentionDays }: RowsKeptContext,
  { slug, plan }: { slug: string; plan: { name: PlanName } },
): Promise<string | null> {
  const days = retentionDays[plan.name];
  const byPlan = days === null ? 0 : startOfUtcDay(utcDay(new Date())) - days * DAY_MS;
  const removed = (await retention.keptFrom(slug))?.getTime() ?? 0;
  const keptFrom = Math.max(byPlan, removed);
  return keptFrom === 0 ? null : new Date(keptFrom).toISOString().slice(0, 10);
}
