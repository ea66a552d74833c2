import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { LedgerReader } from '../ledger/ledger-reader.js';
import type { Scan } from './scan.js';

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

  async idsBefore(workspace: string, before: Date, limit: number): Promise<string[]> {
    const old = { workspace, scannedAt: { $lt: before } };
    const scans = await this.scans.find(old, { _id: 1 }).limit(limit).lean<Pick<Scan, '_id'>[]>();
    return scans.map(({ _id }) => _id);
  }

  async remove(ids: string[]): Promise<void> {
    await this.scans.deleteMany({ _id: { $in: ids } });
  }
}
