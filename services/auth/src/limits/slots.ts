import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey, unavailable } from '@waymark/kernel/errors';

interface Row {
  /** `<key>#<slot number>`: only one of several processes can take the same slot. */
  _id: string;
  key: string;
  freeAt: Date;
}

export type Taken = { slot: Slot } | { retryAfterSeconds: number };
/** A slot that is taken. */
export type Slot = Pick<Row, '_id' | 'freeAt'>;

/** Free slots to choose from at random, so that concurrent callers seldom pick the same one. */
const CHOICE = 16;
const ATTEMPTS_MAX = 100;

/**
 * Permits for at most `limit` uses in any window of `windowMs`, exact over all replicas. A permit is held until the
 * window has passed, or until the caller releases it because the use does not count. Meant for small limits; unlike
 * this class, `RollingLimit` cannot release.
 */
export class Slots {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    collection: string,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {
    const schema = new Schema<Row>({ _id: String, key: String, freeAt: Date });
    schema.index({ key: 1, freeAt: 1 });
    schema.index({ freeAt: 1 }, { expireAfterSeconds: 0 });
    this.rows = db.model<Row>(`Slots of ${collection}`, schema, collection);
  }

  /** @throws AppError `service_unavailable` when it loses the race too often */
  async take(key: string): Promise<Taken> {
    const now = await this.db.now();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const held = await this.held(key, now);
      if (held.length >= this.limit) return { retryAfterSeconds: secondsUntil(held[0]!.freeAt, now) };
      const slot = { _id: `${key}#${this.freeNumber(held)}`, freeAt: new Date(now.getTime() + this.windowMs) };
      // After a lost race another caller holds the slot: each round fills at least one, so the loop ends when all are
      // taken.
      if (await this.claim({ ...slot, key }, now)) return { slot };
    }
    throw unavailable(new Error('too many wanted the same slots'));
  }

  async giveBack({ _id, freeAt }: Slot): Promise<void> {
    await this.rows.deleteOne({ _id, freeAt });
  }

  /** Checks without taking a slot. @returns 0 while one is free */
  async retryAfterSeconds(key: string): Promise<number> {
    const now = await this.db.now();
    const held = await this.held(key, now);
    return held.length >= this.limit ? secondsUntil(held[0]!.freeAt, now) : 0;
  }

  /** Sorted by the time when they become free. */
  private held(key: string, now: Date): Promise<Row[]> {
    return this.rows
      .find({ key, freeAt: { $gt: now } })
      .sort({ freeAt: 1 })
      .lean<Row[]>()
      .exec();
  }

  private freeNumber(held: Row[]): number {
    const taken = new Set(held.map(({ _id }) => Number(_id.slice(_id.lastIndexOf('#') + 1))));
    const free: number[] = [];
    for (let number = 0; number < this.limit && free.length < CHOICE; number += 1) {
      if (!taken.has(number)) free.push(number);
    }
    return free[Math.floor(Math.random() * free.length)]!;
  }

  private async claim(row: Row, now: Date): Promise<boolean> {
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
