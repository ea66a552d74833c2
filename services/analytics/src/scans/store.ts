import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { DAY_MS, startOfUtcDay } from '../time/utc-day.js';
import type { Scan } from './scan.js';

/** A scan in the order of workspaces and times. */
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
    });
    // Serves retention and comparisons with the warehouse. Others would cost each scan more than they save.
    schema.index({ workspace: 1, scannedAt: -1, _id: -1 });
    this.scans = db.model<Scan>('Scan', schema, 'scans');
    this.ledger = new LedgerReader(db, this.scans, 'scannedAt');
  }

  byIds(ids: string[], session: ClientSession): Promise<Scan[]> {
    return this.scans.collection.find<Scan>({ _id: { $in: ids } } as never, { session }).toArray();
  }

  /** In the order given, which must be that of their ids: writers that meet must not wait for each other in a ring. */
  async insert(scans: Scan[], session: ClientSession): Promise<void> {
    await this.scans.collection.insertMany(scans as never[], { session });
  }

  /** Scans of one workspace from these UTC days, the oldest first, after a position; of the next workspace when it has no more. */
  async nextOfDays(days: { from: string; to: string }, position: ScanPosition | null, limit: number): Promise<Scan[]> {
    const [start, end] = [new Date(startOfUtcDay(days.from)), new Date(startOfUtcDay(days.to) + DAY_MS)];
    let after = position;
    let workspace = position?.workspace ?? (await this.ledger.nextWorkspace(''));
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
      workspace = await this.ledger.nextWorkspace(workspace);
    }
    return [];
  }

  /** Stores whether these scans are bots', as they say now. */
  async replaceClass(scans: readonly Scan[], session: ClientSession): Promise<void> {
    const updates = scans.map(({ _id, isBot, botReason, isUnique, version }) => ({
      updateOne: { filter: { _id }, update: { $set: { isBot, botReason, isUnique, version } } },
    }));
    if (updates.length > 0) await this.scans.bulkWrite(updates, { session, ordered: true });
  }

  async idsBefore(workspace: string, before: Date, limit: number): Promise<string[]> {
    const old = { workspace, scannedAt: { $lt: before } };
    const scans = await this.scans.find(old, { _id: 1 }).limit(limit).lean<Pick<Scan, '_id'>[]>();
    return scans.map(({ _id }) => _id);
  }

  async remove(ids: string[]): Promise<void> {
    await this.scans.deleteMany({ _id: { $in: ids } });
  }
}
