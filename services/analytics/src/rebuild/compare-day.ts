import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@waymark/shared/kernel/database';
import type { PendingScansStore } from '../ledger/pending-scans.js';
import type { Scan } from '../scans/scan.js';
import type { ScanStore } from '../scans/store.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { LedgerDigest } from './ledger-digest.js';
import { WarehouseDay } from './warehouse-day.js';

export interface RebuildContext {
  db: Database;
  scans: ScanStore;
  pending: PendingScansStore;
  reader: WarehouseReader;
  warehouse: Warehouse;
  /** Ends a comparison that is under way. */
  signal?: AbortSignal;
}

export interface DayComparison {
  workspace: string;
  day: string;
  repair: boolean;
  /** Scans that are pending since before this time are waited for. */
  startedAt: Date;
}

export interface DayReport {
  /** In the ledger. */
  scans: number;
  /** In the ledger and not in the warehouse. */
  missing: number;
  /** In the warehouse and not in the ledger. */
  surplus: number;
}

const IDS_AT_ONCE = 2000;
/** Further scans are put back only when loaders have made room. */
const PENDING_MAX = 200;
const POLL_MS = 200;

/**
 * Compares one workspace and UTC day of the ledger with the warehouse, by count and checksum, and only where these differ
 * by ids. With `repair`, missing scans are put back into the queue of the loaders, and surplus ones are removed.
 */
export async function compareDay(
  ctx: RebuildContext,
  { workspace, day, repair, startedAt }: DayComparison,
): Promise<DayReport> {
  ctx.signal?.throwIfAborted();
  const there = new WarehouseDay(ctx, workspace, day);
  const ledger = new LedgerDigest();
  for await (const { _id } of ctx.scans.ofDate(workspace, day)) ledger.add(_id);
  const [counted, loaded] = [ledger.result(), await there.digest()];
  const report = { scans: counted.scans, missing: 0, surplus: 0 };
  if (counted.scans === loaded.scans && counted.checksum === loaded.checksum) return report;
  for await (const scans of portionsOf(ctx.scans.ofDate(workspace, day))) {
    const missing = await missingOf(ctx, there, { scans, startedAt });
    report.missing += missing.length;
    if (repair && missing.length > 0) await putBack(ctx, missing);
  }
  report.surplus = await findSurplus(ctx, there, repair);
  return report;
}

/** What is pending is on its way: only what is not there after all of it has been loaded is missing. */
async function missingOf(
  { pending, signal }: RebuildContext,
  there: WarehouseDay,
  { scans, startedAt }: { scans: Scan[]; startedAt: Date },
): Promise<Scan[]> {
  const missing = await withoutKnown(there, scans);
  if (missing.length === 0) return missing;
  while (((await pending.oldestStoredAt()) ?? startedAt) < startedAt) await sleep(POLL_MS, undefined, { signal });
  return withoutKnown(there, missing);
}

async function withoutKnown(there: WarehouseDay, scans: Scan[]): Promise<Scan[]> {
  const known = await there.known(scans.map(({ _id }) => _id));
  return scans.filter(({ _id }) => !known.has(_id));
}

async function putBack({ db, pending, signal }: RebuildContext, scans: Scan[]): Promise<void> {
  while ((await pending.count()) >= PENDING_MAX) await sleep(POLL_MS, undefined, { signal });
  await db.transaction(({ session }) => pending.add(scans, session));
}

/** A scan is in the ledger before it is in the warehouse: one that the ledger does not have was deleted there. */
async function findSurplus({ scans }: RebuildContext, there: WarehouseDay, repair: boolean): Promise<number> {
  let surplus = 0;
  for (let last = ''; ;) {
    const ids = await there.idsAfter(last, IDS_AT_ONCE);
    if (ids.length === 0) return surplus;
    const kept = await scans.existing(ids);
    const gone = ids.filter((id) => !kept.has(id));
    if (repair && gone.length > 0) await there.remove(gone);
    surplus += gone.length;
    last = ids.at(-1)!;
  }
}

async function* portionsOf(scans: AsyncIterable<Scan>): AsyncGenerator<Scan[]> {
  let portion: Scan[] = [];
  for await (const scan of scans) {
    portion.push(scan);
    if (portion.length < IDS_AT_ONCE) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
