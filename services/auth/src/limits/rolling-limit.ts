import { Schema, type Model } from 'mongoose';
import type { LimitState } from '@waymark/shared/contract/authorize';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';

interface Window {
  _id: string;
  /** When the requests that were let through arrived, by the database's clock. */
  times: Date[];
  allowed: boolean;
  expiresAt: Date;
}

/** At most `limit` requests of a key in any window of `windowMs`, exact over all replicas; a refused one does not count. */
export class RollingLimit {
  private readonly windows: Model<Window>;

  constructor(
    db: Database,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {
    const schema = new Schema<Window>({ _id: String, times: [Date], allowed: Boolean, expiresAt: Date });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.windows = db.connection.model<Window>('RateLimitWindow', schema, 'rate_limit_windows');
    db.prepare(this.windows as unknown as Model<never>);
  }

  async take(key: string): Promise<LimitState> {
    const window = await this.update(key).catch((error: unknown) => {
      // Two first requests of a key at once: the one that lost the insert now finds the document.
      if (isDuplicateKey(error)) return this.update(key);
      throw error;
    });
    const oldest = window.times[0]?.getTime() ?? Date.now();
    const newest = window.times.at(-1)?.getTime() ?? oldest;
    return {
      allowed: window.allowed,
      limit: this.limit,
      remaining: Math.max(0, this.limit - window.times.length),
      windowSeconds: Math.ceil(this.windowMs / 1000),
      resetSeconds: Math.max(1, Math.ceil((oldest + this.windowMs - Math.max(newest, Date.now())) / 1000)),
    };
  }

  /** One atomic update on the database's clock: drop what left the window, then append if there is room. */
  private async update(key: string): Promise<Window> {
    const recent = {
      $filter: {
        input: { $ifNull: ['$times', []] },
        cond: { $gt: ['$$this', { $subtract: ['$$NOW', this.windowMs] }] },
      },
    };
    const window = await this.windows
      .findOneAndUpdate(
        { _id: key },
        [
          { $set: { times: recent } },
          { $set: { allowed: { $lt: [{ $size: '$times' }, this.limit] } } },
          {
            $set: {
              times: { $cond: ['$allowed', { $concatArrays: ['$times', ['$$NOW']] }, '$times'] },
              expiresAt: { $add: ['$$NOW', this.windowMs * 2] },
            },
          },
        ],
        { upsert: true, returnDocument: 'after', updatePipeline: true },
      )
      .lean<Window>();
    return window;
  }
}
