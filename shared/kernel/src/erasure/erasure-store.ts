import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { erasureId, type ErasureKind } from '@waymark/contract/erasures';
import { backoffMs } from '../async/backoff.js';
import { countDamaged } from '../mongo/count-damaged.js';
import { insertMissing } from '../mongo/insert-missing.js';
import type { Database } from '../mongo/database.js';

/** The order to erase a workspace or a user from one service. Kept for a while, so that late messages are dropped. */
export interface Erasure {
  /** See `erasureId`. */
  _id: string;
  kind: ErasureKind;
  /** The slug of the workspace, or the id of the user; neither is ever given again. */
  subject: string;
  /** The address of a user in lower case; only in services that need it, and absent after `EMAIL_PASSES`. */
  email?: string;
  orderedAt: Date;
  removed: Record<string, number>;
  /** Complete passes over the data. */
  passCount: number;
  /** When the next pass is due; absent after the last one. While a worker has the lease, the end of the lease. */
  dueAt?: Date;
  leaseId?: string;
  failureCount: number;
  /** Set after the last pass. */
  expiresAt?: Date;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * The data is searched again this long after a pass: a request that was admitted before the deletion, a message in
 * a queue, or rows in memory may have stored more.
 */
const NEXT_PASS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS];
/** The last of these passes is an hour after the order: later messages that name only the address are not expected. */
const EMAIL_PASSES = 4;
/** Longer than a message waits in a queue; a parked one may wait for longer. */
const KEPT_MS = 90 * DAY_MS;
const RETRY_MIN_MS = 1000;
const RETRY_MAX_MS = 5 * MINUTE_MS;

/** A row without these could never finish its pass: each claim of it would fail. */
const VALID = {
  kind: { $in: ['workspace', 'user'] as ErasureKind[] },
  subject: { $type: 'string' as const },
  removed: { $type: 'object' as const },
  passCount: { $gte: 0 },
  failureCount: { $gte: 0 },
};

/** The subject of a new erasure. */
export type NewErasure = Pick<Erasure, 'kind' | 'subject' | 'email'>;

/** The erasures that a service was ordered to do. */
export class ErasureStore {
  private readonly erasures: Model<Erasure>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Erasure>(
      {
        _id: String,
        kind: String,
        subject: String,
        email: String,
        orderedAt: Date,
        removed: Schema.Types.Mixed,
        passCount: Number,
        dueAt: Date,
        leaseId: String,
        failureCount: Number,
        expiresAt: Date,
      },
      { minimize: false, versionKey: false },
    );
    schema.index({ dueAt: 1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.erasures = db.model<Erasure>('Erasure', schema, 'erasures');
  }

  /** Idempotent: an erasure in progress is left unchanged. */
  async addErasure(erasure: NewErasure): Promise<void> {
    await insertMissing(this.erasures, [await this.newErasure(erasure)]);
  }

  /** Adds the erasure in the transaction that deletes the subject. @param removed what that transaction has removed */
  async insertErasure(erasure: NewErasure, removed: Erasure['removed'], session: ClientSession): Promise<void> {
    await this.erasures.insertMany([await this.newErasure(erasure, removed)], { session, lean: true });
  }

  private async newErasure(erasure: NewErasure, removed: Erasure['removed'] = {}): Promise<Erasure> {
    const now = await this.db.now();
    const progress = { removed, passCount: 0, failureCount: 0 };
    return { _id: erasureId(erasure.kind, erasure.subject), ...erasure, orderedAt: now, dueAt: now, ...progress };
  }

  /** Returns those of the subjects that are erased. */
  async findErased(kind: ErasureKind, subjects: readonly string[]): Promise<ReadonlySet<string>> {
    if (subjects.length === 0) return new Set();
    const ids = [...new Set(subjects)].map((subject) => erasureId(kind, subject));
    const rows = await this.erasures.find({ _id: { $in: ids } }, { _id: 1 }).lean<Pick<Erasure, '_id'>[]>();
    return new Set(rows.map(({ _id }) => subjectOf(kind, _id)));
  }

  /** Returns those of the addresses, in lower case, that belonged to users who were erased a short while ago. */
  async findErasedEmails(emails: readonly string[]): Promise<ReadonlySet<string>> {
    if (emails.length === 0) return new Set();
    const filter = { kind: 'user' as const, email: { $in: [...new Set(emails)] } };
    const rows = await this.erasures.find(filter, { email: 1 }).lean<Pick<Erasure, 'email'>[]>();
    return new Set(rows.map(({ email }) => email!));
  }

  /** Returns the next erased subjects of this kind, in order. */
  async findSubjects(kind: ErasureKind, after: string, limit: number): Promise<string[]> {
    const rows = await this.erasures
      .find({ _id: { $gt: erasureId(kind, after), $lt: `${kind};` } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Pick<Erasure, '_id'>[]>();
    return rows.map(({ _id }) => subjectOf(kind, _id));
  }

  /** Leases the erasure that has been due for the longest time, and leaves damaged ones alone. */
  async claimErasure(leaseMs: number): Promise<Erasure | null> {
    const now = await this.db.now();
    return this.erasures
      .findOneAndUpdate(
        { dueAt: { $lte: now }, ...VALID },
        { $set: { leaseId: randomUUID(), dueAt: new Date(now.getTime() + leaseMs) } },
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      )
      .lean<Erasure>()
      .exec();
  }

  /** Counts the erasures that are not done and cannot be claimed. */
  countDamaged(): Promise<number> {
    return countDamaged(this.erasures, { expiresAt: null, $nor: [{ dueAt: { $type: 'date' }, ...VALID }] });
  }

  /** Adds to the count of a collection, and prolongs the lease. @returns false if another worker has the lease */
  async recordRemoved(
    { _id, leaseId }: Erasure,
    removed: { name: string; count: number },
    leaseMs: number,
  ): Promise<boolean> {
    const dueAt = new Date((await this.db.now()).getTime() + leaseMs);
    const change = { $set: { dueAt }, $inc: { [`removed.${removed.name}`]: removed.count } };
    return (await this.erasures.updateOne({ _id, leaseId }, change)).matchedCount === 1;
  }

  /** Without effect when another worker has the lease. */
  async prolongLease({ _id, leaseId }: Erasure, leaseMs: number): Promise<void> {
    const dueAt = new Date((await this.db.now()).getTime() + leaseMs);
    await this.erasures.updateOne({ _id, leaseId }, { $set: { dueAt } });
  }

  findErasure(id: string): Promise<Erasure | null> {
    return this.erasures.findById(id).lean<Erasure>().exec();
  }

  /** Ends a pass, and releases the lease until the next one. */
  async finishPass({ _id, leaseId, passCount }: Erasure): Promise<void> {
    const now = (await this.db.now()).getTime();
    const pauseMs = NEXT_PASS_MS[passCount];
    const progress = { passCount: passCount + 1, failureCount: 0 };
    const email = progress.passCount >= EMAIL_PASSES ? { email: 1 as const } : {};
    await this.erasures.updateOne(
      { _id, leaseId },
      pauseMs === undefined
        ? { $set: { ...progress, expiresAt: new Date(now + KEPT_MS) }, $unset: { ...email, dueAt: 1, leaseId: 1 } }
        : { $set: { ...progress, dueAt: new Date(now + pauseMs) }, $unset: { ...email, leaseId: 1 } },
    );
  }

  /** Releases the lease in the middle of a pass: the erasure queues behind those that have waited longer. */
  async releaseErasure({ _id, leaseId }: Erasure): Promise<void> {
    const dueAt = await this.db.now();
    await this.erasures.updateOne({ _id, leaseId }, { $set: { dueAt, failureCount: 0 }, $unset: { leaseId: 1 } });
  }

  /** Releases the lease after a failure; the delay before the retry grows with each one. */
  async postponeErasure({ _id, leaseId, failureCount }: Erasure): Promise<void> {
    const pauseMs = backoffMs(failureCount, RETRY_MIN_MS, RETRY_MAX_MS);
    const dueAt = new Date((await this.db.now()).getTime() + pauseMs);
    await this.erasures.updateOne(
      { _id, leaseId },
      { $set: { dueAt, failureCount: failureCount + 1 }, $unset: { leaseId: 1 } },
    );
  }
}

/** Reads the subject from the id: the field may be missing in a damaged row, and lists continue after the last subject. */
const subjectOf = (kind: ErasureKind, id: string): string => id.slice(erasureId(kind, '').length);
