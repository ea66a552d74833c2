import type { ClientSession, Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { batchesOf } from '../events/batches.js';
import { Batcher } from './batcher.js';
import { endpointModel, type Endpoint } from '../endpoints/endpoint.js';

/** The right to send to one endpoint, valid until a later lease is acquired. */
export interface Lease {
  endpointId: string;
  no: number;
}

interface Unclaimed {
  except: string[];
  busyWorkspaces: string[];
  /** Skips endpoints with more failures. */
  failuresMax: number;
}

const FREE = new Date(0);
const WOKEN_AT_ONCE = 500;
/** Skips a damaged row without valid numbers: `$inc` would fail on it and block all other rows. */
const COUNTABLE = { wakeNo: { $gte: 0 }, leaseNo: { $gte: 0 } };

/**
 * Assigns endpoints to senders. The holder of a lease is the only sender of its endpoint, so that the endpoint's limit
 * is exact over all processes; the lease of a dead holder expires.
 */
export class EndpointLeases {
  private readonly endpoints: Model<Endpoint>;
  /** Read before every attempt: one query serves all attempts that are about to start. */
  private readonly reads = new Batcher((ids: string[]) => this.byId(ids));

  constructor(
    private readonly db: Database,
    private readonly leaseMs: number,
  ) {
    this.endpoints = endpointModel(db);
  }

  /** Records the number of attempts added to each of these endpoints, due at this time. */
  async wake(added: ReadonlyMap<string, number>, at: Date, session?: ClientSession): Promise<void> {
    // The same order everywhere: writers that lock the same rows in different orders would deadlock.
    const sorted = [...added].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const batch of batchesOf(sorted, { rowsMax: WOKEN_AT_ONCE })) {
      const updates = batch.map(([_id, count]) => ({
        updateOne: {
          filter: { _id, ...COUNTABLE },
          update: { $min: { dueAt: at }, $inc: { wakeNo: 1, pendingCount: count } },
        },
      }));
      await this.endpoints.bulkWrite(updates, { ordered: false, timestamps: false, session });
    }
  }

  /** Corrects the count of an endpoint; attempts added since `endpoint` was read stay counted. */
  async correctPendingCount({ endpointId, no }: Lease, endpoint: Endpoint, count: number): Promise<void> {
    const change = { $inc: { pendingCount: count - (endpoint.pendingCount ?? 0) } };
    await this.endpoints.updateOne({ _id: endpointId, leaseNo: no }, change, { timestamps: false });
  }

  /** Acquires the unleased endpoint that has been due for the longest time, except those of busy workspaces. */
  async claim({ except, busyWorkspaces, failuresMax }: Unclaimed): Promise<Endpoint | null> {
    const now = await this.db.now();
    return this.endpoints
      .findOneAndUpdate(
        {
          ...{ dueAt: { $lte: now }, leaseUntil: { $lte: now }, ...COUNTABLE },
          ...{ _id: { $nin: except }, workspace: { $nin: busyWorkspaces } },
          ...(Number.isFinite(failuresMax) && { consecutiveFailures: { $lte: failuresMax } }),
        },
        { $set: { leaseUntil: this.end(now) }, $inc: { leaseNo: 1 } },
        { sort: { dueAt: 1 }, returnDocument: 'after', timestamps: false },
      )
      .lean<Endpoint>()
      .exec();
  }

  /** Returns since when an endpoint that does not fail has been due without a lease, or null if there is none. */
  async unclaimedSince(now: Date): Promise<Date | null> {
    const where = { dueAt: { $lte: now }, leaseUntil: { $lte: now }, consecutiveFailures: 0 };
    const endpoint = await this.endpoints.findOne(where, { dueAt: 1 }).sort({ dueAt: 1 }).lean();
    return endpoint?.dueAt ?? null;
  }

  /** Returns the endpoint as it is now, or null if another process has the lease or the endpoint is gone. */
  async read({ endpointId, no }: Lease): Promise<Endpoint | null> {
    const endpoint = await this.reads.add(endpointId);
    return endpoint?.leaseNo === no ? endpoint : null;
  }

  /** @returns false if another process has the lease. */
  async renew({ endpointId, no }: Lease): Promise<boolean> {
    const result = await this.endpoints.updateOne(
      { _id: endpointId, leaseNo: no },
      { $set: { leaseUntil: this.end(await this.db.now()) } },
      { timestamps: false },
    );
    return result.matchedCount === 1;
  }

  /**
   * Releases the endpoint until `dueAt`.
   * @returns false if work was added since `wakeNo` was read, or another process has the lease.
   */
  async release({ endpointId, no }: Lease, wakeNo: number, dueAt: Date | null): Promise<boolean> {
    const due = dueAt
      ? { $set: { leaseUntil: FREE, dueAt } }
      : { $set: { leaseUntil: FREE, pendingCount: 0 }, $unset: { dueAt: 1 } };
    const result = await this.endpoints.updateOne({ _id: endpointId, leaseNo: no, wakeNo }, due, { timestamps: false });
    return result.matchedCount === 1;
  }

  /** Releases the endpoint; another process can resume at once. */
  async abandon({ endpointId, no }: Lease): Promise<void> {
    const now = { $set: { leaseUntil: FREE, dueAt: await this.db.now() } };
    await this.endpoints.updateOne({ _id: endpointId, leaseNo: no }, now, { timestamps: false });
  }

  /** Counts a failed attempt, by the database's clock; returns null if another process has the lease. */
  countFailure({ endpointId, no }: Lease, session: ClientSession): Promise<Endpoint | null> {
    const counted = {
      consecutiveFailures: { $add: [{ $ifNull: ['$consecutiveFailures', 0] }, 1] },
      failingSince: { $ifNull: ['$failingSince', '$$NOW'] },
      lastFailedAt: '$$NOW',
    };
    return this.endpoints
      .findOneAndUpdate({ _id: endpointId, leaseNo: no }, [{ $set: counted }], {
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

  async disable(endpointId: string, at: Date, session: ClientSession): Promise<void> {
    await this.endpoints.updateOne(
      { _id: endpointId },
      { $set: { enabled: false, disabledAt: at, updatedAt: at }, $inc: { revision: 1 } },
      { session, timestamps: false },
    );
  }

  private async byId(ids: string[]): Promise<(id: string) => Endpoint | undefined> {
    const found = await this.endpoints.find({ _id: { $in: [...new Set(ids)] } }).lean<Endpoint[]>();
    const byId = new Map(found.map((endpoint) => [endpoint._id, endpoint]));
    return (id) => byId.get(id);
  }

  private end(now: Date): Date {
    return new Date(now.getTime() + this.leaseMs);
  }
}
