import type { Express } from 'express';
import { Schema, type Model } from 'mongoose';
import {
  ADDRESS_COUNTS_PATH,
  addressCounts,
  type AddressCount,
  type AddressLevel,
} from '@waymark/contract/address-counts';
import type { Database } from '@waymark/kernel/mongo/database';
import { mountInternalRoute, type InternalContext } from '../internal/internal-route.js';

interface Row {
  /** The name of the network. */
  _id: string;
  level: number;
  at: Date;
}

/** A level never exceeds the limit by much, and drains within a minute. */
const KEPT_SECONDS = 180;
const BODY_LIMIT_BYTES = 128 * 1024;
const REPORTS_MAX = 8;
const MINUTE_MS = 60_000;

/** Adds up the counts of busy networks from all gateways: one leaky bucket per network, on the database's clock. */
export class AddressCountStore {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    private readonly collection = 'address_levels',
  ) {
    const schema = new Schema<Row>({ _id: String, level: Number, at: Date });
    schema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
    this.rows = db.model<Row>('AddressLevel', schema, collection);
  }

  /** @returns the level of each network after this report */
  async addCounts(counts: AddressCount[]): Promise<AddressLevel[]> {
    // Sorted, so that two replicas cannot deadlock.
    const sorted = [...counts].sort((a, b) => (a.network < b.network ? -1 : 1));
    const updates = sorted.map((count) => ({
      updateOne: { filter: { _id: count.network }, update: [{ $set: addCount(count) }], upsert: true },
    }));
    // Uses the driver directly: nothing to cast or validate.
    await this.rows.db.collection<Row>(this.collection).bulkWrite(updates, { ordered: false });
    const rows = await this.rows
      .find({ _id: { $in: counts.map(({ network }) => network) } })
      .lean<Row[]>()
      .exec();
    return rows.map(({ _id: network, level }) => ({ network, level }));
  }
}

/** Drains the bucket for the time since its last report, then adds the count. */
function addCount({ count, per_minute: perMinute }: AddressCount): object {
  const elapsedMs = { $max: [0, { $subtract: ['$$NOW', { $ifNull: ['$at', '$$NOW'] }] }] };
  const drained = { $multiply: [elapsedMs, perMinute / MINUTE_MS] };
  const remaining = { $max: [0, { $subtract: [{ $ifNull: ['$level', 0] }, drained] }] };
  return { level: { $max: [0, { $add: [remaining, count] }] }, at: '$$NOW' };
}

export function mountAddressCounts(app: Express, ctx: InternalContext & { addressCounts: AddressCountStore }): void {
  mountInternalRoute(app, ctx, {
    path: ADDRESS_COUNTS_PATH,
    message: addressCounts,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    concurrentMax: REPORTS_MAX,
    handle: async ({ counts }) => ({ levels: await ctx.addressCounts.addCounts(counts) }),
  });
}
