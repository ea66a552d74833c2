import { randomUUID } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import { isDuplicateKey } from '../errors.js';

interface LeaseRow {
  _id: string;
  owner: string;
  until: Date;
}

/** Creates the models that a lease needs: a `Database`, or a connection that is not ready for others yet. */
export interface Models {
  model<T>(name: string, schema: Schema<T>, collection: string): Model<T>;
}

/** The share of a lease that is left at least when `acquire` does not prolong it. */
const KEPT_SHARE = 3 / 4;

/**
 * Lets one of several replicas do a job at a time. It expires by the database's clock, which all replicas share; an owner
 * that was frozen past the expiry does not notice, so the work must be safe when two do it.
 */
export class Lease {
  private readonly owner = randomUUID();
  private readonly rows: Model<LeaseRow>;
  /** By `performance.now()`; the database ends the lease later than this. */
  private heldUntil = 0;

  constructor(
    models: Models,
    private readonly name: string,
  ) {
    const schema = new Schema<LeaseRow>({ _id: String, owner: String, until: Date });
    this.rows = models.model<LeaseRow>('Lease', schema, 'leases');
  }

  /**
   * Acquires the lease or prolongs our own, without a write while most of it is left: it lasts for three quarters of
   * `forMs` at least. @returns false while another owner holds it
   */
  async acquire(forMs: number): Promise<boolean> {
    const askedAt = performance.now();
    if (this.heldUntil - askedAt >= forMs * KEPT_SHARE) return true;
    const isHeld = await this.write(forMs);
    this.heldUntil = isHeld ? askedAt + forMs : 0;
    return isHeld;
  }

  private async write(forMs: number): Promise<boolean> {
    // Decided in the update, not in the filter: an upsert must not filter by `$expr`. A new row has no `until`.
    const isFree = { $or: [{ $eq: ['$owner', this.owner] }, { $lt: ['$until', '$$NOW'] }] };
    const change = {
      owner: { $cond: [isFree, this.owner, '$owner'] },
      until: { $cond: [isFree, { $add: ['$$NOW', forMs] }, '$until'] },
    };
    try {
      const row = await this.rows.findOneAndUpdate({ _id: this.name }, [{ $set: change }], {
        upsert: true,
        returnDocument: 'after',
        updatePipeline: true,
      });
      return row?.owner === this.owner;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Runs the work under the lease, prolonged until it ends. @returns false, without running it, while another owner holds the lease */
  async run(forMs: number, work: () => Promise<void>): Promise<boolean> {
    if (!(await this.acquire(forMs))) return false;
    const prolonging = setInterval(() => void this.acquire(forMs).catch(() => undefined), forMs / 3);
    try {
      await work();
    } finally {
      clearInterval(prolonging);
      await this.release();
    }
    return true;
  }

  /** Releases our own lease before it expires. */
  async release(): Promise<void> {
    this.heldUntil = 0;
    await this.rows.deleteOne({ _id: this.name, owner: this.owner });
  }
}
