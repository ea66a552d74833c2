import { findPlan } from '@waymark/contract/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { ScanStore } from '../ledger/scan-store.js';
import { DAY_MS, startOfUtcDay, utcDay } from '../time/utc-day.js';
import type { RetentionDays } from './retention-days.js';
import type { RetentionStore } from './retention-store.js';

const OWNER_TIMEOUT_MS = 5000;
const DELETED_AT_ONCE = 2000;

export interface RetentionContext {
  db: Database;
  scans: ScanStore;
  retention: RetentionStore;
  requester: Requester;
  retentionDays: RetentionDays;
}

/**
 * Deletes some scans of a workspace that its plan no longer keeps; see `expireWarehouse` for their rows.
 * @returns the number of deleted scans; 0 when none is left to delete
 */
export async function expireScans(ctx: RetentionContext, workspace: string, now: number): Promise<number> {
  const days = await fetchRetentionDays(ctx, workspace);
  if (days === null) return 0;
  const keptFrom = new Date(startOfUtcDay(utcDay(new Date(now))) - days * DAY_MS);
  // Recorded first: queries exclude a day before its deletion starts.
  await ctx.retention.raiseKeptFrom(workspace, keptFrom);
  const expired = await ctx.scans.scanIdsBefore(workspace, keptFrom, DELETED_AT_ONCE);
  if (expired.length > 0) await ctx.scans.deleteScans(expired);
  return expired.length;
}

/** Asked each time: plans change, and so does the operator's default plan. */
async function fetchRetentionDays({ requester, retentionDays }: RetentionContext, workspace: string) {
  const { plan } = await requester.ask(findPlan, { workspace }, OWNER_TIMEOUT_MS);
  return plan && retentionDays[plan];
}
