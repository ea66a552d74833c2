import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { DAY_MS } from '../time/utc-day.js';
import type { Scan } from './scan.js';

const BATCH_SIZE = 1000;

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
      referrer: String,
      campaign: String,
      visitor: String,
      isUnique: Boolean,
      isBot: Boolean,
      botReason: String,
    });
    // Serves every list and range: newest first in a workspace. Others would cost each scan more than they save.
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

  /** Of one UTC day, one after another. */
  ofDay(workspace: string, day: number, session: ClientSession): AsyncIterable<Scan> {
    const scannedAt = { $gte: new Date(day * DAY_MS), $lt: new Date((day + 1) * DAY_MS) };
    return this.scans.collection.find<Scan>({ workspace, scannedAt } as never, { session, batchSize: BATCH_SIZE });
  }

  async idsBefore(workspace: string, before: Date, limit: number, session: ClientSession): Promise<string[]> {
    const old = { workspace, scannedAt: { $lt: before } };
    const scans = await this.scans.find(old, { _id: 1 }, { session }).limit(limit).lean<Pick<Scan, '_id'>[]>();
    return scans.map(({ _id }) => _id);
  }

  async remove(ids: string[], session: ClientSession): Promise<void> {
    await this.scans.deleteMany({ _id: { $in: ids } }, { session });
  }
}
