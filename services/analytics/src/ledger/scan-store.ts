import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { LedgerReader } from './ledger-reader.js';
import { DAY_MS, startOfUtcDay } from '../time/utc-day.js';
import type { Scan } from './scan.js';

/** A position in the order of workspaces and times. */
export interface ScanPosition {
  workspace: string;
  scannedAt: Date;
  id: string;
}

/** The raw scans. */
export class ScanStore {
  private readonly scans: Model<Scan>;
  readonly ledger: LedgerReader<Scan>;

  constructor(db: Database) {
    const schema = new Schema<Scan>({
      _id: String,
      batch: String,
      workspace: String,
      linkId: String,
      shortCode: String,
      scannedAt: Date,
      trigger: String,
      country: String,
      region: String,
      city: String,
      device: String,
      browser: String,
      os: String,
      language: String,
      referrer: String,
      campaign: String,
      visitor: String,
      isUnique: Boolean,
      isBot: Boolean,
      botReason: String,
      agent: String,
      prefetch: Boolean,
      version: Number,
      announced: new Schema({ isBot: Boolean, isUnique: Boolean }, { _id: false }),
    });
    // Serves retention and comparisons with the warehouse. Further indexes would cost more per scan than they save.
    schema.index({ workspace: 1, scannedAt: -1, _id: -1 });
    this.scans = db.model<Scan>('Scan', schema, 'scans');
    this.ledger = new LedgerReader(db, this.scans, { time: 'scannedAt' });
  }

  scansByIds(ids: string[], session: ClientSession): Promise<Scan[]> {
    return this.scans.collection.find<Scan>({ _id: { $in: ids } } as never, { session }).toArray();
  }

  /** Inserts in the given order, which must be that of the ids, so that concurrent writers cannot deadlock. */
  async insertScans(scans: Scan[], session: ClientSession): Promise<void> {
    await this.scans.collection.insertMany(scans as never[], { session });
  }

  /**
   * Returns scans of one workspace and these UTC days after a position, oldest first; continues with the next workspace
   * when none is left.
   */
  async nextScansOfDays(
    days: { from: string; to: string },
    position: ScanPosition | null,
    limit: number,
  ): Promise<Scan[]> {
    const [start, end] = [new Date(startOfUtcDay(days.from)), new Date(startOfUtcDay(days.to) + DAY_MS)];
    let after = position;
    let workspace = position?.workspace ?? (await this.ledger.nextWorkspaceAfter(''));
    while (workspace !== null) {
      const later = after && {
        $or: [{ scannedAt: { $gt: after.scannedAt } }, { scannedAt: after.scannedAt, _id: { $gt: after.id } }],
      };
      const from = after ? after.scannedAt : start;
      const found = await this.scans
        .find({ workspace, scannedAt: { $gte: from, $lt: end }, ...later })
        .sort({ scannedAt: 1, _id: 1 })
        .limit(limit)
        .lean<Scan[]>();
      if (found.length > 0) return found;
      after = null;
      workspace = await this.ledger.nextWorkspaceAfter(workspace);
    }
    return [];
  }

  /** Stores the current classification of these scans. */
  async updateClassification(scans: readonly Scan[], session: ClientSession): Promise<void> {
    const updates = scans.map(({ _id, isBot, botReason, isUnique, version, announced }) => ({
      updateOne: {
        filter: { _id },
        update: { $set: { isBot, botReason, isUnique, version, ...(announced && { announced }) } },
      },
    }));
    if (updates.length > 0) await this.scans.bulkWrite(updates, { session, ordered: true });
  }

  async scanIdsBefore(workspace: string, before: Date, limit: number): Promise<string[]> {
    const old = { workspace, scannedAt: { $lt: before } };
    const scans = await this.scans.find(old, { _id: 1 }).limit(limit).lean<Pick<Scan, '_id'>[]>();
    return scans.map(({ _id }) => _id);
  }

  async deleteScans(ids: string[]): Promise<void> {
    await this.scans.deleteMany({ _id: { $in: ids } });
  }
}
