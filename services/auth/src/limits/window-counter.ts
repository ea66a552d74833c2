import { Schema, type Model } from 'mongoose';
import { isDuplicateKey, tooManyRequests } from '@waymark/kernel/errors';
import { networksOf } from '@waymark/kernel/limits/networks';
import type { Database } from '@waymark/kernel/mongo/database';
import { LIMITS, type LimitName, type Maxima } from './limits.js';

/** One use of what a limit counts. */
export interface Use {
  limit: LimitName;
  /** Who or what is limited, such as a user. */
  key: string;
  /** Times the maximum of the limit; 1 unless given. */
  factor?: number;
}

interface Row {
  /** Begins with the key, so that the rows of a user are found. */
  _id: string;
  count: number;
  /** The window begins with its first use. */
  endsAt: Date;
  /** Whether the last use was refused. */
  isFull: boolean;
}

/** Counts uses in fixed windows, exactly over all replicas, on the database's clock. */
export class WindowCounter {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    private readonly maxima: Maxima = {},
  ) {
    const schema = new Schema<Row>({ _id: String, count: Number, endsAt: Date, isFull: Boolean });
    schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
    this.rows = db.model<Row>('LimitCount', schema, 'limit_counts');
  }

  /**
   * Counts these uses, or none of them.
   * @returns 0 when they are counted; otherwise the seconds until the window ends whose limit is reached
   */
  async count(uses: readonly Use[]): Promise<number> {
    for (const [index, use] of uses.entries()) {
      const waitSeconds = await this.countUse(use);
      if (waitSeconds === 0) continue;
      await this.refund(uses.slice(0, index));
      return waitSeconds;
    }
    return 0;
  }

  /** @throws AppError `rate_limit_exceeded` with this message when a limit is reached */
  async countOrRefuse(uses: readonly Use[], message: string): Promise<void> {
    const waitSeconds = await this.count(uses);
    if (waitSeconds > 0) throw tooManyRequests(message, waitSeconds);
  }

  /**
   * Runs work that is a use; one that fails does not count.
   * @throws AppError `rate_limit_exceeded` with this message; as the work does
   */
  async run<T>(use: Use, message: string, work: () => Promise<T>): Promise<T> {
    await this.countOrRefuse([use], message);
    try {
      return await work();
    } catch (error) {
      await this.refund([use]);
      throw error;
    }
  }

  /** Takes counted uses back; those whose window has ended are gone already. */
  async refund(uses: readonly Use[]): Promise<void> {
    const endsAt = { $gt: await this.db.now() };
    for (const use of uses) {
      await this.rows.updateOne({ _id: idOf(use), endsAt, count: { $gt: 0 } }, { $inc: { count: -1 } });
    }
  }

  /** Returns the seconds until another use is possible, without counting one. */
  async secondsUntilFree(use: Use): Promise<number> {
    const row = await this.rows.findById(idOf(use)).lean<Row>();
    return row && row.count >= this.maxOf(use) ? this.secondsUntil(row.endsAt, 0) : 0;
  }

  private async countUse(use: Use): Promise<number> {
    const isOpen = { $gt: ['$endsAt', '$$NOW'] };
    const endsAt = { $add: ['$$NOW', LIMITS[use.limit].windowMs] };
    const update = [
      { $set: { isFull: { $and: [isOpen, { $gte: ['$count', this.maxOf(use)] }] } } },
      {
        $set: {
          count: { $cond: [isOpen, { $add: ['$count', { $cond: ['$isFull', 0, 1] }] }, 1] },
          endsAt: { $cond: [isOpen, '$endsAt', endsAt] },
        },
      },
    ];
    const options = { upsert: true, returnDocument: 'after', updatePipeline: true } as const;
    const apply = () =>
      this.rows
        .findOneAndUpdate({ _id: idOf(use) }, update, options)
        .lean<Row>()
        .exec();
    const row = await apply().catch((error: unknown) => {
      // A concurrent use has begun the window.
      if (isDuplicateKey(error)) return apply();
      throw error;
    });
    return row.isFull ? this.secondsUntil(row.endsAt, 1) : 0;
  }

  private maxOf({ limit, factor = 1 }: Use): number {
    return factor * (this.maxima[limit] ?? LIMITS[limit].max);
  }

  private async secondsUntil(time: Date, min: number): Promise<number> {
    return Math.max(min, Math.ceil((time.getTime() - (await this.db.now()).getTime()) / 1000));
  }
}

/** Returns the uses of an address: one of each network that it is in. */
export const usesOfAddress = (limit: LimitName, address: string | null): Use[] =>
  networksOf(address ?? '').map(({ name, limitFactor }) => ({ limit, key: name, factor: limitFactor }));

const idOf = ({ limit, key }: Use): string => `${key} ${limit}`;
