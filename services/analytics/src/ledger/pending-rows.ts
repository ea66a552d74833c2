import { randomUUID } from 'node:crypto';
import { Schema, Types, type ClientSession, type Model } from 'mongoose';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Database } from '@waymark/kernel/mongo/database';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import { encodeRows, workspaceOfRow, type LinkScan, type LoadedTable } from '../warehouse/loaded-table.js';

/** Rows for the warehouse, and facts that loaders need without parsing them. */
interface Batch {
  _id: Types.ObjectId;
  layout: number;
  /** See `encodeRows`. */
  rows: string;
  rowCount: number;
  /** The latest scan of each link; empty for conversions. */
  lastScanned: LinkScan[];
  /** The time of the earliest row. */
  oldest: Date;
}

/** Documents stored by one transaction that are not in the warehouse yet. */
export interface PendingBatch extends Batch {
  /** Until then only `owner` may load it; after a failure, the earliest time of the next attempt. */
  leasedUntil: Date;
  owner: string | null;
  /** How often the warehouse has refused its rows. */
  refusals: number;
}

/** A batch that the warehouse refuses: it waits for an operator while other batches are loaded. */
export interface SetAsideBatch extends Batch {
  /** `null` when the rows cannot be parsed. */
  workspace: string | null;
  error: string;
  setAsideAt: Date;
}

/** Pending batches that one loader has leased. */
export interface ClaimedBatches {
  owner: string;
  batches: PendingBatch[];
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
/** A later layout up to this one belongs to a newer version of this service; one beyond it is damaged. */
const LAYOUT_MAX = 1000;
/** Longer than an insert may take. */
const LEASE_MS = 90_000;
/** Concurrent loaders start at different places of the queue. */
const GROUPS_MAX = 4;
const RETRY_MIN_MS = 250;
const ERROR_LENGTH_MAX = 500;
/** Values of other types, which are damaged, do not compare with these. */
const FIRST_ID = new Types.ObjectId('0'.repeat(24));
const FIRST_TIME = new Date(0);

/** The length of a damaged batch's rows would fail the query, and with it every loader. */
const ROWS_LENGTH = { $cond: [{ $eq: [{ $type: '$rows' }, 'string'] }, { $strLenBytes: '$rows' }, 0] };
const BATCH_SUMMARY = { rowCount: 1, refusals: 1, characters: ROWS_LENGTH } as const;
interface BatchSummary {
  _id: Types.ObjectId;
  rowCount: number;
  refusals: number;
  characters: number;
}

/**
 * The queue between the ledger and a table of the warehouse. Loaders take disjoint claims from it; their order does not
 * matter.
 */
export class PendingRowsStore<Document> {
  private readonly pending: Model<PendingBatch>;
  private readonly setAside: Model<SetAsideBatch>;

  constructor(
    private readonly db: Database,
    readonly table: LoadedTable<Document>,
  ) {
    const lastScanned = [{ _id: false, linkId: String, at: Date }];
    const batch = { layout: Number, rows: String, rowCount: Number, lastScanned, oldest: Date };
    const schema = new Schema<PendingBatch>({ ...batch, leasedUntil: Date, owner: String, refusals: Number });
    schema.index({ leasedUntil: 1, _id: 1 });
    schema.index({ owner: 1 });
    schema.index({ oldest: 1 });
    const collection = `pending_${table.name}`;
    this.pending = db.model(collection, schema, collection);
    const aside = new Schema<SetAsideBatch>({ ...batch, workspace: String, error: String, setAsideAt: Date });
    this.setAside = db.model(`${collection}_set_aside`, aside, `${collection}_set_aside`);
  }

  /** Call it in the transaction that stores the documents. */
  async addRows(documents: readonly Document[], session: ClientSession): Promise<void> {
    if (documents.length === 0) return;
    const { table } = this;
    const facts = { lastScanned: lastScannedOf(table, documents), oldest: oldestOf(table, documents) };
    await this.insertBatches([this.newBatch(encodeRows(table, documents), documents.length, facts)], session);
  }

  /** @returns a claim without batches when none is free */
  async claimBatches(): Promise<ClaimedBatches> {
    const owner = randomUUID();
    const now = await this.db.now();
    const ids = await this.chooseFreeGroup(now);
    if (ids.length === 0) return { owner, batches: [] };
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    // The driver claims them, because an id may be damaged.
    const free = { _id: { $in: ids }, ...freeAt(now) };
    await this.pending.collection.updateMany(free, { $set: { owner, leasedUntil } });
    // Another loader may have won some of them in the meantime.
    const claimed = this.pending.find({ owner }).sort({ _id: 1 }).lean<PendingBatch>();
    const batches: PendingBatch[] = [];
    // All batches of a claim take too long to decode in one turn of the event loop.
    for await (const batch of yieldingToEventLoop(claimed.cursor({ batchSize: BATCHES_AT_ONCE }))) batches.push(batch);
    return { owner, batches };
  }

  /** Removes the loaded batches, except those that another loader has claimed after the lease expired. */
  async acknowledgeBatches({ owner, batches }: ClaimedBatches): Promise<void> {
    await this.pending.deleteMany({ _id: { $in: idsOf(batches) }, owner });
  }

  /** Releases the batches at once; used when the warehouse is unavailable. */
  async releaseBatches({ owner }: ClaimedBatches): Promise<void> {
    await this.pending.updateMany({ owner }, { $set: { owner: null, leasedUntil: new Date(0) } });
  }

  /**
   * Releases batches that the warehouse has refused. With each refusal they are retried in smaller groups, finally
   * alone; loaders load other batches in the meantime.
   */
  async releaseRefusedBatches({ owner, batches }: ClaimedBatches): Promise<void> {
    const refusals = (batches[0]?.refusals ?? 0) + 1;
    const leasedUntil = new Date((await this.db.now()).getTime() + RETRY_MIN_MS * 2 ** refusals);
    await this.pending.updateMany({ owner }, { $set: { owner: null, leasedUntil, refusals } });
  }

  /**
   * Removes a batch from the queue. Splits a batch of several workspaces into one per workspace instead, to isolate the
   * refused rows.
   * @returns the workspace of the batch that was set aside; `undefined` when it was split, or the lease was lost
   */
  setBatchAside({ owner, batches }: ClaimedBatches, cause: unknown): Promise<string | null | undefined> {
    const [batch] = batches;
    return this.db.transaction(async ({ session }) => {
      const { deletedCount } = await this.pending.collection.deleteOne({ _id: batch!._id, owner }, { session });
      if (deletedCount === 0) return undefined;
      const byWorkspace = rowsByWorkspace(batch!.rows);
      if (byWorkspace && byWorkspace.size > 1) {
        const { layout } = batch!;
        const parts = [...byWorkspace.values()].map((rows) => ({
          ...this.newBatch(rows.join(''), rows.length, batch!),
          layout,
        }));
        await this.insertBatches(parts, session);
        return undefined;
      }
      const workspace = byWorkspace?.keys().next().value ?? null;
      const { _id, layout, rows, rowCount, lastScanned, oldest } = batch!;
      const error = String(cause).slice(0, ERROR_LENGTH_MAX);
      const row = { _id, layout, rows, rowCount, lastScanned, oldest, workspace, error, setAsideAt: new Date() };
      await this.setAside.collection.insertOne(row, { session });
      return workspace;
    });
  }

  countBatches(): Promise<number> {
    return this.pending.estimatedDocumentCount();
  }

  /** Exact: an estimate could still include batches that were just requeued. */
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
    const isOther = (line: string) => line !== '' && !line.startsWith(`${start},`);
    const now = await this.db.now();
    let [removed, leased] = [0, 0];
    const pending = this.pending.find(filter).limit(BATCHES_MAX).lean<PendingBatch>();
    for await (const batch of pending.cursor({ batchSize: BATCHES_AT_ONCE })) {
      if (batch.leasedUntil > now && batch.owner !== null) leased += 1;
      else removed += await this.keepLines(this.pending.collection, batch, isOther);
      if (removed >= limit) break;
    }
    const setAside = this.setAside.find(filter).limit(BATCHES_MAX).lean<SetAsideBatch>();
    for await (const batch of setAside.cursor({ batchSize: BATCHES_AT_ONCE })) {
      removed += await this.keepLines(this.setAside.collection, batch, isOther);
    }
    return { removed, leased };
  }

  /** @returns the number of removed rows; 0 if the batch was claimed in the meantime */
  private async keepLines(
    batches: Model<PendingBatch>['collection'],
    { _id, rows }: Pick<Batch, '_id' | 'rows'>,
    isKept: (line: string) => boolean,
  ): Promise<number> {
    const lines = rows.split('\n').filter(Boolean);
    const kept = lines.filter(isKept);
    const unclaimed = { _id, rows, $or: [{ owner: null }, freeAt(await this.db.now())] };
    const change = { $set: { rows: kept.map((line) => `${line}\n`).join(''), rowCount: kept.length } };
    const { matchedCount } =
      kept.length === 0
        ? await batches.deleteOne(unclaimed as never).then(({ deletedCount }) => ({ matchedCount: deletedCount }))
        : await batches.updateOne(unclaimed, change);
    return matchedCount === 0 ? 0 : lines.length - kept.length;
  }

  /** The latest first, without their rows. */
  listSetAside(limit: number): Promise<Omit<SetAsideBatch, 'layout' | 'rows' | 'lastScanned' | 'oldest'>[]> {
    return this.setAside
      .find({}, { layout: 0, rows: 0, lastScanned: 0, oldest: 0 })
      .sort({ _id: -1 })
      .limit(limit)
      .lean();
  }

  /** Requeues one batch that was set aside. @returns false when none is left */
  retryOneSetAside(): Promise<boolean> {
    return this.db.transaction(async ({ session }) => {
      const batch = await this.setAside.findOneAndDelete({}, { session }).lean<SetAsideBatch>();
      if (!batch) return false;
      const { layout, rows, rowCount } = batch;
      await this.insertBatches([{ ...this.newBatch(rows, rowCount, batch), layout }], session);
      return true;
    });
  }

  /**
   * Returns when the oldest pending batch was stored: the warehouse has everything stored before. `null` when nothing
   * is pending, apart from batches with a damaged id, which wait to be set aside.
   */
  async oldestStoredAt(): Promise<Date | null> {
    const oldest = await this.pending
      .findOne({ _id: { $gte: FIRST_ID } }, { _id: 1 })
      .sort({ _id: 1 })
      .lean<Pick<PendingBatch, '_id'>>();
    return oldest?._id.getTimestamp() ?? null;
  }

  /**
   * Returns the time of the earliest pending row: the warehouse has every earlier one. `null` when nothing is pending,
   * apart from batches with a damaged time.
   */
  async oldestRowAt(): Promise<Date | null> {
    const batch = await this.pending
      .findOne({ oldest: { $gte: FIRST_TIME } }, { oldest: 1 })
      .sort({ oldest: 1 })
      .lean<Pick<PendingBatch, 'oldest'>>();
    return batch?.oldest ?? null;
  }

  /** Chooses free batches within the limits of one insert. */
  private async chooseFreeGroup(now: Date): Promise<Types.ObjectId[]> {
    const free = this.pending.aggregate<BatchSummary>([
      { $match: { ...freeAt(now), $nor: [laterThan(this.table)] } },
      { $sort: { leasedUntil: 1, _id: 1 } },
      { $limit: BATCHES_MAX * GROUPS_MAX },
      { $project: BATCH_SUMMARY },
    ]);
    const groups = await firstGroupsOf(free.cursor({ batchSize: SUMMARIES_AT_ONCE }));
    // The last group may still grow, so it is taken only when it is the only one.
    const full = groups.length > 1 ? groups.slice(0, -1) : groups;
    return idsOf(full[Math.floor(Math.random() * Math.min(full.length, GROUPS_MAX))] ?? []);
  }

  private async insertBatches(batches: PendingBatch[], session: ClientSession): Promise<void> {
    await this.pending.collection.insertMany(batches, { session });
  }

  private newBatch(rows: string, rowCount: number, { lastScanned, oldest }: Pick<Batch, 'lastScanned' | 'oldest'>) {
    const _id = new Types.ObjectId();
    const claim = { leasedUntil: new Date(0), owner: null, refusals: 0 };
    return { _id, layout: this.table.layout, rows, rowCount, lastScanned, oldest, ...claim };
  }
}

/**
 * Matches batches that no loader has leased. One whose lease is no time is free as well: it would wait forever, and with it
 * the time up to which figures are complete.
 */
const freeAt = (now: Date) => ({ leasedUntil: { $not: { $gte: now } } });

/** Matches batches that a newer version of this service has stored, and loads. */
const laterThan = ({ layout }: LoadedTable<never>) => ({ layout: { $type: 'int', $gt: layout, $lte: LAYOUT_MAX } });

/**
 * Groups consecutive batches with the same number of refusals, up to the limits of one insert. Reads no further than to the
 * batch that completes `GROUPS_MAX` of them.
 */
async function firstGroupsOf(free: AsyncIterable<BatchSummary>): Promise<BatchSummary[][]> {
  const groups: BatchSummary[][] = [];
  let rows = 0;
  let characters = 0;
  for await (const batch of free) {
    const group = groups.at(-1);
    rows += batch.rowCount;
    characters += batch.characters;
    const fits =
      group !== undefined &&
      group[0]!.refusals === batch.refusals &&
      group.length < BATCHES_MAX / 4 ** batch.refusals &&
      rows <= ROWS_MAX &&
      characters <= CHARACTERS_MAX;
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

/** Whether a claimed batch has a shape that no version of this service stores: it cannot be loaded. */
export const isDamaged = (
  { _id, layout, rows, rowCount, lastScanned, refusals }: PendingBatch,
  table: LoadedTable<never>,
): boolean =>
  !(_id instanceof Types.ObjectId) ||
  typeof rows !== 'string' ||
  !Array.isArray(lastScanned) ||
  ![layout, rowCount, refusals].every(Number.isInteger) ||
  // A later layout that a version of this service stores is not claimed.
  layout > table.layout;

/** False for a damaged element: it must not keep the rows of all other batches from being acknowledged. */
export const isLinkScan = (scan: Partial<LinkScan> | null): boolean =>
  typeof scan?.linkId === 'string' && scan.at instanceof Date;

/** @returns `null` when the rows cannot be parsed */
function rowsByWorkspace(rows: string): Map<string, string[]> | null {
  const byWorkspace = new Map<string, string[]>();
  try {
    for (const line of rows.split('\n').filter(Boolean)) {
      const workspace = workspaceOfRow(line);
      const ofWorkspace = byWorkspace.get(workspace) ?? [];
      ofWorkspace.push(`${line}\n`);
      byWorkspace.set(workspace, ofWorkspace);
    }
    return byWorkspace;
  } catch {
    return null;
  }
}

/** Adds scans to the latest scan time of each link. */
export function addLatest(latest: Map<string, Date>, scans: readonly LinkScan[]): void {
  for (const { linkId, at } of scans) {
    const known = latest.get(linkId);
    if (!known || known < at) latest.set(linkId, at);
  }
}

const idsOf = (batches: readonly { _id: Types.ObjectId }[]): Types.ObjectId[] => batches.map(({ _id }) => _id);
