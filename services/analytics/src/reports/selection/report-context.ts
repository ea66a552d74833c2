import type { Database } from '@waymark/kernel/mongo/database';
import type { FillState } from '../../warehouse/fill.js';
import type { PendingRowsStore } from '../../ledger/pending-rows.js';
import type { WarehouseReader } from '../../warehouse/query/reader.js';

export interface ReportContext {
  db: Database;
  pending: Record<'scans' | 'conversions', Pick<PendingRowsStore<never>, 'oldestRowAt'>>;
  reader: WarehouseReader;
  fill: FillState;
}

/**
 * Returns the time up to which the figures include every stored scan and conversion: the time of the oldest pending one of
 * any workspace, or now. `null` while the warehouse lacks the history.
 */
export async function dataAsOf({ pending, db, fill }: ReportContext): Promise<Date | null> {
  if (!(await fill.isComplete())) return null;
  // Read first: scans stored after this time may be missing.
  const now = await db.now();
  const oldest = await Promise.all([pending.scans.oldestRowAt(), pending.conversions.oldestRowAt()]);
  return new Date(Math.min(now.getTime(), ...oldest.map((time) => time?.getTime() ?? Infinity)));
}
