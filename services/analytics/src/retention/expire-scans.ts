import { findPlan } from '@waymark/shared/contract/requests';
import type { Requester } from '@waymark/shared/kernel/broker/requests';
import type { Database } from '@waymark/shared/kernel/database';
import type { UncountedStore } from '../rollups/uncounted-store.js';
import type { ScanStore } from '../scans/store.js';
import { DAY_MS, startOfUtcDay, utcDay } from '../time/utc-day.js';
import type { RetentionDays } from './retention-days.js';
import type { RetentionStore } from './retention-store.js';

const OWNER_TIMEOUT_MS = 5000;
const EXPIRED_AT_ONCE = 2000;

export interface RetentionContext {
  db: Database;
  scans: ScanStore;
  uncounted: UncountedStore;
  retention: RetentionStore;
  requester: Requester;
  retentionDays: RetentionDays;
}

/**
 * Deletes some of the rows of a workspace that its plan keeps no longer. Its figures stay: they were counted before.
 * @returns how many rows are gone; 0 when all that may go are
 */
export async function expireScans(ctx: RetentionContext, workspace: string, now: number): Promise<number> {
  const days = await retentionDaysOf(ctx, workspace);
  if (days === null) return 0;
  const keptFrom = new Date(startOfUtcDay(utcDay(new Date(now))) - days * DAY_MS);
  // Told first: whoever adds up rows must not take what is left of a day for all of it.
  await ctx.retention.keepFrom(workspace, keptFrom);
  return removeBefore(ctx, workspace, keptFrom);
}

/** Asked each time: plans change, and so does what the operator gives to those without one. */
async function retentionDaysOf({ requester, retentionDays }: RetentionContext, workspace: string) {
  const { plan } = await requester.ask(findPlan, { workspace }, OWNER_TIMEOUT_MS);
  return plan && retentionDays[plan];
}

/** A scan that came late may still wait to be counted: from it on all rows stay until the next time. */
function removeBefore({ db, scans, uncounted }: RetentionContext, workspace: string, keptFrom: Date): Promise<number> {
  return db.transaction(async ({ session }) => {
    const countedBefore = (await uncounted.countedBefore(session)) ?? keptFrom;
    const before = countedBefore < keptFrom ? countedBefore : keptFrom;
    const expired = await scans.idsBefore(workspace, before, EXPIRED_AT_ONCE, session);
    if (expired.length > 0) await scans.remove(expired.sort(), session);
    return expired.length;
  });
}
