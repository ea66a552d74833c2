import type { Connection } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { freshBacking } from '@waymark/testing/backing';
import { ConversionStore } from '@waymark/analytics/conversions/conversion-store';
import { openPendingTables } from '@waymark/analytics/loading/pending-tables';
import { compareDay, type DayReport } from '@waymark/analytics/loading/compare-day';
import { compareWorkspace, scansOf, type WorkspaceReport } from '@waymark/analytics/loading/compare-workspace';
import { RetentionStore } from '@waymark/analytics/retention/retention-store';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { ScanStore } from '@waymark/analytics/ledger/scan-store';
import { FirstVisitStore } from '@waymark/analytics/ledger/first-visits';
import { FillState } from '@waymark/analytics/warehouse/fill';
import { WarehouseReader } from '@waymark/analytics/warehouse/query/reader';
import { Warehouse } from '@waymark/analytics/warehouse/warehouse';

type Backing = ReturnType<typeof freshBacking>;

const storesOf = (db: Database) => ({
  db,
  scans: new ScanStore(db),
  conversions: new ConversionStore(db),
  retention: new RetentionStore(db),
  pending: openPendingTables(db),
  firstVisits: new FirstVisitStore(db),
});
export type Stores = ReturnType<typeof storesOf> & { fill: FillState };

/** Opens the stores of a service, for use next to it. */
export async function openStores(
  backing: Backing,
  prepare: (db: Database, lifecycle: Lifecycle) => void = () => undefined,
): Promise<{
  stores: Stores;
  compare: (workspace: string, repair?: boolean) => Promise<WorkspaceReport>;
  /** Repairs the scans of one UTC day. */
  compareDayOf: (workspace: string, day: string) => Promise<DayReport>;
  /** The number of rows in the warehouse, and a hash of their content. */
  rowsInWarehouse: () => Promise<unknown>;
  close: () => Promise<void>;
}> {
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, { log, lifecycle });
  const ownStores = storesOf(db);
  prepare(db, lifecycle);
  const warehouse = new Warehouse(backing, db, { log, lifecycle });
  const stores = { ...ownStores, fill: new FillState(warehouse) };
  const ctx = { ...stores, warehouse, reader: new WarehouseReader(warehouse) };
  await Promise.all([db.start(), warehouse.start()]);
  const query =
    'SELECT count() AS rows, toString(groupBitXor(cityHash64(toString(tuple(*))))) AS hash FROM (SELECT * FROM scans FINAL)';
  return {
    stores,
    compare: (workspace, repair = false) => compareWorkspace(ctx, workspace, repair),
    compareDayOf: async (workspace, day) =>
      compareDay(ctx, scansOf(ctx), { workspace, day, repair: true, startedAt: await db.now() }),
    rowsInWarehouse: async () => (await warehouse.client.query({ query, format: 'JSONEachRow' })).json(),
    close: () => lifecycle.stop(),
  };
}

/** Counts the rows that differ between the ledger and the warehouse, and the scans of the ledger. */
export async function differencesIn(backing: Backing, workspace: string) {
  const { compare, close } = await openStores(backing);
  try {
    const { scans } = await compare(workspace);
    return { scans: scans.stored, differences: scans.missing + scans.surplus };
  } finally {
    await close();
  }
}

/** Counts the scans marked as unique, and the actual first scans per link, UTC day and visitor. */
export async function uniqueCounts(database: Connection): Promise<{ marked: number; firsts: number }> {
  const scans = await database
    .collection<Scan>('scans')
    .find({ isBot: false, visitor: { $ne: null } })
    .toArray();
  const firsts = new Set(
    scans.map(({ linkId, scannedAt, visitor }) => `${linkId} ${scannedAt.toISOString().slice(0, 10)} ${visitor}`),
  );
  return { marked: scans.filter((scan) => scan.isUnique).length, firsts: firsts.size };
}
