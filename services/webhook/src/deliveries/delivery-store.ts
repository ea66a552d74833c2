import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { findPage } from '@waymark/shared/kernel/find-page';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import type { Outcome } from '../outbound/post.js';
import { PRIORITY, type Attempt, type Delivery } from './attempt.js';

const KEPT_SECONDS = 30 * 24 * 3600;

const deliverySchema = new Schema<Delivery>({
  _id: String,
  workspace: String,
  endpointId: String,
  eventId: String,
  eventType: String,
  body: String,
  createdAt: Date,
});
deliverySchema.index({ endpointId: 1 });
deliverySchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

const attemptSchema = new Schema<Attempt>({
  _id: String,
  deliveryId: String,
  endpointId: String,
  workspace: String,
  eventId: String,
  eventType: String,
  number: Number,
  status: String,
  dueAt: Date,
  priority: Number,
  statusCode: Number,
  error: Schema.Types.Mixed,
  durationMs: Number,
  attemptedAt: Date,
  nextRetryAt: Date,
  createdAt: Date,
});
const PENDING = { partialFilterExpression: { status: 'pending' } };
attemptSchema.index({ endpointId: 1, priority: 1, dueAt: 1 }, PENDING);
attemptSchema.index({ dueAt: 1 }, PENDING);
attemptSchema.index({ endpointId: 1, createdAt: -1, _id: -1 });
attemptSchema.index({ deliveryId: 1, number: -1 });
attemptSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export interface Success {
  attempt: Attempt;
  outcome: Outcome;
}

/** What is to be sent, and what became of it. An attempt is written twice: when it is scheduled and when it ended. */
export class DeliveryStore {
  private readonly deliveries: Model<Delivery>;
  private readonly attempts: Model<Attempt>;

  constructor(db: Database) {
    this.deliveries = db.model<Delivery>('Delivery', deliverySchema, 'deliveries');
    this.attempts = db.model<Attempt>('Attempt', attemptSchema, 'attempts');
  }

  /** Those that are there already stay as they are. */
  async insertNew(deliveries: Delivery[], attempts: Attempt[]): Promise<void> {
    // An attempt is there only if its body is.
    await insertMissing(this.deliveries, deliveries);
    await insertMissing(this.attempts, attempts);
  }

  /** One more delivery with its first attempt. */
  async insert(delivery: Delivery, attempt: Attempt, session: ClientSession): Promise<void> {
    await this.deliveries.insertMany([delivery], { session, lean: true });
    await this.insertAttempt(attempt, session);
  }

  async insertAttempt(attempt: Attempt, session?: ClientSession): Promise<void> {
    await this.attempts.insertMany([attempt], { session, lean: true });
  }

  byId(endpointId: string, deliveryId: string, session: ClientSession): Promise<Delivery | null> {
    return this.deliveries.findOne({ _id: deliveryId, endpointId }, {}, { session }).lean<Delivery>().exec();
  }

  latestAttempt(deliveryId: string, session: ClientSession): Promise<Attempt | null> {
    return this.attempts.findOne({ deliveryId }, {}, { session }).sort({ number: -1 }).lean<Attempt>().exec();
  }

  /** Brings a scheduled attempt forward; null when it has ended meanwhile. */
  hasten(attemptId: string, dueAt: Date, session: ClientSession): Promise<Attempt | null> {
    return this.attempts
      .findOneAndUpdate(
        { _id: attemptId, status: 'pending' },
        { $set: { dueAt, priority: PRIORITY.asked } },
        { session, returnDocument: 'after', timestamps: false },
      )
      .lean<Attempt>()
      .exec();
  }

  /** Deletes some of what an endpoint has. @returns false when there was nothing left. */
  async deleteSome(endpointId: string, limit: number): Promise<boolean> {
    return (
      (await deleteUpTo(limit, this.attempts, endpointId)) || (await deleteUpTo(limit, this.deliveries, endpointId))
    );
  }

  listAttempts(endpointId: string, page: Page): Promise<PageOf<Attempt>> {
    return findPage(this.attempts, { endpointId }, page);
  }

  /** The next attempts of an endpoint, due or not: those that were asked for, then the oldest. */
  pending(endpointId: string, options: { except: string[]; limit: number }): Promise<Attempt[]> {
    return this.attempts
      .find({ endpointId, status: 'pending', _id: { $nin: options.except } })
      .sort({ priority: 1, dueAt: 1 })
      .limit(options.limit)
      .lean<Attempt[]>()
      .exec();
  }

  async bodies(deliveryIds: string[]): Promise<Map<string, string>> {
    const rows = await this.deliveries.find({ _id: { $in: deliveryIds } }, { body: 1 }).lean();
    return new Map(rows.map((row) => [row._id, row.body]));
  }

  /** Whoever is first to write how an attempt ended is right; a second writer changes nothing. */
  async succeed(successes: Success[]): Promise<void> {
    const sorted = successes.toSorted((a, b) => (a.attempt._id < b.attempt._id ? -1 : 1));
    await this.attempts.bulkWrite(
      sorted.map(({ attempt, outcome }) => ({
        updateOne: {
          filter: { _id: attempt._id, status: 'pending' },
          update: { $set: { status: 'succeeded', ...endOf(outcome) } },
        },
      })),
      { ordered: false, timestamps: false },
    );
  }

  /** @returns false when its end was known already. */
  async fail(attempt: Attempt, outcome: Outcome, next: Attempt | null, session?: ClientSession): Promise<boolean> {
    const result = await this.attempts.updateOne(
      { _id: attempt._id, status: 'pending' },
      { $set: { status: 'failed', ...endOf(outcome), nextRetryAt: next?.dueAt ?? null } },
      { session },
    );
    if (result.matchedCount === 0) return false;
    if (next) await this.insertAttempt(next, session);
    return true;
  }

  /** Ends attempts that will not be made. */
  async cancel(attemptIds: string[], error: Attempt['error']): Promise<void> {
    await this.attempts.updateMany(
      { _id: { $in: attemptIds }, status: 'pending' },
      { $set: { status: 'failed', error, nextRetryAt: null } },
    );
  }

  /** When the longest waiting attempt was due, or null when none is. */
  async oldestDueAt(now: Date): Promise<Date | null> {
    const oldest = await this.attempts.findOne({ status: 'pending' }, { dueAt: 1 }).sort({ dueAt: 1 }).lean();
    return oldest && oldest.dueAt <= now ? oldest.dueAt : null;
  }
}

async function deleteUpTo<T extends { _id: string }>(limit: number, model: Model<T>, endpointId: string) {
  const rows = await model.find({ endpointId }, { _id: 1 }).limit(limit).lean<{ _id: string }[]>();
  if (rows.length > 0) await model.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
  return rows.length > 0;
}

function endOf({ startedAt, durationMs, statusCode, failure }: Outcome) {
  return { attemptedAt: startedAt, durationMs, statusCode, error: failure };
}
