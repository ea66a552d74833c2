import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Bell } from '@waymark/shared/kernel/bell';
import type { Database } from '@waymark/shared/kernel/database';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import { Lease } from '@waymark/shared/kernel/lease';
import type { AttemptStore } from './attempt-store.js';

const EVERY_MS = 5000;
const LEASE_MS = 30_000;
const ROWS_AT_ONCE = 200;
const ORDERS_AT_ONCE = 100;
/** A fan-out that had read the endpoint before it was deleted may still store attempts for so long. */
const SETTLED_AFTER_MS = 60_000;

/** An endpoint whose log is to be deleted. */
interface Order {
  _id: string;
  orderedAt: Date;
}

/** Deletes what deleted endpoints leave behind, a few rows at a time; a process that dies leaves the rest to the next. */
export class Purger {
  private readonly orders: Model<Order>;
  private readonly lease: Lease;
  private bell?: Bell;

  constructor(
    private readonly db: Database,
    private readonly attempts: AttemptStore,
  ) {
    this.orders = db.model<Order>('PurgeOrder', new Schema<Order>({ _id: String, orderedAt: Date }), 'purge_orders');
    this.lease = new Lease(db, 'purge');
  }

  start(parts: WorkParts): void {
    this.bell = keepWorking(parts, { name: 'webhook purger', everyMs: EVERY_MS, doSome: () => this.purgeSome() });
  }

  /** Part of the transaction that deletes the endpoint. */
  async order(endpointId: string, session: ClientSession): Promise<void> {
    await this.orders.insertMany([{ _id: endpointId, orderedAt: new Date() }], { session, lean: true });
  }

  /** There is a new order. */
  wake(): void {
    this.bell?.ring();
  }

  /** @returns true when there is more to delete. */
  private async purgeSome(): Promise<boolean> {
    if (!this.db.isReady) return false;
    const orders = await this.orders.find().sort({ _id: 1 }).limit(ORDERS_AT_ONCE).lean<Order[]>();
    let hasMore = false;
    for (const { _id, orderedAt } of orders) {
      if (!(await this.lease.take(LEASE_MS))) return false;
      // Known before the deleting: a row that comes after this is nobody's.
      const isSettled = Date.now() - orderedAt.getTime() > SETTLED_AFTER_MS;
      if (await this.attempts.deleteSome(_id, ROWS_AT_ONCE)) hasMore = true;
      else if (isSettled) await this.orders.deleteOne({ _id });
    }
    return hasMore;
  }
}
