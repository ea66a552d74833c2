import { Schema, type ClientSession, type Model } from 'mongoose';
import { isDuplicateKey } from '@waymark/kernel/errors';
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
    await store().catch((error: unknown) => {
      // A concurrent failure has stored the row: the second attempt adds to it.
      if (!isDuplicateKey(error)) throw error;
      return store();
    });
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
