import { randomUUID } from 'node:crypto';
import { Schema, Types, type ClientSession, type Model } from 'mongoose';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Database } from '@waymark/kernel/mongo/database';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import { encodeRows, workspaceOfRow, type LinkScan, type LoadedTable } from '../warehouse/loaded-table.js';

/** Rows of documents that one transaction has stored, and facts that loaders need without parsing them. */
export interface PendingBatch {
  _id: Types.ObjectId;
  layout: number;
  /** See `encodeRows`. */
  rows: string;
  rowCount: number;
  /** The latest scan of each link; empty for conversions. */
  lastScanned: LinkScan[];
  /** The time of the earliest row. */
  oldest: Date;
  /** Until then only `owner` may load it. */
  leasedUntil: Date;
  owner: string | null;
}

/** A row that the warehouse refuses, with its error. */
export interface RefusedRow {
  row: string;
  error: unknown;
}

/** Refused rows of one batch and workspace: they wait for an operator while all others are loaded. */
export interface SetAsideRows extends Pick<PendingBatch, '_id' | 'layout' | 'rows' | 'rowCount' | 'oldest'> {
  workspace: string;
  error: string;
  setAsideAt: Date;
}

/** Pending batches that one loader has leased. */
export interface ClaimedBatches {
  owner: string;
  batches: readonly PendingBatch[];
}

export interface ClaimedBatch {
  owner: string;
  batch: PendingBatch;
}

const BATCHES_MAX = 200;
/**
 * Batches in one reply of the database. A batch has a few megabytes: more of them at a time could fill the heap while the
 * warehouse is unavailable.
 */
const BATCHES_AT_ONCE = 4;
/** Summaries in one reply: the database reads a whole batch for each of them. */
const SUMMARIES_AT_ONCE = 20;
const ROWS_MAX = 50_000;
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** Longer than a renewal and an insert may take. */
const LEASE_MS = 90_000;
/** A claim whose rows are loaded in many inserts is renewed after this. */
export const LEASE_RENEWED_AFTER_MS = 30_000;
/** Concurrent loaders start at different places of the queue. */
const GROUPS_MAX = 4;
const ERROR_LENGTH_MAX = 500;

const BATCH_SUMMARY = { rowCount: 1, characters: { $strLenBytes: '$rows' } } as const;
interface BatchSummary {
  _id: Types.ObjectId;
  rowCount: number;
  characters: number;
}

/**
 * The queue between the ledger and a table of the warehouse. Loaders take disjoint claims from it; their order does not
 * matter.
 */
export class PendingRowsStore<Document> {
  private readonly pending: Model<PendingBatch>;
  private readonly setAside: Model<SetAsideRows>;

  constructor(
    private readonly db: Database,
    readonly table: LoadedTable<Document>,
  ) {
    const rows = { layout: Number, rows: String, rowCount: Number, oldest: Date };
    const lastScanned = [{ _id: false, linkId: String, at: Date }];
    const schema = new Schema<PendingBatch>({ ...rows, lastScanned, leasedUntil: Date, owner: String });
    schema.index({ leasedUntil: 1, _id: 1 });
    schema.index({ owner: 1 });
    schema.index({ oldest: 1 });
    const collection = `pending_${table.name}`;
    this.pending = db.model(collection, schema, collection);
    const aside = new Schema<SetAsideRows>({ ...rows, workspace: String, error: String, setAsideAt: Date });
    this.setAside = db.model(`${collection}_set_aside`, aside, `${collection}_set_aside`);
  }

  /** Call it in the transaction that stores the documents. */
  async addRows(documents: readonly Document[], session: ClientSession): Promise<void> {
    if (documents.length === 0) return;
    const { table } = this;
    const facts = { lastScanned: lastScannedOf(table, documents), oldest: oldestOf(table, documents) };
    const rows = encodeRows(table, documents);
    await this.insertBatch({ layout: table.layout, rows, rowCount: documents.length, ...facts }, session);
  }

  /** @returns a claim without batches when none is free */
  async claimBatches(): Promise<ClaimedBatches> {
    const owner = randomUUID();
    const now = await this.db.now();
    const ids = await this.chooseFreeGroup(now);
    if (ids.length === 0) return { owner, batches: [] };
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    await this.pending.updateMany({ _id: { $in: ids }, ...freeAt(now) }, { $set: { owner, leasedUntil } });
    // Another loader may have won some of them in the meantime.
    const claimed = this.pending.find({ owner }).sort({ _id: 1 }).lean<PendingBatch>();
    const batches: PendingBatch[] = [];
    // All batches of a claim take too long to decode in one turn of the event loop.
    for await (const batch of yieldingToEventLoop(claimed.cursor({ batchSize: BATCHES_AT_ONCE }))) batches.push(batch);
    return { owner, batches };
  }

  /**
   * Extends the lease of the batches that are not acknowledged.
   * @returns false when it has expired, so that another loader or an erasure may have changed them
   */
  async renewLease({ owner }: ClaimedBatches): Promise<boolean> {
    const now = await this.db.now();
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    return (await this.pending.updateMany({ owner, ...leasedAt(now) }, { $set: { leasedUntil } })).matchedCount > 0;
  }

  /** Removes the loaded batches, except those that another loader has claimed after the lease expired. */
  async acknowledgeBatches({ owner, batches }: ClaimedBatches): Promise<void> {
    await this.pending.deleteMany({ _id: { $in: idsOf(batches) }, owner });
  }

  /** Releases the batches that are not acknowledged. */
  async releaseBatches({ owner }: ClaimedBatches): Promise<void> {
    await this.pending.updateMany({ owner }, { $set: { owner: null, leasedUntil: new Date(0) } });
  }

  /**
   * Acknowledges a batch whose other rows are loaded, and keeps the refused ones.
   * @returns what was set aside, by workspace; nothing when the lease was lost, because another loader does the same
   */
  async setRowsAside(
    { owner, batch }: ClaimedBatch,
    refused: readonly RefusedRow[],
  ): Promise<Pick<SetAsideRows, 'workspace' | 'error'>[]> {
    const leased = { _id: batch._id, owner, ...leasedAt(await this.db.now()) };
    return this.db.transaction(async ({ session }) => {
      const { deletedCount } = await this.pending.deleteOne(leased, { session });
      if (deletedCount === 0) return [];
      const rows = setAsideRowsOf(batch, refused);
      if (rows.length > 0) await this.setAside.collection.insertMany(rows, { session });
      return rows;
    });
  }

  countBatches(): Promise<number> {
    return this.pending.estimatedDocumentCount();
  }

  /** Exact: an estimate could still include rows that were just requeued. */
  countSetAside(): Promise<number> {
    return this.setAside.countDocuments({});
  }

  /**
   * Removes the rows of a workspace from some batches, except those that a loader has leased.
   * @returns the number of removed rows, and of the leased batches that have some
   */
  async removeRows(workspace: string, limit: number): Promise<{ removed: number; leased: number }> {
    const start = JSON.stringify([workspace]).slice(0, -1);
    // Every row is a line that begins with its workspace, a slug.
    const filter = { rows: { $regex: `(^|\\n)${literalPattern(start)}[,\\]]` } };
    const isOther = (line: string) => !line.startsWith(`${start},`);
    const now = await this.db.now();
    let [removed, leased] = [0, 0];
    const pending = this.pending.find(filter).limit(BATCHES_MAX).lean<PendingBatch>();
    for await (const batch of pending.cursor({ batchSize: BATCHES_AT_ONCE })) {
      if (batch.leasedUntil > now && batch.owner !== null) leased += 1;
      else removed += await this.keepLines(batch, isOther);
      if (removed >= limit) break;
    }
    removed += (await this.setAside.deleteMany({ workspace })).deletedCount;
    return { removed, leased };
  }

  /** @returns the number of removed rows; 0 if the batch was claimed in the meantime */
  private async keepLines({ _id, rows }: PendingBatch, isKept: (line: string) => boolean): Promise<number> {
    const lines = rowsIn(rows);
    const kept = lines.filter(isKept);
    const unclaimed = { _id, rows, $or: [{ owner: null }, freeAt(await this.db.now())] };
    if (kept.length === 0) return (await this.pending.deleteOne(unclaimed)).deletedCount * lines.length;
    const change = { $set: { rows: kept.join(''), rowCount: kept.length } };
    return (await this.pending.updateOne(unclaimed, change)).matchedCount * (lines.length - kept.length);
  }

  /** The latest first, without their rows. */
  listSetAside(limit: number): Promise<Omit<SetAsideRows, 'layout' | 'rows' | 'oldest'>[]> {
    return this.setAside.find({}, { layout: 0, rows: 0, oldest: 0 }).sort({ _id: -1 }).limit(limit).lean();
  }

  /** Requeues the rows of one batch that were set aside. @returns false when none are left */
  retryOneSetAside(): Promise<boolean> {
    return this.db.transaction(async ({ session }) => {
      const found = await this.setAside.findOneAndDelete({}, { session }).lean<SetAsideRows>();
      if (!found) return false;
      const { layout, rows, rowCount, oldest } = found;
      // The last scans were recorded when the rows were set aside.
      await this.insertBatch({ layout, rows, rowCount, oldest, lastScanned: [] }, session);
      return true;
    });
  }

  /**
   * Returns when the oldest pending batch was stored: the warehouse has everything stored before. `null` when nothing
   * is pending.
   */
  async oldestStoredAt(): Promise<Date | null> {
    const oldest = await this.pending.findOne({}, { _id: 1 }).sort({ _id: 1 }).lean<Pick<PendingBatch, '_id'>>();
    return oldest?._id.getTimestamp() ?? null;
  }

  /** Returns the time of the earliest pending row: the warehouse has every earlier one. `null` when nothing is pending. */
  async oldestRowAt(): Promise<Date | null> {
    const batch = await this.pending
      .findOne({}, { oldest: 1 })
      .sort({ oldest: 1 })
      .lean<Pick<PendingBatch, 'oldest'>>();
    return batch?.oldest ?? null;
  }

  /** Chooses free batches within the limits of one insert. */
  private async chooseFreeGroup(now: Date): Promise<Types.ObjectId[]> {
    const free = this.pending.aggregate<BatchSummary>([
      // A newer version of this service loads the later layouts that it stores.
      { $match: { ...freeAt(now), layout: { $lte: this.table.layout } } },
      { $sort: { leasedUntil: 1, _id: 1 } },
      { $limit: BATCHES_MAX * GROUPS_MAX },
      { $project: BATCH_SUMMARY },
    ]);
    const groups = await firstGroupsOf(free.cursor({ batchSize: SUMMARIES_AT_ONCE }));
    // The last group may still grow, so it is taken only when it is the only one.
    const full = groups.length > 1 ? groups.slice(0, -1) : groups;
    return idsOf(full[Math.floor(Math.random() * Math.min(full.length, GROUPS_MAX))] ?? []);
  }

  private async insertBatch(
    batch: Omit<PendingBatch, '_id' | 'leasedUntil' | 'owner'>,
    session: ClientSession,
  ): Promise<void> {
    const row = { _id: new Types.ObjectId(), ...batch, leasedUntil: new Date(0), owner: null };
    await this.pending.collection.insertOne(row, { session });
  }
}

/** Matches batches that no loader has leased. */
const freeAt = (now: Date) => ({ leasedUntil: { $lt: now } });
const leasedAt = (now: Date) => ({ leasedUntil: { $gt: now } });

/**
 * Groups consecutive batches up to the limits of one insert. Reads no further than to the batch that completes `GROUPS_MAX`
 * of them.
 */
async function firstGroupsOf(free: AsyncIterable<BatchSummary>): Promise<BatchSummary[][]> {
  const groups: BatchSummary[][] = [];
  let rows = 0;
  let characters = 0;
  for await (const batch of free) {
    const group = groups.at(-1);
    rows += batch.rowCount;
    characters += batch.characters;
    const fits = group !== undefined && group.length < BATCHES_MAX && rows <= ROWS_MAX && characters <= CHARACTERS_MAX;
    if (fits) group.push(batch);
    else {
      groups.push([batch]);
      if (groups.length > GROUPS_MAX) break;
      rows = batch.rowCount;
      characters = batch.characters;
    }
  }
  return groups;
}

function oldestOf<Document>(table: LoadedTable<Document>, documents: readonly Document[]): Date {
  return new Date(documents.reduce((oldest, each) => Math.min(oldest, table.timeOf(each).getTime()), Infinity));
}

function lastScannedOf<Document>(table: LoadedTable<Document>, documents: readonly Document[]): LinkScan[] {
  if (!table.linkScanOf) return [];
  const latest = new Map<string, Date>();
  addLatest(
    latest,
    documents.map((document) => table.linkScanOf!(document)),
  );
  return [...latest].map(([linkId, at]) => ({ linkId, at }));
}

/** Returns the rows of a batch, each as one line. */
export const rowsIn = (rows: string): string[] =>
  rows
    .split('\n')
    .slice(0, -1)
    .map((row) => `${row}\n`);

/** Groups refused rows by workspace: an operator looks for the cause in one, and an erasure removes those of one. */
function setAsideRowsOf({ layout, oldest }: PendingBatch, refused: readonly RefusedRow[]): SetAsideRows[] {
  const byWorkspace = new Map<string, SetAsideRows>();
  for (const { row, error } of refused) {
    const workspace = workspaceOfRow(row);
    const { rows, rowCount } = byWorkspace.get(workspace) ?? { rows: '', rowCount: 0 };
    byWorkspace.set(workspace, {
      _id: new Types.ObjectId(),
      layout,
      rows: rows + row,
      rowCount: rowCount + 1,
      oldest,
      workspace,
      error: String(error).slice(0, ERROR_LENGTH_MAX),
      setAsideAt: new Date(),
    });
  }
  return [...byWorkspace.values()];
}

/** Adds scans to the latest scan time of each link. */
export function addLatest(latest: Map<string, Date>, scans: readonly LinkScan[]): void {
  for (const { linkId, at } of scans) {
    const known = latest.get(linkId);
    if (!known || known < at) latest.set(linkId, at);
  }
}

const idsOf = (batches: readonly { _id: Types.ObjectId }[]): Types.ObjectId[] => batches.map(({ _id }) => _id);
