import { Schema, type ClientSession, type Model } from 'mongoose';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { DAY_MS, utcDay } from '../time/utc-day.js';
import { SALT_LIFETIME_MS } from './salts.js';

/** The fields of a scan that identify a visit. */
export interface Visit {
  _id: string;
  linkId: string;
  scannedAt: Date;
  /** `null` when the salt of its day was already destroyed. */
  visitor: string | null;
  isBot: boolean;
}

const DELETED_AT_ONCE = 10_000;
const EXPIRY_INTERVAL_MS = 10 * 60 * 1000;
/** Longer than it takes to store a batch that used the salt at the last moment. */
const MARGIN_MS = 3600 * 1000;

interface FirstVisit {
  /** UTC day, link and visitor: in this order, so that a day is a key range and needs no other index. */
  _id: string;
}

/**
 * Records which visitor has scanned which link on which day, as long as the salt of that day can still identify
 * visitors.
 */
export class FirstVisitStore {
  private readonly firstVisits: Model<FirstVisit>;

  constructor(db: Database) {
    this.firstVisits = db.model<FirstVisit>('Sighting', new Schema<FirstVisit>({ _id: String }), 'sightings');
  }

  /**
   * Records first-time visitors. Of two concurrent writers with the same visitor, one fails with a duplicate key.
   * @returns the ids of the scans that are first visits
   */
  async recordFirstVisits(scans: readonly Visit[], session: ClientSession): Promise<ReadonlySet<string>> {
    const earliest = earliestByVisitor(scans);
    const keys = [...earliest.keys()].sort();
    const seen = await this.firstVisits.collection
      .find<FirstVisit>({ _id: { $in: keys } } as never, { session, projection: { _id: 1 } })
      .toArray();
    const seenKeys = new Set(seen.map(({ _id }) => _id));
    const fresh = keys.filter((key) => !seenKeys.has(key));
    if (fresh.length > 0)
      await this.firstVisits.collection.insertMany(fresh.map((_id) => ({ _id })) as never[], { session });
    return new Set(fresh.map((key) => earliest.get(key)!._id));
  }

  /** Deletes the days before `day` in small batches, so that it does not block other work. */
  async deleteFirstVisitsBefore(day: string): Promise<void> {
    for (;;) {
      const old = await this.firstVisits
        .find({ _id: { $lt: day } }, { _id: 1 })
        .limit(DELETED_AT_ONCE)
        .lean();
      if (old.length === 0) return;
      await this.firstVisits.deleteMany({ _id: { $in: old.map(({ _id }) => _id).sort() } });
    }
  }
}

function earliestByVisitor(scans: readonly Visit[]): Map<string, Visit> {
  const earliest = new Map<string, Visit>();
  for (const scan of scans) {
    if (scan.isBot || scan.visitor === null) continue;
    const key = `${utcDay(scan.scannedAt)}:${scan.linkId}:${scan.visitor}`;
    const before = earliest.get(key);
    if (!before || scan.scannedAt < before.scannedAt) earliest.set(key, scan);
  }
  return earliest;
}

interface FirstVisitExpiryContext {
  db: Database;
  firstVisits: FirstVisitStore;
}

/**
 * Periodically deletes the first visits of days whose salt is destroyed; any number of workers may run it.
 * @returns a signal to begin a round
 */
export function startFirstVisitExpiry(runtime: WorkerContext, ctx: FirstVisitExpiryContext): Signal {
  const runOnce = async (): Promise<boolean> => {
    if (ctx.db.isReady) await expireFirstVisits(ctx);
    return false;
  };
  return runPeriodically(runtime, { name: 'expiring first visits', intervalMs: EXPIRY_INTERVAL_MS, runOnce });
}

/** Uses the database's clock: a replica whose clock is ahead must not delete first visits that are still needed. */
async function expireFirstVisits(ctx: FirstVisitExpiryContext): Promise<void> {
  await ctx.firstVisits.deleteFirstVisitsBefore(firstDayKept((await ctx.db.now()).getTime()));
}

/** Returns the first day whose salt was not destroyed longer than the margin ago. */
export function firstDayKept(now: number): string {
  return utcDay(new Date(now - SALT_LIFETIME_MS - MARGIN_MS + DAY_MS));
}
