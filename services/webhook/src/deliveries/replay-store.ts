import { Schema, type ClientSession, type Model } from 'mongoose';
import { WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Attempt } from './attempt.js';
import { attemptModel } from './attempt-model.js';

/** An order to send deliveries of an endpoint again; it is deleted once all of them are scheduled. */
export interface Replay {
  /** The endpoint: it has one replay at a time. */
  _id: string;
  workspace: string;
  from: Date;
  to: Date;
  eventTypes: string[] | null;
  /** The first attempt of the most recently scheduled delivery. */
  after: { happenedAt: Date; id: string } | null;
}

/**
 * Counts at a time, which may read millions of attempts: the process has five connections for long operations, and one
 * workspace takes one of them.
 */
const COUNTS = { runningMax: 3, runningPerKeyMax: 1, waitingMax: 500, waitingPerKeyMax: 5 };

export class ReplayStore {
  private readonly counts = new KeyedSemaphore(COUNTS);
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
   * @throws AppError `rate_limit_exceeded` or `service_unavailable` when too many of these counts wait
   */
  countDeliveries(replay: Replay, limit: number): Promise<number> {
    const counted = this.longRunning.countDocuments(firstAttemptsOf(replay), { limit });
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
  findFirstAttempts(replay: Replay, limit: number, session: ClientSession): Promise<Attempt[]> {
    return this.attempts
      .find(firstAttemptsOf(replay), { body: 0 }, { session })
      .sort({ happenedAt: 1, _id: 1 })
      .limit(limit)
      .lean<Attempt[]>()
      .exec();
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

function firstAttemptsOf({ _id: endpointId, from, to, eventTypes, after }: Replay) {
  return {
    endpointId,
    number: 1,
    happenedAt: { $gte: after?.happenedAt ?? from, $lte: to },
    eventType: eventTypes === null ? { $ne: WEBHOOK_TEST } : { $in: eventTypes },
    ...(after && { $or: [{ happenedAt: { $gt: after.happenedAt } }, { _id: { $gt: after.id } }] }),
  };
}
