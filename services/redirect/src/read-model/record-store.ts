import { Schema, type AnyBulkWriteOperation, type Model } from 'mongoose';
import { Batcher } from '@waymark/kernel/async/batcher';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer, type RevisionGuard } from '@waymark/kernel/mongo/upsert-if-newer';
import type { ReadModelRecord, ReadModelDefinition } from './definition.js';

/** Longer than an event is expected to be delayed. */
const GONE_KEPT_DAYS = 30;
const FIND_TIMEOUT_MS = 1000;
/** The rows of a batch are read and applied in one turn of the event loop. */
const KEYS_PER_QUERY = 50;
const COUNTS_PER_WRITE = 500;
/** Two live rows with one key mean that the change of the older one is still on its way. */
const LIVE_ROWS_PER_KEY_MAX = 4;

interface Row extends Omit<ReadModelRecord, 'id' | 'aliases' | 'isGone'> {
  _id: string;
  aliases?: string[];
  deletedAt: Date | null;
}

/**
 * The read model in the database, one row per resource: a change of its keys changes the row, so a key that it has left
 * stops serving. One guarded write per row keeps an older event from winning, also over a deletion.
 */
export class RecordStore<R extends ReadModelRecord> {
  private readonly rows: Model<Row>;
  private readonly countField: string | undefined;
  /** Visits of links that are not in memory share queries, which are most of the cost of such a visit. */
  private readonly liveRows = new Batcher((keys: string[]) => this.findLive(keys), {
    itemsMax: KEYS_PER_QUERY,
    concurrency: 2,
  });

  constructor(
    private readonly db: Database,
    definition: Pick<ReadModelDefinition<R, never, never, never>, 'collection' | 'fields' | 'countField'>,
  ) {
    const { collection, fields, countField } = definition;
    this.countField = countField;
    const common = { _id: String, key: String, aliases: [String], revision: Number, changedAt: Date, deletedAt: Date };
    const schema = new Schema<Row>({ ...common, ...fields }, { versionKey: false });
    schema.index({ key: 1, deletedAt: 1, changedAt: -1 });
    schema.index({ aliases: 1, deletedAt: 1, changedAt: -1 });
    // For the erasure of a workspace.
    schema.index({ workspace: 1 });
    schema.index({ deletedAt: 1 }, { expireAfterSeconds: GONE_KEPT_DAYS * 24 * 3600 });
    this.rows = db.model<Row>(collection, schema, collection);
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  /**
   * Returns the live record at this key.
   * @param signal ends the look-up while it waits for a query: a database that does not answer must not collect them
   */
  async find(key: string, signal?: AbortSignal): Promise<R | undefined> {
    const row = await this.liveRows.submit(key, signal);
    return row && (toRecord(row) as R);
  }

  private async findLive(keys: string[]): Promise<(key: string) => Row | undefined> {
    const live = (place: object) =>
      this.rows
        .find({ ...place, deletedAt: null })
        .limit(keys.length * LIVE_ROWS_PER_KEY_MAX)
        .maxTimeMS(FIND_TIMEOUT_MS)
        .lean<Row[]>();
    const [atKeys, atAliases] = await Promise.all([live({ key: { $in: keys } }), live({ aliases: { $in: keys } })]);
    const newest = new Map<string, Row>();
    const add = (key: string, row: Row) => {
      const other = newest.get(key);
      if (!other || Number(row.changedAt) > Number(other.changedAt)) newest.set(key, row);
    };
    for (const row of atKeys) add(row.key, row);
    for (const row of atAliases) for (const key of row.aliases!) add(key, row);
    return (key) => newest.get(key);
  }

  async findByIds(ids: string[]): Promise<R[]> {
    const rows = await this.rows
      .find({ _id: { $in: ids } })
      .maxTimeMS(FIND_TIMEOUT_MS)
      .lean<Row[]>();
    return rows.map((row) => toRecord(row) as R);
  }

  /** Stores each record unless the same or a newer revision of it is stored. */
  async save(records: R[]): Promise<void> {
    await upsertIfNewer(this.rows, records.map(toRow), (row, guard) => this.writeOf(row, guard));
  }

  private writeOf(row: Row, guard: RevisionGuard): AnyBulkWriteOperation {
    if (this.countField === undefined) return { replaceOne: { ...guard, replacement: row } };
    const { [this.countField]: count, ...fields } = row as unknown as Record<string, unknown>;
    return { updateOne: { ...guard, update: { $set: fields, $max: { [this.countField]: count ?? 0 } } } };
  }

  /** Raises the counts of these records. A record that is not stored yet stays without. */
  async raiseCounts(differences: ReadonlyMap<string, number>): Promise<void> {
    const writes = [...differences].map(([_id, difference]) => ({
      updateOne: { filter: { _id }, update: { $inc: { [this.countField!]: difference } } },
    }));
    // Not by the model, which would cast each of them.
    for (let start = 0; start < writes.length; start += COUNTS_PER_WRITE)
      await this.rows.collection.bulkWrite(writes.slice(start, start + COUNTS_PER_WRITE) as never[], {
        ordered: false,
      });
  }

  /** Returns the counts of those records that are stored, by id. */
  async findCounts(ids: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (let start = 0; start < ids.length; start += COUNTS_PER_WRITE) {
      const where = { _id: { $in: ids.slice(start, start + COUNTS_PER_WRITE) } };
      const rows = this.rows.find(where, { [this.countField!]: 1 }).maxTimeMS(FIND_TIMEOUT_MS);
      for (const row of await rows.lean<Record<string, unknown>[]>())
        counts.set(String(row['_id']), Number(row[this.countField!] ?? 0));
    }
    return counts;
  }
}

function toRow({ id, isGone, ...record }: ReadModelRecord): Row {
  return { _id: id, ...record, deletedAt: isGone ? record.changedAt : null };
}

function toRecord({ _id, deletedAt, aliases = [], ...row }: Row): ReadModelRecord {
  return { id: _id, ...row, aliases, isGone: deletedAt !== null };
}
