import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@waymark/kernel/mongo/database';
import type { LedgerReader } from '../ledger/ledger-reader.js';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { startOfUtcDay } from '../time/utc-day.js';
import { LedgerDigest, WarehouseDay } from './warehouse-day.js';

export interface CompareContext {
  db: Database;
  reader: WarehouseReader;
  warehouse: Warehouse;
  /** Aborts a running comparison. */
  signal?: AbortSignal;
}

interface LedgerDocument {
  _id: string;
  workspace: string;
}

/** The ledger of a table, and the queue that feeds the table. */
export interface TableSource<Document extends LedgerDocument> {
  ledger: LedgerReader<Document>;
  pending: PendingRowsStore<Document>;
  /** Returns the time from which the ledger keeps documents; earlier ones are in the warehouse alone. */
  keptFrom?: (workspace: string) => Promise<Date | null>;
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
export async function compareDay<Document extends LedgerDocument>(
  ctx: CompareContext,
  source: TableSource<Document>,
  { workspace, day, repair, startedAt }: DayComparison,
): Promise<DayReport> {
  ctx.signal?.throwIfAborted();
  const { ledger, pending } = source;
  const warehouseDay = new WarehouseDay(ctx, { table: pending.table.name, workspace, day });
  const digest = new LedgerDigest();
  for await (const { _id } of ledger.documentsOfDay(workspace, day)) digest.addId(_id);
  const [counted, loaded] = [digest.result(), await warehouseDay.digest()];
  const report = { stored: counted.rows, missing: 0, surplus: 0 };
  if (counted.rows === loaded.rows && counted.checksum === loaded.checksum) return report;
  for await (const documents of batchesOf(ledger.documentsOfDay(workspace, day))) {
    const missing = await findMissing(warehouseDay, { documents, pending, startedAt, signal: ctx.signal });
    report.missing += missing.length;
    if (repair && missing.length > 0) await requeueMissing(ctx, pending, missing);
  }
  const isInLedger = async (): Promise<boolean> => startOfUtcDay(day) >= (await firstTimeOf(source, workspace));
  report.surplus = await findSurplus({ ledger, isInLedger }, warehouseDay, repair);
  return report;
}

/** Returns the time from which the ledger keeps documents of a workspace, in milliseconds since 1970. */
export async function firstTimeOf<Document extends LedgerDocument>(
  { keptFrom }: TableSource<Document>,
  workspace: string,
): Promise<number> {
  return (await keptFrom?.(workspace))?.getTime() ?? 0;
}

interface MissingSearch<Document extends LedgerDocument> {
  documents: Document[];
  pending: PendingRowsStore<Document>;
  startedAt: Date;
  signal?: AbortSignal;
}

/** Pending documents are not missing: waits for the loaders, then checks again. */
async function findMissing<Document extends LedgerDocument>(
  warehouseDay: WarehouseDay,
  { documents, pending, startedAt, signal }: MissingSearch<Document>,
): Promise<Document[]> {
  const missing = await withoutLoaded(warehouseDay, documents);
  if (missing.length === 0) return missing;
  while (((await pending.oldestStoredAt()) ?? startedAt) < startedAt) await sleep(POLL_MS, undefined, { signal });
  return withoutLoaded(warehouseDay, missing);
}

async function withoutLoaded<Document extends LedgerDocument>(
  warehouseDay: WarehouseDay,
  documents: Document[],
): Promise<Document[]> {
  const known = await warehouseDay.loadedIds(documents.map(({ _id }) => _id));
  return documents.filter(({ _id }) => !known.has(_id));
}

async function requeueMissing<Document extends LedgerDocument>(
  { db, signal }: CompareContext,
  pending: PendingRowsStore<Document>,
  documents: Document[],
): Promise<void> {
  while ((await pending.countBatches()) >= PENDING_MAX) await sleep(POLL_MS, undefined, { signal });
  await db.transaction(({ session }) => pending.addRows(documents, session));
}

/** A document is stored in the ledger before it is loaded, so a row without a document was deleted from the ledger. */
async function findSurplus(
  {
    ledger,
    isInLedger,
  }: { ledger: Pick<LedgerReader<LedgerDocument>, 'existingIds'>; isInLedger: () => Promise<boolean> },
  warehouseDay: WarehouseDay,
  repair: boolean,
): Promise<number> {
  let surplus = 0;
  for (let last = ''; ;) {
    const ids = await warehouseDay.idsAfter(last, IDS_AT_ONCE);
    if (ids.length === 0) return surplus;
    const kept = await ledger.existingIds(ids);
    const gone = ids.filter((id) => !kept.has(id));
    // The ledger may have begun to expire this day in the meantime.
    if (gone.length > 0 && !(await isInLedger())) return surplus;
    if (repair && gone.length > 0) await warehouseDay.deleteRows(gone);
    surplus += gone.length;
    last = ids.at(-1)!;
  }
}

async function* batchesOf<Document>(documents: AsyncIterable<Document>): AsyncGenerator<Document[]> {
  let batch: Document[] = [];
  for await (const document of documents) {
    batch.push(document);
    if (batch.length < IDS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
