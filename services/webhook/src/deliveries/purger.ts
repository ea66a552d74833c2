import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isOutage } from '@waymark/shared/kernel/errors';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { Bell } from '../sending/bell.js';
import type { AttemptStore } from './attempt-store.js';

const EVERY_MS = 5000;
const LEASE_MS = 30_000;
const ROWS_AT_ONCE = 500;
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
  private readonly bell = new Bell();
  private running?: Promise<void>;
  private isStopping = false;

  constructor(
    private readonly db: Database,
    private readonly attempts: AttemptStore,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    this.orders = db.model<Order>('PurgeOrder', new Schema<Order>({ _id: String, orderedAt: Date }), 'purge_orders');
    this.lease = new Lease(db, 'purge');
    lifecycle.onStop('webhook purger', () => this.stop());
  }

  start(): void {
    this.running ??= this.purgeUntilStopped();
  }

  /** Part of the transaction that deletes the endpoint. */
  async order(endpointId: string, session: ClientSession): Promise<void> {
    await this.orders.insertMany([{ _id: endpointId, orderedAt: new Date() }], { session, lean: true });
  }

  /** There is a new order. */
  wake(): void {
    this.bell.ring();
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    this.bell.ring();
    await this.running;
  }

  private async purgeUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      try {
        if (this.db.isReady) await this.purgeAll();
      } catch (error) {
        this.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'purge broke off');
      }
      await this.bell.wait(EVERY_MS);
    }
  }

  private async purgeAll(): Promise<void> {
    const orders = await this.orders.find().sort({ _id: 1 }).limit(ORDERS_AT_ONCE).lean<Order[]>();
    for (const { _id, orderedAt } of orders) {
      // Known before the deleting: a row that comes after this is nobody's.
      const isSettled = Date.now() - orderedAt.getTime() > SETTLED_AFTER_MS;
      if (!(await this.purge(_id))) return;
      if (isSettled) await this.orders.deleteOne({ _id });
    }
  }

  /** @returns false when it did not come to the end of it. */
  private async purge(endpointId: string): Promise<boolean> {
    do {
      if (this.isStopping || !(await this.lease.take(LEASE_MS))) return false;
    } while (await this.attempts.deleteSome(endpointId, ROWS_AT_ONCE));
    return true;
  }
}
