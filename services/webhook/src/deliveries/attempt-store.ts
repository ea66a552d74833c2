import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { findItems } from '@waymark/shared/kernel/find-page';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import type { Outcome } from '../outbound/post.js';
import { askedNow, attemptId, type Attempt } from './attempt.js';

const LISTED_MAX = 100_000;
const KEPT_SECONDS = 30 * 24 * 3600;
/** More than a schedule has: one look finds the latest attempt unless people have asked for very many. */
const LOOKED_FOR_AT_ONCE = 20;

const schema = new Schema<Attempt>({
  _id: String,
  deliveryId: String,
  endpointId: String,
  workspace: String,
  eventId: String,
  eventType: String,
  happenedAt: Date,
  number: Number,
  body: String,
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
schema.index({ endpointId: 1, priority: 1, dueAt: 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ endpointId: 1, createdAt: -1, _id: -1 });
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export interface Success {
  attempt: Attempt;
  outcome: Outcome;
}

/** What is to be sent, and what became of it. An attempt is written twice: when it is scheduled and when it ended. */
export class AttemptStore {
  private readonly attempts: Model<Attempt>;
  private readonly longRunning: Model<Attempt>;

  constructor(db: Database) {
    this.attempts = db.model<Attempt>('Attempt', schema, 'attempts');
    this.longRunning = db.longRunning(this.attempts);
  }

  /** Those that are there already stay as they are. */
  insertNew(attempts: Attempt[]): Promise<void> {
    return insertMissing(this.attempts, attempts);
  }

  async insert(attempt: Attempt, session: ClientSession): Promise<void> {
    await this.attempts.insertMany([attempt], { session, lean: true });
  }

  /** The newest attempts, up to a number: to count or skip all of a busy endpoint would take the database for seconds. */
  async list(endpointId: string, page: Page): Promise<PageOf<Attempt>> {
    const where = { endpointId };
    const isWithin = page.page * page.perPage <= LISTED_MAX;
    const [items, total] = await Promise.all([
      isWithin ? findItems(this.attempts, where, page) : [],
      this.attempts.countDocuments(where, { limit: LISTED_MAX }).exec(),
    ]);
    return { items, total };
  }

  /** The next attempts of an endpoint, due or not: those that were asked for, then the oldest. */
  async pending(endpointId: string, options: { except: ReadonlySet<string>; limit: number }): Promise<Attempt[]> {
    const { except, limit } = options;
    const found = await this.attempts
      .find({ endpointId, status: 'pending' })
      .sort({ priority: 1, dueAt: 1 })
      .limit(limit + except.size)
      .batchSize(limit + except.size)
      .lean<Attempt[]>();
    return found.filter(({ _id }) => !except.has(_id)).slice(0, limit);
  }

  /** How many attempts of an endpoint are pending, counted up to a limit. */
  countPending(endpointId: string, limit: number): Promise<number> {
    return this.longRunning.countDocuments({ endpointId, status: 'pending' }, { limit }).exec();
  }

  /** The ids of a delivery's attempts follow from its own. */
  async latestOf(endpointId: string, deliveryId: string, session: ClientSession): Promise<Attempt | null> {
    let latest: Attempt | null = null;
    for (let first = 1; ; first += LOOKED_FOR_AT_ONCE) {
      const ids = Array.from({ length: LOOKED_FOR_AT_ONCE }, (_, index) => attemptId(deliveryId, first + index));
      const found = await this.attempts
        .find({ _id: { $in: ids }, endpointId }, {}, { session })
        .sort({ number: -1 })
        .lean<Attempt[]>();
      latest = found[0] ?? latest;
      if (found.length < LOOKED_FOR_AT_ONCE) return latest;
    }
  }

  /** Brings a scheduled attempt forward. */
  async hasten(scheduled: Attempt, session: ClientSession): Promise<Attempt> {
    const asked = askedNow();
    await this.attempts.updateOne({ _id: scheduled._id }, { $set: asked }, { session, timestamps: false });
    return { ...scheduled, ...asked };
  }

  /** Schedules an attempt after one that has ended. */
  async insertAfter(ended: Attempt, next: Attempt, session: ClientSession): Promise<void> {
    await this.attempts.updateOne({ _id: ended._id }, { $set: { body: null } }, { session, timestamps: false });
    await this.insert(next, session);
  }

  /**
   * Whoever is first to write how an attempt ended is right; a second writer changes nothing. One statement for all:
   * an update for each costs a database several times as much.
   */
  async succeed(successes: Success[]): Promise<void> {
    const ids = successes.map(({ attempt }) => attempt._id);
    const own = (valueOf: (outcome: Outcome) => unknown) => ({
      $arrayElemAt: [successes.map(({ outcome }) => valueOf(outcome)), '$place'],
    });
    const end = {
      status: 'succeeded',
      error: null,
      statusCode: own(({ statusCode }) => statusCode),
      durationMs: own(({ durationMs }) => durationMs),
      attemptedAt: own(({ startedAt }) => startedAt),
    };
    await this.attempts.updateMany(
      { _id: { $in: ids }, status: 'pending' },
      [{ $set: { place: { $indexOfArray: [ids, '$_id'] } } }, { $set: end }, { $unset: 'place' }],
      { updatePipeline: true, timestamps: false },
    );
  }

  /** @returns false when its end was known already. */
  async fail(attempt: Attempt, outcome: Outcome, next: Attempt | null, session?: ClientSession): Promise<boolean> {
    const { startedAt: attemptedAt, durationMs, statusCode, failure: error } = outcome;
    const end = { attemptedAt, durationMs, statusCode, error, nextRetryAt: next?.dueAt ?? null };
    const result = await this.attempts.updateOne(
      { _id: attempt._id, status: 'pending' },
      { $set: { status: 'failed', ...end, ...(next && { body: null }) } },
      { session, timestamps: false },
    );
    if (result.matchedCount === 0) return false;
    if (next) await this.attempts.insertMany([next], { session, lean: true });
    return true;
  }

  /** Ends attempts that will not be made, unless somebody has asked for one since they were read. */
  async cancel(attempts: Attempt[], error: Attempt['error']): Promise<void> {
    await this.attempts.updateMany(
      { $or: attempts.map(({ _id, createdAt }) => ({ _id, createdAt })), status: 'pending' },
      { $set: { status: 'failed', error, nextRetryAt: null } },
      { timestamps: false },
    );
  }

  /** Ends attempts that can't be read, so that the others of their endpoint go on. */
  async setAside(attempts: Attempt[], error: Attempt['error']): Promise<void> {
    await this.attempts.updateMany(
      { _id: { $in: attempts.map(({ _id }) => _id) }, status: 'pending' },
      { $set: { status: 'failed', error, nextRetryAt: null } },
      { timestamps: false },
    );
  }

  /** Deletes some of what an endpoint has. @returns false when there was nothing left. */
  async deleteSome(endpointId: string, limit: number): Promise<boolean> {
    const rows = await this.attempts.find({ endpointId }, { _id: 1 }).limit(limit).lean();
    if (rows.length > 0) await this.attempts.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } });
    return rows.length > 0;
  }
}
