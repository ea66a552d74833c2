import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { findItems } from '@waymark/shared/kernel/find-page';
import type { Page } from '@waymark/shared/kernel/http/reply';
import { rangeFilter, type Selection } from '../selection/selection.js';
import { dayIndexOf } from '../selection/day-index.js';
import type { Scan } from './scan.js';

/** The raw scans. */
export class ScanStore {
  private readonly scans: Model<Scan>;

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
  }

  byIds(ids: string[], session: ClientSession): Promise<Scan[]> {
    return this.scans.collection.find<Scan>({ _id: { $in: ids } } as never, { session }).toArray();
  }

  /** In the order given, which must be that of their ids: writers that meet must not wait for each other in a ring. */
  async insert(scans: Scan[], session: ClientSession): Promise<void> {
    await this.scans.collection.insertMany(scans as never[], { session });
  }

  /** Newest first, ties by id. */
  page(selection: Selection, page: Page): Promise<Scan[]> {
    return findItems(this.scans, rangeFilter(selection, 'scannedAt'), page, { scannedAt: -1, _id: -1 });
  }

  async newestAt(workspace: string): Promise<Date | null> {
    const newest = await this.scans
      .findOne({ workspace }, { scannedAt: 1 })
      .sort({ scannedAt: -1, _id: -1 })
      .lean<Pick<Scan, 'scannedAt'>>();
    return newest?.scannedAt ?? null;
  }

  /** How many visitors came on each set of local days; a visitor is one of one UTC day, so a set has at most a few. */
  visitorsByDays(selection: Selection): Promise<{ days: number[]; visitors: number }[]> {
    return this.scans
      .aggregate<{ days: number[]; visitors: number }>([
        { $match: { ...rangeFilter(selection, 'scannedAt'), visitor: { $ne: null } } },
        { $group: { _id: '$visitor', days: { $addToSet: dayIndexOf('$scannedAt', selection.days) } } },
        { $group: { _id: '$days', visitors: { $sum: 1 } } },
        { $project: { _id: 0, days: '$_id', visitors: 1 } },
      ])
      .option({ allowDiskUse: true })
      .exec();
  }
}
