import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import type { TargetRecord } from './record.js';

/** Longer than any older event is expected to come late. */
const DELETED_KEPT_DAYS = 30;
const FIND_TIMEOUT_MS = 1000;

interface TargetRow extends Omit<TargetRecord, 'linkId' | 'isDeleted'> {
  _id: string;
  deletedAt: Date | null;
}

/**
 * The read model in the database, one row per link: a change of code or hostname moves the row, so the old place stops
 * serving, and one guarded write per link keeps an older event from winning, also over a deletion.
 */
export class TargetStore {
  private readonly rows: Model<TargetRow>;

  constructor(private readonly db: Database) {
    const schema = new Schema<TargetRow>(
      {
        _id: String,
        key: String,
        revision: Number,
        workspace: String,
        hostname: String,
        shortCode: String,
        title: String,
        campaignTag: String,
        destinationUrl: String,
        utmDefaults: Schema.Types.Mixed,
        isArchived: Boolean,
        changedAt: Date,
        deletedAt: Date,
      },
      { versionKey: false },
    );
    schema.index({ key: 1 });
    schema.index({ deletedAt: 1 }, { expireAfterSeconds: DELETED_KEPT_DAYS * 24 * 3600 });
    this.rows = db.model<TargetRow>('Target', schema, 'targets');
  }

  get isReady(): boolean {
    return this.db.isReady;
  }

  /** What is found there now; a deleted link only where nothing else is. */
  async find(key: string): Promise<TargetRecord | undefined> {
    const rows = await this.rows.find({ key }).maxTimeMS(FIND_TIMEOUT_MS).lean<TargetRow[]>();
    // Two live rows in one place mean that the older link's own change is still on its way.
    const [newest] = rows.sort(
      (a, b) => Number(isDeleted(a)) - Number(isDeleted(b)) || b.changedAt.getTime() - a.changedAt.getTime(),
    );
    return newest && toRecord(newest);
  }

  async findByLinks(linkIds: string[]): Promise<TargetRecord[]> {
    const rows = await this.rows
      .find({ _id: { $in: linkIds } })
      .maxTimeMS(FIND_TIMEOUT_MS)
      .lean<TargetRow[]>();
    return rows.map(toRecord);
  }

  /** Keeps each record unless the same or a newer revision of its link is there. */
  async save(records: TargetRecord[]): Promise<void> {
    const newest = newestOfEachLink(records);
    if (newest.length === 0) return;
    const writes = newest.map((record) => ({
      replaceOne: {
        filter: { _id: record.linkId, revision: { $lt: record.revision } },
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
function newestOfEachLink(records: TargetRecord[]): TargetRecord[] {
  const byLink = new Map<string, TargetRecord>();
  for (const record of records) {
    const other = byLink.get(record.linkId);
    if (!other || other.revision < record.revision) byLink.set(record.linkId, record);
  }
  return [...byLink.keys()].sort().map((linkId) => byLink.get(linkId)!);
}

/** A bulk write that got no answer has no write errors, but neither this code. */
function isOnlyDuplicateKeys(error: unknown): boolean {
  const { writeErrors = [] } = error as { writeErrors?: unknown };
  return isDuplicateKey(error) && [writeErrors].flat().every(isDuplicateKey);
}

const isDeleted = (row: TargetRow): boolean => row.deletedAt !== null;

function toRow({ linkId, isDeleted, ...record }: TargetRecord): TargetRow {
  return { _id: linkId, ...record, deletedAt: isDeleted ? record.changedAt : null };
}

function toRecord({ _id, deletedAt, ...row }: TargetRow): TargetRecord {
  return { linkId: _id, ...row, isDeleted: deletedAt !== null };
}
