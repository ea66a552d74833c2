import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@waymark/kernel/mongo/database';
import type { LedgerReader } from '../ledger/ledger-reader.js';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { LedgerDigest } from './ledger-digest.js';
import { WarehouseDay } from './warehouse-day.js';

export interface CompareContext {
  db: Database;
  reader: WarehouseReader;
  warehouse: Warehouse;
  /** Aborts a running comparison. */
  signal?: AbortSignal;
}

interface Stored {
  _id: string;
  workspace: string;
}

/** The ledger of a table, and the queue that feeds the table. */
export interface Source<Document extends Stored> {
  ledger: LedgerReader<Document>;
  pending: PendingRowsStore<Document>;
}

export interface DayComparison {
  workspace: string;
  day: string;
  repair: boolean;
  /** The comparison waits for batches that were pending before this time. */
  startedAt: Date;
}

export interface DayReport {
  /** Documents in the ledger. */
  stored: number;
  /** Documents in the ledger but not in the warehouse. */
  missing: number;
  /** Rows in the warehouse but not in the ledger. */
  surplus: number;
}

const IDS_AT_ONCE = 2000;
/** A repair waits while more batches than this are pending. */
const PENDING_MAX = 200;
const POLL_MS = 200;

/**
 * Compares one workspace and UTC day of the ledger with the warehouse, by count and checksum, and by ids only when
 * these differ. With `repair`, requeues missing documents for the loaders and removes surplus rows.
 */
export async function compareDay<Document extends Stored>(
  ctx: CompareContext,
  source: Source<Document>,
  { workspace, day, repair, startedAt }: DayComparison,
): Promise<DayReport> {
  ctx.signal?.throwIfAborted();
  const { ledger, pending } = source;
  const there = new WarehouseDay(ctx, { table: pending.table.name, workspace, day });
  const digest = new LedgerDigest();
  for await (const { _id } of ledger.ofDate(workspace, day)) digest.add(_id);
  const [counted, loaded] = [digest.result(), await there.digest()];
  const report = { stored: counted.rows, missing: 0, surplus: 0 };
  if (counted.rows === loaded.rows && counted.checksum === loaded.checksum) return report;
  for await (const documents of portionsOf(ledger.ofDate(workspace, day))) {
    const missing = await missingOf(there, { documents, pending, startedAt, signal: ctx.signal });
    report.missing += missing.length;
    if (repair && missing.length > 0) await putBack(ctx, pending, missing);
  }
  report.surplus = await findSurplus(ledger, there, repair);
  return report;
}

interface Candidates<Document extends Stored> {
  documents: Document[];
  pending: PendingRowsStore<Document>;
  startedAt: Date;
  signal?: AbortSignal;
}

/** Pending documents are not missing: waits for the loaders, then checks again. */
async function missingOf<Document extends Stored>(
  there: WarehouseDay,
  { documents, pending, startedAt, signal }: Candidates<Document>,
): Promise<Document[]> {
  const missing = await withoutKnown(there, documents);
  if (missing.length === 0) return missing;
  while (((await pending.oldestStoredAt()) ?? startedAt) < startedAt) await sleep(POLL_MS, undefined, { signal });
  return withoutKnown(there, missing);
}

async function withoutKnown<Document extends Stored>(there: WarehouseDay, documents: Document[]): Promise<Document[]> {
  const known = await there.known(documents.map(({ _id }) => _id));
  return documents.filter(({ _id }) => !known.has(_id));
}

async function putBack<Document extends Stored>(
  { db, signal }: CompareContext,
  pending: PendingRowsStore<Document>,
  documents: Document[],
): Promise<void> {
  while ((await pending.count()) >= PENDING_MAX) await sleep(POLL_MS, undefined, { signal });
  await db.transaction(({ session }) => pending.add(documents, session));
}

/** A document is stored in the ledger before it is loaded, so a row without a document was deleted from the ledger. */
async function findSurplus(
  ledger: Pick<LedgerReader<Stored>, 'existing'>,
  there: WarehouseDay,
  repair: boolean,
): Promise<number> {
  let surplus = 0;
  for (let last = ''; ;) {
    const ids = await there.idsAfter(last, IDS_AT_ONCE);
    if (ids.length === 0) return surplus;
    const kept = await ledger.existing(ids);
    const gone = ids.filter((id) => !kept.has(id));
    if (repair && gone.length > 0) await there.remove(gone);
    surplus += gone.length;
    last = ids.at(-1)!;
  }
}

async function* portionsOf<Document>(documents: AsyncIterable<Document>): AsyncGenerator<Document[]> {
  let portion: Document[] = [];
  for await (const document of documents) {
    portion.push(document);
    if (portion.length < IDS_AT_ONCE) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
