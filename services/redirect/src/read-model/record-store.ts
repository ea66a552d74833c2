import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isOnlyDuplicateKeys } from '@waymark/shared/kernel/errors';
import type { PlacedRecord, ReadModelDefinition } from './definition.js';

/** Longer than any older event is expected to come late. */
const GONE_KEPT_DAYS = 30;
const FIND_TIMEOUT_MS = 1000;

interface Row extends Omit<PlacedRecord, 'id' | 'aliases' | 'isGone'> {
  _id: string;
  aliases?: string[];
  deletedAt: Date | null;
}

/**
 * The read model in the database, one row per thing: a change of its places changes the row, so a place that it has left
 * stops serving, and one guarded write for each keeps an older event from winning, also over a deletion.
 */
export class RecordStore<R extends PlacedRecord> {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    { collection, fields }: Pick<ReadModelDefinition<R, never, never, never>, 'collection' | 'fields'>,
  ) {
    const common = { _id: String, key: String, aliases: [String], revision: Number, changedAt: Date, deletedAt: Date };
    const schema = new Schema<Row>({ ...common, ...fields }, { versionKey: false });
    schema.index({ key: 1 });
    schema.index({ aliases: 1 });
    schema.index({ deletedAt: 1 }, { expireAfterSeconds: GONE_KEPT_DAYS * 24 * 3600 });
    this.rows = db.model<Row>(collection, schema, collection);
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  /** What is found there now; what is gone only where nothing else is. */
  async find(key: string): Promise<R | undefined> {
    const rows = await this.rows
      .find({ $or: [{ key }, { aliases: key }] })
      .maxTimeMS(FIND_TIMEOUT_MS)
      .lean<Row[]>();
    // Two live rows in one place mean that the change of the older one is still on its way.
    const [newest] = rows.sort(
      (a, b) => Number(isGone(a)) - Number(isGone(b)) || b.changedAt.getTime() - a.changedAt.getTime(),
    );
    return newest && (toRecord(newest) as R);
  }

  async findByIds(ids: string[]): Promise<R[]> {
    const rows = await this.rows
      .find({ _id: { $in: ids } })
      .maxTimeMS(FIND_TIMEOUT_MS)
      .lean<Row[]>();
    return rows.map((row) => toRecord(row) as R);
  }

  /** Keeps each record unless the same or a newer revision of it is there. */
  async save(records: R[]): Promise<void> {
    const newest = newestOfEach(records);
    if (newest.length === 0) return;
    const writes = newest.map((record) => ({
      replaceOne: {
        filter: { _id: record.id, revision: { $lt: record.revision } },
        replacement: toRow(record),
        upsert: true,
      },
    }));
    try {
      await this.rows.bulkWrite(writes, { ordered: false });
    } catch (error) {
      // The filter refused what is there, so the upsert tried to insert: there is nothing older to replace.
      if (!isOnlyDuplicateKeys(error)) throw error;
    }
  }
}

/** In the order of their ids: bulk writes over the same rows in different orders would lock each other out. */
function newestOfEach<R extends PlacedRecord>(records: R[]): R[] {
  const byId = new Map<string, R>();
  for (const record of records) {
    const other = byId.get(record.id);
    if (!other || other.revision < record.revision) byId.set(record.id, record);
  }
  return [...byId.keys()].sort().map((id) => byId.get(id)!);
}

const isGone = (row: Row): boolean => row.deletedAt !== null;

function toRow({ id, isGone, ...record }: PlacedRecord): Row {
  return { _id: id, ...record, deletedAt: isGone ? record.changedAt : null };
}

function toRecord({ _id, deletedAt, aliases = [], ...row }: Row): PlacedRecord {
  return { id: _id, ...row, aliases, isGone: deletedAt !== null };
}
