import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Scan } from '../scans/scan.js';
import { utcDay } from '../time/utc-day.js';
import { saltExpiry } from './salts.js';

/** A batch that was enriched in the salt's last moment is stored before this is over. */
const KEPT_AFTER_SALT_SECONDS = 3600;

interface Sighting {
  /** Link and visitor; the day is in the visitor, whose pseudonym changes daily. */
  _id: string;
  expiresAt: Date;
}

/** Which visitor has been seen at which link, for as long as a scan of that day can still have a visitor. */
export class SightingStore {
  private readonly sightings: Model<Sighting>;

  constructor(db: Database) {
    const schema = new Schema<Sighting>({ _id: String, expiresAt: Date });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_SALT_SECONDS });
    this.sightings = db.connection.model<Sighting>('Sighting', schema, 'sightings');
    db.prepare(this.sightings as unknown as Model<never>);
  }

  /**
   * Records who is seen for the first time. Of two writers with the same visitor one fails with a duplicate key.
   * @returns the ids of those scans that are first sightings
   */
  async record(scans: readonly Scan[], session: ClientSession): Promise<ReadonlySet<string>> {
    const earliest = earliestByVisitor(scans);
    const keys = [...earliest.keys()].sort();
    const seen = await this.sightings.collection
      .find<Sighting>({ _id: { $in: keys } } as never, { session, projection: { _id: 1 } })
      .toArray();
    const seenKeys = new Set(seen.map(({ _id }) => _id));
    const fresh = keys.filter((key) => !seenKeys.has(key));
    if (fresh.length > 0) {
      const rows = fresh.map((key) => ({ _id: key, expiresAt: saltExpiry(utcDay(earliest.get(key)!.scannedAt)) }));
      await this.sightings.collection.insertMany(rows as never[], { session });
    }
    return new Set(fresh.map((key) => earliest.get(key)!._id));
  }
}

function earliestByVisitor(scans: readonly Scan[]): Map<string, Scan> {
  const earliest = new Map<string, Scan>();
  for (const scan of scans) {
    if (scan.isBot || scan.visitor === null) continue;
    const key = `${scan.linkId}:${scan.visitor}`;
    const before = earliest.get(key);
    if (!before || scan.scannedAt < before.scannedAt) earliest.set(key, scan);
  }
  return earliest;
}
