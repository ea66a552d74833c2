import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { AttemptStore } from './attempt-store.js';

const INTERVAL_MS = 5000;
const LEASE_MS = 30_000;
const ROWS_AT_ONCE = 200;
const ORDERS_AT_ONCE = 100;
/** For this long, a fan-out that read the endpoint before its deletion may still store attempts. */
const SETTLED_AFTER_MS = 60_000;

/** An endpoint whose log the purger must delete. */
interface PurgeOrder {
  _id: string;
  orderedAt: Date;
}

/** Deletes the rows of deleted endpoints, a few at a time; if the process dies, the next one resumes. */
export class DeliveryPurger {
  private readonly orders: Model<PurgeOrder>;
  private readonly lease: Lease;
  private wakeSignal?: Signal;
  /** This round has processed the orders up to this one. */
  private afterId = '';

  constructor(
    private readonly db: Database,
    private readonly attempts: AttemptStore,
  ) {
    this.orders = db.model<PurgeOrder>(
      'PurgeOrder',
      new Schema<PurgeOrder>({ _id: String, orderedAt: Date }),
      'purge_orders',
    );
    this.lease = new Lease(db, 'purge');
  }

  start(runtime: WorkerContext): void {
    this.wakeSignal = runPeriodically(runtime, {
      name: 'webhook purger',
      intervalMs: INTERVAL_MS,
      runOnce: (skipItem) => this.runOnce(skipItem),
    });
  }

  /** Runs in the transaction that deletes the endpoint, or before the deletion. */
  async orderPurge(endpointId: string, session?: ClientSession): Promise<void> {
    const order = { $set: { orderedAt: await this.db.now() } };
    await this.orders.updateOne({ _id: endpointId }, order, { session, upsert: true });
  }

  /** Notifies the purger of a new order. */
  notify(): void {
    this.wakeSignal?.notify();
  }

  /** @returns true if there is more to delete. */
  private async runOnce(skipItem: SkipItem): Promise<boolean> {
    if (!this.db.isReady) return false;
    const orders = await this.orders
      .find({ _id: { $gt: this.afterId } })
      .sort({ _id: 1 })
      .limit(ORDERS_AT_ONCE)
      .lean<PurgeOrder[]>();
    const hasMoreOrders = orders.length === ORDERS_AT_ONCE;
    // Read before the deletion: no fan-out that is still running stores an attempt later.
    const settledBefore = (await this.db.now()).getTime() - SETTLED_AFTER_MS;
    let hasMoreRows = false;
    for (const order of orders) {
      if (!(await this.lease.acquire(LEASE_MS))) return false;
      // An outage ends the round: the next one continues behind this order, in case only this one runs into it.
      this.afterId = order._id;
      if (await this.tryOrder(order, settledBefore, skipItem)) hasMoreRows = true;
    }
    this.afterId = hasMoreOrders ? orders.at(-1)!._id : '';
    return hasMoreRows || hasMoreOrders;
  }

  /**
   * An error in one order does not stop the others: a later round tries it again.
   * @returns true if it has deleted rows
   */
  private async tryOrder({ _id, orderedAt }: PurgeOrder, settledBefore: number, skipItem: SkipItem): Promise<boolean> {
    try {
      if (await this.attempts.deleteAttempts(_id, ROWS_AT_ONCE)) return true;
      if (Number(orderedAt) < settledBefore) await this.orders.deleteOne({ _id });
    } catch (error) {
      skipItem(error, { endpoint_id: _id }, 'rows of a deleted endpoint not deleted');
    }
    return false;
  }
}
