import type { Connection } from 'mongoose';
import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { recountWorkspace, type RecountReport } from '@waymark/analytics/recount/recount-workspace';
import type { Cell } from '@waymark/analytics/rollups/cells';
import { rollupStores, type RollupStores } from '@waymark/analytics/rollups/stores';
import type { Scan } from '@waymark/analytics/scans/scan';
import { SightingStore } from '@waymark/analytics/visitors/sightings';

export type Stores = RollupStores & { db: Database; sightings: SightingStore };

/** The stores of a service, for work beside it. */
export async function openStores(uri: string): Promise<{ stores: Stores; close: () => Promise<void> }> {
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri, log, lifecycle);
  const stores = { db, ...rollupStores(db), sightings: new SightingStore(db) };
  await db.start();
  return { stores, close: () => lifecycle.stop() };
}

/** Counts the raw rows anew, compares with what is counted, and replaces that where it is to be repaired. */
export async function recount(uri: string, workspace = 'acme', repair = false): Promise<RecountReport> {
  const { stores, close } = await openStores(uri);
  try {
    return await recountWorkspace(stores, workspace, repair);
  } finally {
    await close();
  }
}

/** Every cell as it is stored. */
export async function cellsIn(database: Connection): Promise<unknown[]> {
  return database
    .collection<Cell>('cells')
    .find({}, { sort: { _id: 1 } })
    .toArray();
}

/** How many scans are marked as the first of their link and UTC day by their visitor, and how many such firsts there are. */
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
