import { findPlan } from '@waymark/contract/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { ScanStore } from '../ledger/scan-store.js';
import { DAY_MS, startOfUtcDay, utcDay } from '../time/utc-day.js';
import type { FillState } from '../warehouse/fill.js';
import type { RetentionDays } from './retention-days.js';
import type { RetentionStore } from './retention-store.js';

const OWNER_TIMEOUT_MS = 5000;
const DELETED_AT_ONCE = 2000;

export interface RetentionContext {
  db: Database;
  scans: ScanStore;
  retention: RetentionStore;
  fill: FillState;
  requester: Requester;
  retentionDays: RetentionDays;
  /** Days that the ledger keeps scans if the plan keeps them longer; `null` for no further limit. */
  ledgerDays: number | null;
}

/**
 * Deletes some scans of a workspace that its plan no longer keeps (see `expireWarehouse` for their rows), or that only the
 * warehouse keeps.
 * @returns the number of deleted scans; 0 when none is left to delete
 */
export async function expireScans(ctx: RetentionContext, workspace: string, now: number): Promise<number> {
  const planDays = await fetchRetentionDays(ctx, workspace);
  // Until the warehouse has the history, a scan that leaves the ledger would be in neither.
  const ledgerDays = ctx.ledgerDays !== null && (await ctx.fill.isComplete()) ? ctx.ledgerDays : null;
  const startOfDaysAgo = (days: number): Date => new Date(startOfUtcDay(utcDay(new Date(now))) - days * DAY_MS);
  // Recorded first: queries and comparisons exclude a day before its deletion starts.
  if (planDays !== null) await ctx.retention.raiseKeptFrom(workspace, startOfDaysAgo(planDays));
  if (ledgerDays !== null) await ctx.retention.raiseLedgerFrom(workspace, startOfDaysAgo(ledgerDays));
  const days = [planDays, ledgerDays].filter((limit) => limit !== null);
  if (days.length === 0) return 0;
  const expired = await ctx.scans.scanIdsBefore(workspace, startOfDaysAgo(Math.min(...days)), DELETED_AT_ONCE);
  if (expired.length > 0) await ctx.scans.deleteScans(expired);
  return expired.length;
}

/** Asked each time: plans change, and so does the operator's default plan. */
async function fetchRetentionDays({ requester, retentionDays }: RetentionContext, workspace: string) {
  const { plan } = await requester.ask(findPlan, { workspace }, OWNER_TIMEOUT_MS);
  return plan && retentionDays[plan];
}
