import { Schema, type ClientSession, type Model } from 'mongoose';
import { exceededQuota, quotaProblem, type QuotaDetails, type QuotaUsage } from '@waymark/contract/quota';
import { withoutBeforeCommit } from './before-commit.js';
import type { Database } from './database.js';
import { AppError, summaryOf } from '../errors.js';
import { insertMissing } from './insert-missing.js';

interface QuotaRow {
  _id: string;
  used: number;
}

interface Reservation {
  owner: string;
  /** `null` means no limit. */
  limit: number | null;
  /** 1 by default. */
  count?: number;
}

/**
 * The number of things of one kind that each owner has. It is counted in the transaction that adds or removes one:
 * concurrent transactions all change the owner's one row, so a limit is exact however many run at once.
 */
export class Quota {
  private readonly rows: Model<QuotaRow>;

  constructor(
    db: Database,
    /** The resource's name in the API, e.g. `custom_domains`. */
    private readonly resource: string,
    /** Counts the things of an owner that has no row yet, as its initial value. */
    private readonly countAll: (owner: string) => Promise<number> = () => Promise.resolve(0),
  ) {
    this.rows = db.model<QuotaRow>('Quota', new Schema<QuotaRow>({ _id: String, used: Number }), 'quotas');
  }

  /**
   * Call it before a transaction that calls `reserveUnits`: creates the row, and spares an owner without room the
   * transaction.
   * @throws AppError as `reserveUnits` does
   */
  async prepareReservation(owner: string, limit: number | null): Promise<void> {
    const _id = this.idOf(owner);
    const row = await this.rows.findById(_id).lean<QuotaRow>();
    // `reserveUnits` needs the row, so the count for a new row is right, or a concurrent call has inserted the row first.
    if (!row) await insertMissing(this.rows, [{ _id, used: await withoutBeforeCommit(() => this.countAll(owner)) }]);
    else if (limit !== null && row.used >= limit)
      throw quotaReached({ resource: this.resource, limit, current: row.used });
  }

  /** @throws AppError `validation_failed` when the limit would be exceeded */
  async reserveUnits({ owner, limit, count = 1 }: Reservation, session: ClientSession): Promise<void> {
    const _id = this.idOf(owner);
    const room = limit === null ? {} : { used: { $lte: limit - count } };
    const { matchedCount } = await this.rows.updateOne({ _id, ...room }, { $inc: { used: count } }, { session });
    if (matchedCount === 1) return;
    const row = await this.rows.findById(_id, null, { session }).lean<QuotaRow>();
    if (!row) throw new Error(`the quota ${_id} has no row`);
    throw quotaReached({ resource: this.resource, limit: limit ?? 0, current: row.used });
  }

  async releaseUnits({ owner, count = 1 }: Omit<Reservation, 'limit'>, session: ClientSession): Promise<void> {
    await this.rows.updateOne({ _id: this.idOf(owner) }, { $inc: { used: -count } }, { session });
  }

  /** Whether the owner has a row, which its first reservation creates. */
  async hasRow(owner: string): Promise<boolean> {
    return (await this.rows.exists({ _id: this.idOf(owner) })) !== null;
  }

  async countUsed(owner: string, session?: ClientSession): Promise<number> {
    const row = await this.rows.findById(this.idOf(owner), null, { session }).lean<QuotaRow>();
    return row?.used ?? this.countAll(owner);
  }

  /** Corrects a wrong count by its difference to the things themselves, from one snapshot of both. */
  async correctUsed(owner: string, difference: number): Promise<void> {
    if (difference !== 0) await this.rows.updateOne({ _id: this.idOf(owner) }, { $inc: { used: difference } });
  }

  private idOf(owner: string): string {
    return `${owner}/${this.resource}`;
  }
}

/** Returns the error for a reached quota. */
export function quotaReached(usage: QuotaUsage): AppError {
  const details = exceededQuota(usage);
  const problems = [{ field: 'quota', ...quotaProblem(details) }];
  return new AppError('validation_failed', summaryOf(problems), { details, problems });
}

/** Returns the quota that an error is about, if it is about one. */
export function quotaIn({ details }: AppError): QuotaDetails | null {
  return details?.['reason'] === 'quota_exceeded' ? (details as QuotaDetails) : null;
}
