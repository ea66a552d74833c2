import { Schema, type ClientSession, type Model } from 'mongoose';
import { isDuplicateKey, isOutage } from '@waymark/kernel/errors';
import { countDamaged } from '@waymark/kernel/mongo/count-damaged';
import type { Database } from '@waymark/kernel/mongo/database';
import { PermitLimiter } from '../limits/permits.js';

/** Failed sign-ins of one account that have no event of their own yet. */
interface UnreportedFailures {
  /** The account. */
  _id: string;
  userId: string | null;
  count: number;
  /** The address of the last one. */
  ipAddress: string | null;
  dueAt: Date;
}

export interface FailedAccount {
  /** The id of a user, or a part of the hash of an unknown e-mail address. */
  account: string;
  userId: string | null;
}

const WINDOW_MS = 3600_000;
/** Each event is an entry in the audit log of every workspace of the user, up to 500, and needs no password. */
const REPORTED_PER_WINDOW = 10;
const DUE_PER_REPLY = 100;
/** A row whose id is not a text could not be taken, and one without a time is never due. */
const VALID = { _id: { $type: 'string' }, count: { $gte: 0 }, dueAt: { $type: 'date' } } as const;

/** Limits the events of failed sign-ins per account, and counts those beyond the limit. */
export class FailedSignInStore {
  private readonly unreported: Model<UnreportedFailures>;
  private readonly reports: PermitLimiter;

  constructor(private readonly db: Database) {
    const schema = new Schema<UnreportedFailures>({
      _id: String,
      userId: String,
      count: Number,
      ipAddress: String,
      dueAt: Date,
    });
    schema.index({ dueAt: 1 });
    schema.index({ userId: 1 });
    this.unreported = db.model<UnreportedFailures>('UnreportedFailures', schema, 'failed_sign_ins');
    this.reports = new PermitLimiter(db, 'failed_sign_in_reports', { limit: REPORTED_PER_WINDOW, windowMs: WINDOW_MS });
  }

  /** @returns whether a failed sign-in of this account gets an event of its own */
  async acquireReport(account: string): Promise<boolean> {
    return 'permit' in (await this.reports.acquirePermit(account));
  }

  /** Counts a failed sign-in, to report it with the others of the next hour. */
  async countFailure({ account, userId }: FailedAccount, ipAddress: string | null): Promise<void> {
    const dueAt = new Date((await this.db.now()).getTime() + WINDOW_MS);
    const update = { $inc: { count: 1 }, $set: { ipAddress }, $setOnInsert: { userId, dueAt } };
    const store = () => this.unreported.updateOne({ _id: account }, update, { upsert: true });
    await store().catch(async (error: unknown) => {
      if (isOutage(error)) throw error;
      // A concurrent failure has stored the row: the second attempt adds to it. A row without a number is damaged, and
      // starts again: it must not turn the reply to a wrong password into an error.
      if (!isDuplicateKey(error)) await this.unreported.deleteOne({ _id: account, count: { $not: VALID.count } });
      await store();
    });
  }

  /** Counts the rows that cannot be reported. There are few rows, each for an hour, so it needs no index. */
  countDamaged(): Promise<number> {
    return countDamaged(this.unreported, { $nor: [VALID] });
  }

  /** Streams the accounts whose counted failures are due: damaged ones hide none behind them. */
  streamDue(now: Date): AsyncIterable<Pick<UnreportedFailures, '_id'>> {
    const due = this.unreported.find({ dueAt: { $lte: now } }, { _id: 1 }).lean<Pick<UnreportedFailures, '_id'>>();
    return due.cursor({ batchSize: DUE_PER_REPLY });
  }

  /** @returns the failures to report, or `null` when another replica was faster */
  takeFailures(account: string, now: Date, session: ClientSession): Promise<UnreportedFailures | null> {
    return this.unreported
      .findOneAndDelete({ _id: account, dueAt: { $lte: now } }, { session })
      .lean<UnreportedFailures>()
      .exec();
  }
}
