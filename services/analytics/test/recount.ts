import type { Connection } from 'mongoose';
import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { recountWorkspace, type RecountReport } from '@waymark/analytics/recount/recount-workspace';
import type { Cell } from '@waymark/analytics/rollups/cells';
import { rollupStores, type RollupStores } from '@waymark/analytics/rollups/stores';
import type { Scan } from '@waymark/analytics/scans/scan';

/** Works on the stores of a service, beside it. */
export async function withStores<T>(
  uri: string,
  work: (stores: RollupStores & { db: Database }) => Promise<T>,
): Promise<T> {
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri, log, lifecycle);
  const stores = rollupStores(db);
  await db.start();
  try {
    return await work({ db, ...stores });
  } finally {
    await lifecycle.stop();
  }
}

/** Counts the raw rows anew and compares with what is counted. */
export function recount(uri: string, workspace = 'acme'): Promise<RecountReport> {
  return withStores(uri, (stores) => recountWorkspace(stores, workspace, false));
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
