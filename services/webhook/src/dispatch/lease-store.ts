import type { ClientSession, Model } from 'mongoose';
import { Batcher } from '@waymark/kernel/async/batcher';
import type { Database } from '@waymark/kernel/mongo/database';
import { endpointModel, type Endpoint } from '../endpoints/endpoint.js';

/** The right to send to one endpoint, valid until a later lease is acquired. */
export interface LeaseToken {
  endpointId: string;
  leaseNo: number;
}

/** How long the endpoints of a dead process wait for another. */
export const LEASE_MS = 30_000;
const FREE = new Date(0);

/**
 * Assigns endpoints to workers. Only the holder of the lease sends to its endpoint, so that the endpoint's limit
 * is exact over all processes; the lease of a dead holder expires.
 */
export class LeaseStore {
  private readonly endpoints: Model<Endpoint>;
  /** Read before every attempt: one query serves all attempts that are about to start. */
  private readonly reads = new Batcher((ids: string[]) => this.findByIds(ids));

  constructor(private readonly db: Database) {
    this.endpoints = endpointModel(db);
  }

  /** Corrects the count of an endpoint; attempts added since `endpoint` was read stay counted. */
  async correctPendingCount({ endpointId, leaseNo }: LeaseToken, endpoint: Endpoint, count: number): Promise<void> {
    const change = { $inc: { pendingCount: count - (endpoint.pendingCount ?? 0) } };
    await this.endpoints.updateOne({ _id: endpointId, leaseNo }, change, { timestamps: false });
  }

  /** Acquires the unleased endpoint that has been due for the longest time, except these. */
  async claimEndpoint(except: string[]): Promise<Endpoint | null> {
    const now = await this.db.now();
    return this.endpoints
      .findOneAndUpdate(
        { dueAt: { $lte: now }, leaseUntil: { $lte: now }, _id: { $nin: except } },
        { $set: { leaseUntil: leaseEnd(now) }, $inc: { leaseNo: 1 } },
        { sort: { dueAt: 1 }, returnDocument: 'after', timestamps: false },
      )
      .lean<Endpoint>()
      .exec();
  }

  /** Returns since when an endpoint that does not fail has been due without a lease, or null if there is none. */
  async findOldestUnclaimedDueAt(now: Date): Promise<Date | null> {
    const where = { dueAt: { $lte: now }, leaseUntil: { $lte: now }, consecutiveFailures: 0 };
    const endpoint = await this.endpoints.findOne(where, { dueAt: 1 }).sort({ dueAt: 1 }).lean();
    return endpoint?.dueAt ?? null;
  }

  /** Returns the endpoint as it is now, or null if another process has the lease or the endpoint is gone. */
  async readEndpoint({ endpointId, leaseNo }: LeaseToken): Promise<Endpoint | null> {
    const endpoint = await this.reads.submit(endpointId);
    return endpoint?.leaseNo === leaseNo ? endpoint : null;
  }

  /** @returns false if another process has the lease. */
  async renewLease({ endpointId, leaseNo }: LeaseToken): Promise<boolean> {
    const result = await this.endpoints.updateOne(
      { _id: endpointId, leaseNo },
      { $set: { leaseUntil: leaseEnd(await this.db.now()) } },
      { timestamps: false },
    );
    return result.matchedCount === 1;
  }

  /**
   * Releases the endpoint until `dueAt`.
   * @returns false if work was added since `wakeNo` was read, or another process has the lease.
   */
  async releaseLease({ endpointId, leaseNo }: LeaseToken, wakeNo: number, dueAt: Date | null): Promise<boolean> {
    const due = dueAt
      ? { $set: { leaseUntil: FREE, dueAt } }
      : { $set: { leaseUntil: FREE, pendingCount: 0 }, $unset: { dueAt: 1 } };
    const result = await this.endpoints.updateOne({ _id: endpointId, leaseNo, wakeNo }, due, { timestamps: false });
    return result.matchedCount === 1;
  }

  /**
   * Releases the endpoint until a process has this key, or work is added.
   * @returns false if work was added since `wakeNo` was read, or another process has the lease.
   */
  async releaseForKey({ endpointId, leaseNo }: LeaseToken, wakeNo: number, missingKeyId: string): Promise<boolean> {
    const waiting = { $set: { leaseUntil: FREE, missingKeyId }, $unset: { dueAt: 1 } };
    const result = await this.endpoints.updateOne({ _id: endpointId, leaseNo, wakeNo }, waiting, { timestamps: false });
    return result.matchedCount === 1;
  }

  /** Releases the endpoint, for any process once this time has passed. @returns false if another process has the lease. */
  async releaseAfter({ endpointId, leaseNo }: LeaseToken, afterMs: number): Promise<boolean> {
    const at = new Date((await this.db.now()).getTime() + afterMs);
    const change = { $set: { leaseUntil: at, dueAt: at } };
    const result = await this.endpoints.updateOne({ _id: endpointId, leaseNo }, change, { timestamps: false });
    return result.matchedCount === 1;
  }

  /** Counts a failed attempt, by the database's clock; returns null if another process has the lease. */
  countFailure({ endpointId, leaseNo }: LeaseToken, session: ClientSession): Promise<Endpoint | null> {
    const counted = {
      consecutiveFailures: { $add: [{ $ifNull: ['$consecutiveFailures', 0] }, 1] },
      failingSince: { $ifNull: ['$failingSince', '$$NOW'] },
      lastFailedAt: '$$NOW',
    };
    return this.endpoints
      .findOneAndUpdate({ _id: endpointId, leaseNo }, [{ $set: counted }], {
        ...{ session, updatePipeline: true, timestamps: false },
        returnDocument: 'after',
      })
      .lean<Endpoint>()
      .exec();
  }

  async clearFailures(endpointId: string): Promise<void> {
    await this.endpoints.updateOne(
      { _id: endpointId, consecutiveFailures: { $gt: 0 } },
      { $set: { consecutiveFailures: 0 }, $unset: { failingSince: 1 } },
      { timestamps: false },
    );
  }

  async disableEndpoint(endpointId: string, disabledAt: Date, session: ClientSession): Promise<void> {
    await this.endpoints.updateOne(
      { _id: endpointId },
      { $set: { enabled: false, disabledAt, updatedAt: disabledAt }, $inc: { revision: 1 } },
      { session, timestamps: false },
    );
  }

  private async findByIds(ids: string[]): Promise<(id: string) => Endpoint | undefined> {
    const found = await this.endpoints.find({ _id: { $in: [...new Set(ids)] } }).lean<Endpoint[]>();
    const byId = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
    return (id) => byId.get(id);
  }
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
