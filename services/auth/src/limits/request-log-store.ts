import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { PAGE_SIZE, type LogEntry } from './request-log.js';

interface Row {
  /** `<key>:<from>`: only one of several processes can append at the same position. */
  _id: string;
  key: string;
  from: number;
  to: number;
  at: Date;
  /** How many of its requests do not count, since they were answered with 503; absent for none. */
  unserved?: number;
  expiresAt: Date;
}

export interface KeyedLogEntry extends LogEntry {
  key: string;
}

/** Margin for late writes: a log must not continue after its last entry has expired. */
const GRACE_MS = 60_000;
const OLDEST_FIRST = { at: 1, to: 1 } as const;

/**
 * Stores the logs of accepted requests in their own collection: append-only, with entries that expire long after they
 * have left the window.
 */
export class RequestLogStore {
  private readonly entries: Model<Row>;
  private readonly lifetimeMs: number;

  constructor(
    db: Database,
    private readonly collection: string,
    private readonly windowMs: number,
  ) {
    this.lifetimeMs = windowMs * 2 + GRACE_MS;
    const schema = new Schema<Row>({
      _id: String,
      key: String,
      from: Number,
      to: Number,
      at: Date,
      unserved: Number,
      expiresAt: Date,
    });
    schema.index({ key: 1, ...OLDEST_FIRST });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.entries = db.model<Row>(`Entries of ${collection}`, schema, collection);
  }

  async findNewestEntry(key: string): Promise<LogEntry | null> {
    const row = await this.entries.findOne({ key }).sort({ at: -1, to: -1 }).lean<Row>();
    return row && entryOf(row);
  }

  /** Returns the oldest entries in the window that ends at `time`. */
  findEntriesInWindow(key: string, time: number): Promise<LogEntry[]> {
    return this.findPage({ key, at: { $gt: new Date(time - this.windowMs) } });
  }

  /** Returns the entries appended after this one. */
  findEntriesAfter(key: string, entry: LogEntry): Promise<LogEntry[]> {
    return this.findPage({ key, at: { $gte: new Date(entry.at) }, to: { $gt: entry.to } });
  }

  /** Extends the lifetime of an old entry, so that the log can continue after it. @returns false when it has expired */
  async extendLifetime(key: string, entry: LogEntry, time: number): Promise<boolean> {
    const filter = { _id: idOf(key, entry) };
    const { matchedCount } = await this.entries.updateOne(filter, { $set: { expiresAt: this.expiryAt(time) } });
    return matchedCount === 1;
  }

  /** Appends each entry to the log of its key. @returns the keys to which another process appended first */
  async appendEntries(entries: KeyedLogEntry[]): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const rows = entries
      .map(({ key, from, to, at }) => ({
        _id: idOf(key, { from }),
        key,
        from,
        to,
        at: new Date(at),
        expiresAt: this.expiryAt(at),
      }))
      .sort((a, b) => (a._id < b._id ? -1 : 1));
    try {
      // Uses the driver directly: nothing to cast or validate.
      await this.entries.db.collection<Row>(this.collection).insertMany(rows, { ordered: false });
      return new Set();
    } catch (error) {
      return new Set(duplicateIndexes(error).map((index) => rows[index]!.key));
    }
  }

  /** Notes that a request of each entry was not served; an entry may be given several times. */
  async noteUnserved(ids: string[]): Promise<void> {
    const updates = ids.map((id) => ({ updateOne: { filter: { _id: id }, update: { $inc: { unserved: 1 } } } }));
    await this.entries.bulkWrite(updates, { ordered: false });
  }

  /** Returns how many requests in the window that ends at `time` were not served. */
  async countUnserved(key: string, time: number): Promise<number> {
    const inWindow = { key, at: { $gt: new Date(time - this.windowMs) } };
    const sum = { $group: { _id: null, count: { $sum: '$unserved' } } };
    const [found] = await this.entries.aggregate<{ count: number }>([{ $match: inWindow }, sum]);
    return found?.count ?? 0;
  }

  private async findPage(filter: Record<string, unknown>): Promise<LogEntry[]> {
    const rows = await this.entries.find(filter).sort(OLDEST_FIRST).limit(PAGE_SIZE).lean<Row[]>();
    return rows.map(entryOf);
  }

  private expiryAt(time: number): Date {
    return new Date(time + this.lifetimeMs);
  }
}

export const idOf = (key: string, { from }: Pick<LogEntry, 'from'>) => `${key}:${from}`;
const entryOf = ({ from, to, at }: Row): LogEntry => ({ from, to, at: at.getTime() });

/** Returns the indexes of the rows that already existed. @throws the error if it has any other cause */
function duplicateIndexes(error: unknown): number[] {
  const { writeErrors = [] } = error as { writeErrors?: { index: number; code: number }[] };
  const failures = [writeErrors].flat();
  if (failures.length === 0 || !failures.every(isDuplicateKey)) throw error;
  return failures.map(({ index }) => index);
}
