import type { Database } from '@waymark/kernel/mongo/database';
import type { FillState } from '../../warehouse/fill.js';
import type { PendingRowsStore } from '../../ledger/pending-rows.js';
import type { UnfilledWorkspaces } from '../../ledger/unfilled-workspaces.js';
import type { WarehouseReader } from '../../warehouse/query/reader.js';

export interface ReportContext {
  db: Database;
  pending: Record<'scans' | 'conversions', Pick<PendingRowsStore<never>, 'oldestRowAt'>>;
  reader: WarehouseReader;
  fill: FillState;
  unfilled: Pick<UnfilledWorkspaces, 'has'>;
}

/**
 * Returns the time up to which the figures of a workspace include every stored scan and conversion: the time of the
 * oldest pending one, or now. `null` while the warehouse lacks the history of the workspace.
 */
export async function dataAsOf(
  { pending, db, fill, unfilled }: ReportContext,
  workspace: string,
): Promise<Date | null> {
  if (!(await fill.isComplete())) return null;
  // Both are read first: scans stored after this time may be missing, and a workspace is filled by way of pending rows.
  const [now, isUnfilled] = await Promise.all([db.now(), unfilled.has(workspace)]);
  if (isUnfilled) return null;
  const oldest = await Promise.all([pending.scans.oldestRowAt(), pending.conversions.oldestRowAt()]);
  return new Date(Math.min(now.getTime(), ...oldest.map((time) => time?.getTime() ?? Infinity)));
}
