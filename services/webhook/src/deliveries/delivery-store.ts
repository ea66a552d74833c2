import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { findPage } from '@waymark/shared/kernel/find-page';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import type { Outcome } from '../outbound/post.js';
import type { Attempt, Delivery } from './attempt.js';

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
  statusCode: Number,
  error: Schema.Types.Mixed,
  durationMs: Number,
  attemptedAt: Date,
  nextRetryAt: Date,
  createdAt: Date,
});
const PENDING = { partialFilterExpression: { status: 'pending' } };
attemptSchema.index({ endpointId: 1, dueAt: 1 }, PENDING);
attemptSchema.index({ dueAt: 1 }, PENDING);
attemptSchema.index({ endpointId: 1, createdAt: -1, _id: -1 });
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

  listAttempts(endpointId: string, page: Page): Promise<PageOf<Attempt>> {
    return findPage(this.attempts, { endpointId }, page);
  }

  /** The next attempts of an endpoint, due or not, the oldest first. */
  pending(endpointId: string, options: { except: string[]; limit: number }): Promise<Attempt[]> {
    return this.attempts
      .find({ endpointId, status: 'pending', _id: { $nin: options.except } })
      .sort({ dueAt: 1 })
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
  async fail(attempt: Attempt, outcome: Outcome, next: Attempt | null, session: ClientSession): Promise<boolean> {
    const result = await this.attempts.updateOne(
      { _id: attempt._id, status: 'pending' },
      { $set: { status: 'failed', ...endOf(outcome), nextRetryAt: next?.dueAt ?? null } },
      { session },
    );
    if (result.matchedCount === 0) return false;
    if (next) await this.attempts.insertMany([next], { session, lean: true });
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

function endOf({ startedAt, durationMs, statusCode, failure }: Outcome) {
  return { attemptedAt: startedAt, durationMs, statusCode, error: failure };
}
