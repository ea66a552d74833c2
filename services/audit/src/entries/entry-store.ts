import { Schema, type ClientSession, type Model, type QueryFilter } from 'mongoose';
import type { Actor } from '@waymark/contract/identity';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Database } from '@waymark/kernel/mongo/database';
import {
  cursorAfter,
  findCursorPage,
  findSorted,
  LIST_MAX_MS,
  LISTED_MAX,
  sortFieldOf,
} from '@waymark/kernel/mongo/find-page';
import type { CursorPage } from '@waymark/kernel/mongo/page';
import { decodeCursor, type RequestedPage, type SortField } from '@waymark/kernel/mongo/list-cursor';
import type { LinkedEntry } from '../chain/chain.js';
import type { Redaction } from '../chain/redaction.js';
import { dayOf, type Day, type TimeRange } from './days.js';
import type { EntryFilter } from './entry-filter.js';
import { actorFacet, facetOfFilter, facetsOfEntry, onAnyDay, onDay } from './facets.js';
import { addPersonalIndexes, PersonalEntries } from './personal-entries.js';

export interface StoredEntry extends LinkedEntry {
  facets: string[];
  /** Present once personal data of an erased user was removed. */
  redaction?: Redaction;
}

/** A search in the log of one workspace. */
export interface EntryQuery {
  workspace: string;
  filter: EntryFilter;
}

/**
 * Batches of exports. They wait as long as they must, because an export must not fail after it has started; the number of
 * exports is limited.
 */
const EXPORT_BATCHES = { total: 4, perKey: 2, waitMaxMs: 5 * 60_000 };
const actorSchema = new Schema<Actor>(
  {
    type: { type: String },
    id: String,
    name: String,
    email: String,
    token_id: String,
    token: { type: { id: String, name: String }, _id: false, default: undefined },
  },
  { _id: false },
);
export const ENTRY_FIELDS = {
  _id: String,
  workspace: String,
  action: String,
  actor: actorSchema,
  target: Schema.Types.Mixed,
  changes: String,
  ipAddress: String,
  requestId: String,
  createdAt: Date,
};
const schema = new Schema<StoredEntry>({
  ...ENTRY_FIELDS,
  seq: Number,
  previousHash: String,
  hash: String,
  facets: [String],
  redaction: Schema.Types.Mixed,
});
schema.index({ workspace: 1, seq: 1 }, { unique: true });
schema.index({ workspace: 1, facets: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, 'target.id': 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, requestId: 1, createdAt: -1, _id: -1 });
addPersonalIndexes(schema);

/** The character after the dot: every string that starts with `link.` sorts below `link/`. */
const AFTER_DOT = '/';
/** A batch of an export ends at the first of these limits, because it stays in memory while a slow client reads it. */
const ROWS_AT_ONCE = 500;
const CHANGES_AT_ONCE = 500_000;
/** Entries in one reply of the database, which is decoded in one turn; an entry may have 58 kB. */
const ENTRIES_PER_REPLY = 100;
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

/** The log: append-only. Entries are never changed, but for the removal of an erased user's personal data. */
export class EntryStore {
  private readonly entries: Model<StoredEntry>;
  readonly personal: PersonalEntries<StoredEntry>;
  private readonly order: SortField;
  private readonly exportBatches = new KeyedLimit(EXPORT_BATCHES);

  constructor(private readonly db: Database) {
    this.entries = db.model<StoredEntry>('Entry', schema, 'log_entries');
    this.personal = new PersonalEntries(this.entries);
    this.order = sortFieldOf(this.entries, NEWEST_FIRST);
  }

  async existingIds(ids: string[], session: ClientSession): Promise<Set<string>> {
    const rows = await this.entries.find({ _id: { $in: ids } }, { _id: 1 }, { session }).lean();
    return new Set(rows.map((row) => row._id));
  }

  async insertEntries(entries: LinkedEntry[], session: ClientSession): Promise<void> {
    const rows = entries.map((entry) => ({ ...entry, facets: facetsOfEntry(entry) }));
    await this.entries.insertMany(rows, { session, ordered: true, lean: true });
  }

  /** Stores redacted entries. The driver does it: Mongoose would not find a row by a damaged id or hash. */
  async replaceEntries(entries: readonly StoredEntry[]): Promise<void> {
    const updates = entries.map(({ _id, hash, actor, target, changes, ipAddress, facets, redaction }) => ({
      updateOne: {
        filter: { _id: { $eq: _id }, hash: { $eq: hash ?? null } },
        update: { $set: { actor, target, changes, ipAddress, facets, redaction } },
      },
    }));
    await this.entries.collection.bulkWrite(updates as never[], { ordered: false });
  }

  /** Returns entries of these days, newest first. */
  findEntries(
    { workspace, filter }: EntryQuery,
    days: Day[],
    { skip, limit }: { skip: number; limit: number },
  ): Promise<StoredEntry[]> {
    return this.entries
      .find(filterCondition({ workspace, filter }, days))
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(limit)
      .maxTimeMS(LIST_MAX_MS)
      .lean<StoredEntry[]>()
      .exec();
  }

  /** Finds entries after the position of a cursor, newest first, and returns the next cursor. */
  findEntriesAfter(
    query: EntryQuery,
    days: Day[],
    requested: RequestedPage,
  ): Promise<Omit<CursorPage<StoredEntry>, 'total' | 'truncated'>> {
    const where = filterCondition(query, days);
    return findSorted({ model: this.entries, where, sort: NEWEST_FIRST, maxTimeMS: LIST_MAX_MS }, requested);
  }

  /** Returns the time of the entry that a cursor continues after. */
  timeOfCursor(cursor: string): Date {
    return decodeCursor(this.order, cursor).value as Date;
  }

  cursorAfter(last: StoredEntry, readCount: number): string {
    return cursorAfter(this.order, last, readCount);
  }

  /** Counts the matches within one day, up to one more than a list has. */
  countEntries({ workspace, filter }: EntryQuery, within: TimeRange): Promise<number> {
    return this.entries.countDocuments(
      filterCondition({ workspace, filter: { ...filter, ...within } }, [dayOf(within.from)]),
      { limit: LISTED_MAX + 1, maxTimeMS: LIST_MAX_MS },
    );
  }

  /** Returns one page of the matches of a narrow filter, newest first. */
  findNarrowPage(query: EntryQuery, requested: RequestedPage): Promise<CursorPage<StoredEntry>> {
    return findCursorPage({ model: this.entries, where: narrowFilterCondition(query) }, requested);
  }

  /** Streams all matches with a number up to `lastSeq`, newest first. */
  streamNarrow(query: EntryQuery, lastSeq: number): AsyncGenerator<StoredEntry> {
    return this.streamExport(
      query.workspace,
      { ...narrowFilterCondition(query), ...numberedUpTo(lastSeq) },
      NEWEST_FIRST,
    );
  }

  /** Returns the highest number of an entry, independent of the stored head, which may have been changed. */
  async lastSeq(workspace: string): Promise<number> {
    const last = await this.entries
      .findOne({ workspace, seq: { $gte: 1 } }, { seq: 1 })
      .sort({ seq: -1 })
      .lean<StoredEntry>();
    const seq = last?.seq ?? 0;
    // A number of another BSON type was not appended by this service, and may be larger than any of its numbers.
    return typeof seq === 'number' ? seq : Infinity;
  }

  /** Streams the matches up to `lastSeq`, newest first; reads only as fast as the consumer. */
  streamDay(query: EntryQuery, day: Day, lastSeq: number): AsyncGenerator<StoredEntry> {
    return this.streamExport(
      query.workspace,
      { ...filterCondition(query, [day]), ...numberedUpTo(lastSeq) },
      NEWEST_FIRST,
    );
  }

  /** Streams every entry up to `lastSeq`, also forged ones, from the end of the chain to its beginning. */
  streamLog(workspace: string, lastSeq: number): AsyncGenerator<StoredEntry> {
    return this.streamExport(workspace, { workspace, ...numberedUpTo(lastSeq) }, { seq: -1 });
  }

  /** Waits for a turn before each batch, not while the client reads one. */
  private async *streamExport(
    workspace: string,
    condition: QueryFilter<StoredEntry>,
    order: Record<string, -1>,
  ): AsyncGenerator<StoredEntry> {
    const cursor = this.openCursor(condition, order);
    try {
      for (let isAtEnd = false; !isAtEnd;) {
        const batch = await this.exportBatches.run(workspace, () => nextBatch(cursor));
        yield* batch.entries;
        ({ isAtEnd } = batch);
      }
    } finally {
      await cursor.close();
    }
  }

  private openCursor(condition: QueryFilter<StoredEntry>, order: Record<string, -1>) {
    return this.db
      .longRunning(this.entries)
      .find(condition)
      .sort(order)
      .lean<StoredEntry>()
      .cursor({ batchSize: ENTRIES_PER_REPLY });
  }

  /** Returns the entries after one number up to another, in order. */
  chainSlice(workspace: string, after: number, upTo: number): Promise<StoredEntry[]> {
    return this.entries
      .find({ workspace, seq: { $gt: after, $lte: upTo } })
      .sort({ seq: 1, _id: 1 })
      .lean<StoredEntry[]>()
      .exec();
  }

  async hashOfNumber(seq: number, workspace: string): Promise<string | null> {
    const entry = await this.entries.findOne({ workspace, seq }, { hash: 1 }).lean<StoredEntry>();
    return entry?.hash ?? null;
  }

  /** Finds an entry with a higher number. */
  entryAfter(seq: number, workspace: string, session: ClientSession): Promise<StoredEntry | null> {
    return this.entries
      .findOne({ workspace, seq: { $gt: seq } }, null, { session })
      .lean<StoredEntry>()
      .exec();
  }

  /** Finds an entry whose number is below 1 or missing. The last query scans the index keys of the whole log. */
  async entryWithoutNumber(workspace: string): Promise<StoredEntry | null> {
    const { collection } = this.db.longRunning(this.entries);
    for (const seq of [{ $lt: 1 }, NaN, { $not: { $type: 'number' } }]) {
      const found = await collection.findOne<StoredEntry>({ workspace, seq });
      if (found) return found;
    }
    return null;
  }
}

interface Batch {
  entries: StoredEntry[];
  isAtEnd: boolean;
}

async function nextBatch(cursor: { next(): Promise<StoredEntry | null> }): Promise<Batch> {
  const entries: StoredEntry[] = [];
  let length = 0;
  while (entries.length < ROWS_AT_ONCE && length < CHANGES_AT_ONCE) {
    const entry = await cursor.next();
    if (entry === null) return { entries, isAtEnd: true };
    entries.push(entry);
    length += entry.changes?.length ?? 0;
  }
  return { entries, isAtEnd: false };
}

/** Also matches entries without a number. */
const numberedUpTo = (lastSeq: number) => ({ seq: { $not: { $gt: lastSeq } } });

/**
 * The days repeat the range on purpose: not every database with the MongoDB protocol stops an index scan at the end of
 * the range.
 */
function filterCondition({ workspace, filter }: EntryQuery, days: Day[]): QueryFilter<StoredEntry> {
  const { action, group, actor } = filter;
  const facets = days.map((day) => onDay(facetOfFilter(filter), day));
  return {
    workspace,
    facets: facets.length === 1 ? facets[0] : { $in: facets },
    // The facet selects the actor; the database compares the action of each entry.
    ...(actor !== undefined && actionCondition({ action, group })),
    ...timeCondition(filter),
  };
}

/** Uses the index of the target or of the request; the database compares the other conditions for each entry. */
function narrowFilterCondition({ workspace, filter }: EntryQuery): QueryFilter<StoredEntry> {
  const { target, requestId, actor } = filter;
  return {
    workspace,
    ...(target !== undefined && { 'target.id': target }),
    ...(requestId !== undefined && { requestId }),
    ...(actor !== undefined && { facets: onAnyDay(actorFacet(actor)) }),
    ...actionCondition(filter),
    ...timeCondition(filter),
  };
}

function actionCondition({ action, group }: EntryFilter): QueryFilter<StoredEntry> {
  if (action !== undefined) return { action };
  return group === undefined ? {} : { action: { $gte: `${group}.`, $lt: group + AFTER_DOT } };
}

function timeCondition({ from, to }: EntryFilter): QueryFilter<StoredEntry> {
  return from || to ? { createdAt: { ...(from && { $gte: from }), ...(to && { $lte: to }) } } : {};
}
