import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Scan } from '../scans/scan.js';
import { utcDay } from '../time/utc-day.js';

const FORGOTTEN_AT_ONCE = 10_000;

interface Sighting {
  /** UTC day, link and visitor: in this order, so that a day is a key range and needs no other index. */
  _id: string;
}

/**
 * Records which visitor has scanned which link on which day, as long as the salt of that day can still identify
 * visitors.
 */
export class SightingStore {
  private readonly sightings: Model<Sighting>;

  constructor(db: Database) {
    this.sightings = db.model<Sighting>('Sighting', new Schema<Sighting>({ _id: String }), 'sightings');
  }

  /**
   * Records first-time visitors. Of two concurrent writers with the same visitor, one fails with a duplicate key.
   * @returns the ids of the scans that are first sightings
   */
  async record(scans: readonly Scan[], session: ClientSession): Promise<ReadonlySet<string>> {
    const earliest = earliestByVisitor(scans);
    const keys = [...earliest.keys()].sort();
    const seen = await this.sightings.collection
      .find<Sighting>({ _id: { $in: keys } } as never, { session, projection: { _id: 1 } })
      .toArray();
    const seenKeys = new Set(seen.map(({ _id }) => _id));
    const fresh = keys.filter((key) => !seenKeys.has(key));
    if (fresh.length > 0)
      await this.sightings.collection.insertMany(fresh.map((_id) => ({ _id })) as never[], { session });
    return new Set(fresh.map((key) => earliest.get(key)!._id));
  }

  /** Deletes the days before `day` in small batches, so that it does not block other work. */
  async forgetBefore(day: string): Promise<void> {
    for (;;) {
      const old = await this.sightings
        .find({ _id: { $lt: day } }, { _id: 1 })
        .limit(FORGOTTEN_AT_ONCE)
        .lean();
      if (old.length === 0) return;
      await this.sightings.deleteMany({ _id: { $in: old.map(({ _id }) => _id).sort() } });
    }
  }
}

function earliestByVisitor(scans: readonly Scan[]): Map<string, Scan> {
  const earliest = new Map<string, Scan>();
  for (const scan of scans) {
    if (scan.isBot || scan.visitor === null) continue;
    const key = `${utcDay(scan.scannedAt)}:${scan.linkId}:${scan.visitor}`;
    const before = earliest.get(key);
    if (!before || scan.scannedAt < before.scannedAt) earliest.set(key, scan);
  }
  return earliest;
}
