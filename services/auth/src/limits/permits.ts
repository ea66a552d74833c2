import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey, unavailable } from '@waymark/kernel/errors';

interface Row {
  /** `<key>#<permit number>`: only one of several processes can acquire the same permit. */
  _id: string;
  key: string;
  freeAt: Date;
}

/** An acquired permit. */
export type Permit = Pick<Row, '_id' | 'freeAt'>;
export type Acquisition = { permit: Permit } | { retryAfterSeconds: number };

export interface PermitLimits {
  /** Permits per key in any window. */
  limit: number;
  windowMs: number;
}

/** Free permits to choose from at random, so that concurrent callers seldom pick the same one. */
const CHOICE = 16;
const ATTEMPTS_MAX = 100;

/**
 * Permits for at most `limit` uses in any window of `windowMs`, exact over all replicas. A permit is held until the
 * window has passed, or until the caller releases it because the use does not count. Meant for small limits; a
 * `SlidingWindowLimiter` allows large ones, but no release.
 */
export class PermitLimiter {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    collection: string,
    private readonly limits: PermitLimits,
  ) {
    const schema = new Schema<Row>({ _id: String, key: String, freeAt: Date });
    schema.index({ key: 1, freeAt: 1 });
    schema.index({ freeAt: 1 }, { expireAfterSeconds: 0 });
    this.rows = db.model<Row>(`Permits of ${collection}`, schema, collection);
  }

  /** @throws AppError `service_unavailable` when it loses the race too often */
  async acquirePermit(key: string): Promise<Acquisition> {
    const { limit, windowMs } = this.limits;
    const now = await this.db.now();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const held = await this.findHeldPermits(key, now);
      if (held.length >= limit) return { retryAfterSeconds: secondsUntil(held[0]!.freeAt, now) };
      const permit = { _id: `${key}#${this.pickFreeNumber(held)}`, freeAt: new Date(now.getTime() + windowMs) };
      // A lost race means that another caller acquired this permit, so the loop ends within `limit` rounds.
      if (await this.claimPermit({ ...permit, key }, now)) return { permit };
    }
    throw unavailable(new Error('too many callers competed for the same permits'));
  }

  async releasePermit({ _id, freeAt }: Permit): Promise<void> {
    await this.rows.deleteOne({ _id, freeAt });
  }

  /** Returns when the next permit becomes free, without acquiring it; 0 while one is free. */
  async secondsUntilPermit(key: string): Promise<number> {
    const now = await this.db.now();
    const held = await this.findHeldPermits(key, now);
    return held.length >= this.limits.limit ? secondsUntil(held[0]!.freeAt, now) : 0;
  }

  /** Sorted by the time when they become free. */
  private findHeldPermits(key: string, now: Date): Promise<Row[]> {
    return this.rows
      .find({ key, freeAt: { $gt: now } })
      .sort({ freeAt: 1 })
      .lean<Row[]>()
      .exec();
  }

  private pickFreeNumber(held: Row[]): number {
    const heldNumbers = new Set(held.map(({ _id }) => Number(_id.slice(_id.lastIndexOf('#') + 1))));
    const free: number[] = [];
    for (let number = 0; number < this.limits.limit && free.length < CHOICE; number += 1) {
      if (!heldNumbers.has(number)) free.push(number);
    }
    return free[Math.floor(Math.random() * free.length)]!;
  }

  private async claimPermit(row: Row, now: Date): Promise<boolean> {
    const { _id, freeAt } = row;
    const { matchedCount } = await this.rows.updateOne({ _id, freeAt: { $lte: now } }, { $set: { freeAt } });
    if (matchedCount === 1) return true;
    try {
      await this.rows.insertMany([row], { lean: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

const secondsUntil = (time: Date, now: Date): number => Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1000));
