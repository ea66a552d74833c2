import type { Database } from '@waymark/kernel/mongo/database';
import type { Conversion } from '../conversions/conversion.js';
import { CONVERSIONS_TABLE } from '../conversions/conversion-rows.js';
import { PendingRowsStore } from '../ledger/pending-rows.js';
import type { Scan } from '../ledger/scan.js';
import { SCANS_TABLE } from '../ledger/scan-rows.js';

/** The queues of all tables. */
export interface PendingTables {
  scans: PendingRowsStore<Scan>;
  conversions: PendingRowsStore<Conversion>;
}

export function openPendingTables(db: Database): PendingTables {
  return { scans: new PendingRowsStore(db, SCANS_TABLE), conversions: new PendingRowsStore(db, CONVERSIONS_TABLE) };
}
