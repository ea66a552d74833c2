import type { ClientSession, Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';
import type { FailedOutcome, Outcome } from '../http/post-message.js';
import { expeditedNow, attemptIds, type Attempt } from './attempt.js';
import { attemptModel, responseModel, type StoredResponse } from './attempt-model.js';

/** More than a schedule has: one query finds the latest attempt unless users have requested very many retries. */
const ATTEMPTS_AT_ONCE = 20;
/** Pending attempts of one endpoint; deliveries beyond are dropped. */
export const PENDING_MAX = 100_000;
/** Ends a count on the connections for long operations, which have no time limit of their own. */
export const COUNT_MAX_MS = 10_000;

export interface EndedAttempt {
  attempt: Attempt;
  outcome: Outcome;
}

interface FailedAttempt {
  attempt: Attempt;
  outcome: FailedOutcome;
  /** The attempt to schedule after it. */
  next: Attempt | null;
}

/** The attempts and their outcomes. An attempt is written twice: when it is scheduled and when it has ended. */
export class AttemptStore {
  private readonly attempts: Model<Attempt>;
  private readonly longRunning: Model<Attempt>;
  private readonly responses: Model<StoredResponse>;

  constructor(db: Database) {
    this.attempts = attemptModel(db);
    this.responses = responseModel(db);
    this.longRunning = db.longRunning(this.attempts);
  }

  /** Leaves attempts that are already stored unchanged. */
  insertMissing(attempts: Attempt[]): Promise<void> {
    return insertMissing(this.attempts, attempts);
  }

  async insertAttempt(attempt: Attempt, session: ClientSession): Promise<void> {
    await this.attempts.insertMany([attempt], { session, lean: true });
  }

  /** Returns the next attempts of an endpoint, due or not: those that a user requested, then the oldest. */
  async findPending(
    endpointId: string,
    { except = new Set(), limit, withBodies = true }: { except?: Set<string>; limit: number; withBodies?: boolean },
  ): Promise<Attempt[]> {
    const found = await this.attempts
      .find({ endpointId, status: 'pending' }, withBodies ? {} : { body: 0 })
      .sort({ priority: 1, dueAt: 1 })
      .limit(limit + except.size)
      .batchSize(limit + except.size)
      .lean<Attempt[]>();
    return found.filter(({ _id }) => !except.has(_id)).slice(0, limit);
  }

  /** Counts the pending attempts of an endpoint, up to a limit; fails after `COUNT_MAX_MS`. */
  countPending(endpointId: string, limit: number): Promise<number> {
    return this.longRunning
      .countDocuments({ endpointId, status: 'pending' }, { limit, maxTimeMS: COUNT_MAX_MS })
      .exec();
  }

  /** Returns the id of a delivery, given that id or the id of one of its attempts. */
  async resolveDeliveryId(endpointId: string, id: string, session?: ClientSession): Promise<string> {
    if (!id.startsWith('att_')) return id;
    const attempt = await this.attempts.findOne({ _id: id, endpointId }, { deliveryId: 1 }, { session }).lean();
    return attempt?.deliveryId ?? id;
  }

  /** Finds the latest attempt by its id: the ids of a delivery's attempts derive from the delivery's id. */
  async findLatest(endpointId: string, deliveryId: string, session: ClientSession): Promise<Attempt | null> {
    let latest: Attempt | null = null;
    for (let first = 1; ; first += ATTEMPTS_AT_ONCE) {
      const ids = attemptIds(deliveryId, first, ATTEMPTS_AT_ONCE);
      const found = await this.attempts
        .find({ _id: { $in: ids }, endpointId }, {}, { session })
        .sort({ number: -1 })
        .lean<Attempt[]>();
      latest = found[0] ?? latest;
      if (found.length < ATTEMPTS_AT_ONCE) return latest;
    }
  }

  /** Returns the latest attempt of each of several deliveries. */
  async findLatestOfEach(endpointId: string, deliveryIds: string[], session: ClientSession): Promise<Attempt[]> {
    const ids = deliveryIds.flatMap((deliveryId) => attemptIds(deliveryId, 1, ATTEMPTS_AT_ONCE));
    const found = await this.attempts.find({ _id: { $in: ids }, endpointId }, {}, { session }).lean<Attempt[]>();
    const latest = new Map<string, Attempt>();
    for (const attempt of found) {
      if (attempt.number > (latest.get(attempt.deliveryId)?.number ?? 0)) latest.set(attempt.deliveryId, attempt);
    }
    for (const [deliveryId, { number }] of latest) {
      if (number < ATTEMPTS_AT_ONCE) continue;
      latest.set(deliveryId, (await this.findLatest(endpointId, deliveryId, session))!);
    }
    return [...latest.values()];
  }

  /** Brings a scheduled attempt forward. */
  async expediteAttempt(scheduled: Attempt, session: ClientSession): Promise<Attempt> {
    const expedited = expeditedNow();
    await this.attempts.updateOne({ _id: scheduled._id }, { $set: expedited }, { session, timestamps: false });
    return { ...scheduled, ...expedited };
  }

  /** Makes scheduled attempts due now, without priority. */
  async makeDueNow(scheduled: Attempt[], session: ClientSession): Promise<void> {
    const { dueAt, createdAt, isRequested } = expeditedNow();
    const change = { $set: { createdAt, isRequested }, $min: { dueAt } };
    await this.attempts.updateMany({ _id: { $in: idsOf(scheduled) } }, change, { session, timestamps: false });
  }

  /** Schedules the next attempts after ones that have ended. */
  async insertNextAttempts(ended: Attempt[], next: Attempt[], session: ClientSession): Promise<void> {
    const withoutBody = { $set: { body: null } };
    await this.attempts.updateMany({ _id: { $in: idsOf(ended) } }, withoutBody, { session, timestamps: false });
    await this.attempts.insertMany(next, { session, lean: true });
  }

  /**
   * The first writer of an attempt's outcome wins; a second one changes nothing. One statement covers all attempts:
   * separate updates cost the database several times as much.
   */
  async markSucceeded(successes: EndedAttempt[]): Promise<void> {
    await this.storeResponses(successes);
    const ids = successes.map(({ attempt }) => attempt._id);
    const ownValue = (valueOf: (outcome: Outcome) => unknown) => ({
      $arrayElemAt: [successes.map(({ outcome }) => valueOf(outcome)), '$place'],
    });
    const end = {
      status: 'succeeded',
      error: null,
      statusCode: ownValue(({ statusCode }) => statusCode),
      durationMs: ownValue(({ durationMs }) => durationMs),
      attemptedAt: ownValue(({ startedAt }) => startedAt),
    };
    await this.attempts.updateMany(
      { _id: { $in: ids }, status: 'pending' },
      [{ $set: { place: { $indexOfArray: [ids, '$_id'] } } }, { $set: end }, { $unset: 'place' }],
      { updatePipeline: true, timestamps: false },
    );
  }

  /** Ends the attempt, unless it has ended already, and stores the next one. */
  async markFailed({ attempt, outcome, next }: FailedAttempt, session?: ClientSession): Promise<void> {
    const { startedAt: attemptedAt, durationMs, statusCode, failure: error } = outcome;
    const end = { attemptedAt, durationMs, statusCode, error, nextRetryAt: next?.dueAt ?? null };
    const result = await this.attempts.updateOne(
      { _id: attempt._id, status: 'pending' },
      { $set: { status: 'failed', ...end, ...(next && { body: null }) } },
      { session, timestamps: false },
    );
    if (result.matchedCount > 0 && next) await this.attempts.insertMany([next], { session, lean: true });
  }

  /** Runs outside any transaction: responses only describe how an attempt ended, and the first one stays. */
  async storeResponses(ended: EndedAttempt[]): Promise<void> {
    await insertMissing(
      this.responses,
      ended.flatMap(({ attempt, outcome: { response, startedAt } }) =>
        response ? [{ _id: attempt._id, text: JSON.stringify(response), createdAt: startedAt }] : [],
      ),
    );
  }

  /** Ends attempts that will not be made, except those that a user has requested since they were read. */
  async cancelAttempts(attempts: Attempt[], error: Attempt['error']): Promise<void> {
    await this.attempts.updateMany(
      { $or: attempts.map(({ _id, createdAt }) => ({ _id, createdAt })), status: 'pending' },
      { $set: { status: 'failed', error, nextRetryAt: null } },
      { timestamps: false },
    );
  }

  /** Deletes some of an endpoint's attempts and their responses. @returns false if none was left. */
  async deleteAttempts(endpointId: string, limit: number): Promise<boolean> {
    const rows = await this.attempts.find({ endpointId }, { _id: 1 }).limit(limit).lean();
    const _id = { $in: rows.map((row) => row._id) };
    if (rows.length > 0) {
      await this.responses.deleteMany({ _id });
      await this.attempts.deleteMany({ _id });
    }
    return rows.length > 0;
  }
}

const idsOf = (attempts: Attempt[]): string[] => attempts.map(({ _id }) => _id);
