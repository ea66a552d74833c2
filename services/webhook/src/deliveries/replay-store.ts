import { Schema, type ClientSession, type Model } from 'mongoose';
import { WEBHOOK_EVENT_TYPES } from '@waymark/contract/webhook-events';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Attempt } from './attempt.js';
import { attemptModel } from './attempt-model.js';
import { COUNT_MAX_MS } from './attempt-store.js';

/** An order to send deliveries of an endpoint again; it is deleted once all of them are scheduled. */
export interface Replay {
  /** The endpoint: it has one replay at a time. */
  _id: string;
  workspace: string;
  from: Date;
  to: Date;
  eventTypes: string[] | null;
  /** By the database's clock; absent in rows of earlier versions. */
  orderedAt?: Date;
  /** The first attempt of the most recently scheduled delivery. */
  after: { happenedAt: Date; id: string } | null;
}

/**
 * Counts at a time: the process has five connections for long operations. The wait and the count end before the gateway stops
 * waiting.
 */
const COUNTS = { total: 3, perKey: 1, waitMaxMs: 9000 };
/** Below the time limit of a transaction: a query that fails then does not end the round of the other replays. */
const FIND_MAX_MS = 5000;
/** Every type except test events. A query names them: without names it would sort all deliveries of the period. */
const EVERY_TYPE = [...new Set(Object.values(WEBHOOK_EVENT_TYPES).flat())];

export class ReplayStore {
  private readonly counts = new KeyedLimit(COUNTS);
  private readonly replays: Model<Replay>;
  private readonly attempts: Model<Attempt>;
  private readonly longRunning: Model<Attempt>;

  constructor(db: Database) {
    const progressSchema = new Schema({ happenedAt: Date, id: String }, { _id: false });
    const schema = new Schema<Replay>({
      _id: String,
      workspace: String,
      from: Date,
      to: Date,
      orderedAt: Date,
      eventTypes: { type: [String], default: null },
      after: { type: progressSchema, default: null },
    });
    this.replays = db.model<Replay>('Replay', schema, 'replays');
    this.attempts = attemptModel(db);
    this.longRunning = db.longRunning(this.attempts);
  }

  /** Fails with a duplicate key while the endpoint has another replay. */
  async insertReplay(replay: Replay, session: ClientSession): Promise<void> {
    await this.replays.insertMany([replay], { session, lean: true });
  }

  /**
   * Counts the deliveries of a replay, up to a limit.
   * @throws AppError `service_unavailable` when the count waits too long for those before it
   * @throws an error that `isTimeLimitExceeded` after `COUNT_MAX_MS`
   */
  countDeliveries(replay: Replay, limit: number): Promise<number> {
    const counted = this.longRunning.countDocuments(periodsOf(replay)[0], { limit, maxTimeMS: COUNT_MAX_MS });
    return this.counts.run(replay.workspace, () => counted.exec());
  }

  /** Returns the replays of the endpoints after this id. */
  findReplays(afterId: string, limit: number): Promise<Replay[]> {
    return this.replays
      .find({ _id: { $gt: afterId } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Replay[]>()
      .exec();
  }

  /** Returns the first attempts of the next deliveries, in the order of their events. */
  async findFirstAttempts(replay: Replay, limit: number, session: ClientSession): Promise<Attempt[]> {
    const found: Attempt[] = [];
    for (const period of periodsOf(replay)) {
      if (found.length === limit) break;
      const attempts = await this.attempts
        .find(period, { body: 0 }, { session, maxTimeMS: FIND_MAX_MS })
        .sort(REPLAY_ORDER)
        .limit(limit - found.length)
        .lean<Attempt[]>();
      found.push(...attempts);
    }
    return found;
  }

  /** @returns false if another process has scheduled these deliveries. */
  async advanceReplay(
    { _id, after }: Replay,
    { happenedAt, _id: id }: Attempt,
    session: ClientSession,
  ): Promise<boolean> {
    const reached = { after: { happenedAt, id } };
    const known = after === null ? { after: null } : { 'after.id': after.id };
    const result = await this.replays.updateOne({ _id, ...known }, { $set: reached }, { session, timestamps: false });
    return result.matchedCount === 1;
  }

  async deleteReplay({ _id }: Replay): Promise<void> {
    await this.replays.deleteOne({ _id });
  }
}

export const REPLAY_ORDER = { happenedAt: 1, _id: 1 } as const;

/**
 * Returns the filters of the deliveries that are not scheduled yet, one after the other: those at the time of the last
 * scheduled one, then the later ones. An index has the deliveries of each filter without any others.
 */
export function periodsOf({ _id: endpointId, from, to, eventTypes, after }: Replay) {
  const firstAttempts = { endpointId, number: 1, eventType: { $in: eventTypes ?? EVERY_TYPE } };
  if (after === null) return [{ ...firstAttempts, happenedAt: { $gte: from, $lte: to } }] as const;
  return [
    { ...firstAttempts, happenedAt: after.happenedAt, _id: { $gt: after.id } },
    { ...firstAttempts, happenedAt: { $gt: after.happenedAt, $lte: to } },
  ] as const;
}
