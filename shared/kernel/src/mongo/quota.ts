import { Schema, type ClientSession, type Model } from 'mongoose';
import type { QuotaDetails } from '@waymark/contract/quota';
import { withoutBeforeCommit } from './before-commit.js';
import type { Database } from './database.js';
import { AppError } from '../errors.js';
import { insertMissing } from './insert-missing.js';

interface QuotaRow {
  _id: string;
  used: number;
}

/**
 * The number of things of one kind in each workspace. It is counted in the transaction that adds or removes one:
 * concurrent transactions all change the workspace's one row, so a limit is exact however many run at once.
 */
export class Quota {
  private readonly rows: Model<QuotaRow>;

  constructor(
    db: Database,
    /** The resource's name in the API, e.g. `custom_domains`. */
    private readonly resource: string,
    /** Counts the things of a workspace that has no row yet, as its initial value. */
    private readonly countAll: (workspace: string) => Promise<number> = () => Promise.resolve(0),
  ) {
    this.rows = db.model<QuotaRow>('Quota', new Schema<QuotaRow>({ _id: String, used: Number }), 'quotas');
  }

  /**
   * Call it before a transaction that calls `take`: creates the row, and spares a full workspace the transaction.
   * @throws AppError as `take` does
   */
  async open(workspace: string, limit: number | null): Promise<void> {
    const _id = this.idOf(workspace);
    const row = await this.rows.findById(_id).lean<QuotaRow>();
    // `take` needs the row, so the count for a new row is right, or a concurrent call has inserted the row first.
    if (!row)
      await insertMissing(this.rows, [{ _id, used: await withoutBeforeCommit(() => this.countAll(workspace)) }]);
    else if (limit !== null && row.used >= limit) throw quotaReached(this.resource, limit, row.used);
  }

  /** @throws AppError `validation_failed` when the limit would be exceeded; `null` means no limit */
  async take(workspace: string, limit: number | null, session: ClientSession, count = 1): Promise<void> {
    const _id = this.idOf(workspace);
    const room = limit === null ? {} : { used: { $lte: limit - count } };
    const { matchedCount } = await this.rows.updateOne({ _id, ...room }, { $inc: { used: count } }, { session });
    if (matchedCount === 1) return;
    const row = await this.rows.findById(_id, null, { session }).lean<QuotaRow>();
    if (!row) throw new Error(`the quota ${_id} was not opened`);
    throw quotaReached(this.resource, limit ?? 0, row.used);
  }

  async giveBack(workspace: string, session: ClientSession, count = 1): Promise<void> {
    await this.rows.updateOne({ _id: this.idOf(workspace) }, { $inc: { used: -count } }, { session });
  }

  async used(workspace: string, session?: ClientSession): Promise<number> {
    const row = await this.rows.findById(this.idOf(workspace), null, { session }).lean<QuotaRow>();
    return row?.used ?? this.countAll(workspace);
  }

  /** Corrects a wrong count by its difference to the things themselves, from one snapshot of both. */
  async correct(workspace: string, by: number): Promise<void> {
    if (by !== 0) await this.rows.updateOne({ _id: this.idOf(workspace) }, { $inc: { used: by } });
  }

  private idOf(workspace: string): string {
    return `${workspace}/${this.resource}`;
  }
}

type Holder = 'workspace' | 'user';

/** Returns the error for a reached quota. */
export function quotaReached(resource: string, limit: number, current: number, holder: Holder = 'workspace'): AppError {
  const details = quotaDetails(resource, limit, current, holder);
  return new AppError('validation_failed', `The limit of this ${holder} is reached.`, { details });
}

/** Returns the quota that an error is about, if it is about one. */
export function quotaIn({ details }: AppError): QuotaDetails | null {
  return details?.['reason'] === 'quota_exceeded' ? (details as QuotaDetails) : null;
}

export function quotaDetails(
  resource: string,
  limit: number,
  current: number,
  holder: Holder = 'workspace',
): QuotaDetails {
  const things = resource.replaceAll('_', ' ');
  const quota = [`The limit of this ${holder} is ${limit} ${limit === 1 ? things.replace(/s$/, '') : things}.`];
  return { reason: 'quota_exceeded', quota, resource, limit, current };
}
