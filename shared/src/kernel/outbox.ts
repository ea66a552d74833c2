import { setTimeout as sleep } from 'node:timers/promises';
import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Event } from '../contract/event.js';
import { BrokerUnavailable, type EventPublisher } from './broker/publisher.js';
import type { Database, EventSink } from './database.js';
import { isOutage } from './errors.js';
import { Lease } from './lease.js';
import type { Lifecycle } from './lifecycle.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics.js';

interface OutboxRow {
  _id: string;
  type: string;
  body: string;
  createdAt: Date;
}

const SWEEP_EVERY_MS = 2000;
/** Rows younger than this are still in the hands of the process that wrote them. */
const SWEEP_AFTER_MS = 3000;
const SWEEP_BATCH = 500;
/** Committed events kept in memory for publishing at once; what is above it waits for the sweep. */
const HANDED_OVER_MAX = 10_000;
const DRAIN_TIMEOUT_MS = 5000;

/**
 * Events leave a service through this collection: stored in the transaction of their cause, published with confirms,
 * then deleted. A crash anywhere publishes an event again, never not at all; consumers know an event by its id.
 */
export class Outbox implements EventSink {
  private readonly rows: Model<OutboxRow>;
  private readonly lease: Lease;
  private readonly handedOver: OutboxRow[] = [];
  private publishing?: Promise<void>;
  private sweeping?: Promise<void>;
  private stopped = false;
  private readonly wakeUp = new AbortController();

  constructor(
    private readonly db: Database,
    private readonly publisher: EventPublisher,
    private readonly log: Log,
    metrics: Metrics,
    lifecycle: Lifecycle,
  ) {
    const schema = new Schema<OutboxRow>({ _id: String, type: String, body: String, createdAt: Date });
    schema.index({ createdAt: 1 });
    this.rows = db.model<OutboxRow>('Outbox', schema, 'outbox');
    this.lease = new Lease(db, 'outbox sweep');
    db.sendEventsTo(this);
    metrics.gauge('outbox_age_seconds', 'Age of the oldest event that is not yet published', () => this.ageSeconds());
    lifecycle.onStop('outbox', () => this.stop());
  }

  async store(events: Event[], session: ClientSession): Promise<void> {
    await this.rows.insertMany(events.map(toRow), { session, ordered: true, lean: true });
  }

  committed(events: Event[]): void {
    if (this.stopped || this.handedOver.length >= HANDED_OVER_MAX) return;
    this.handedOver.push(...events.map(toRow));
    this.publishing ??= this.publishHandedOver().finally(() => (this.publishing = undefined));
  }

  /** Sweeps what crashed processes or an absent broker left behind, for as long as the process lives. */
  start(): void {
    this.sweeping ??= this.sweepUntilStopped();
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.abort();
    await Promise.race([
      Promise.all([this.publishing, this.sweeping]),
      sleep(DRAIN_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }

  private async publishHandedOver(): Promise<void> {
    await Promise.resolve();
    while (this.handedOver.length > 0) {
      const batch = this.handedOver.splice(0, SWEEP_BATCH);
      try {
        await this.publishAndDelete(batch);
      } catch (error) {
        // The rows are stored: the sweep takes them from here.
        this.handedOver.length = 0;
        this.logFailure(error);
        return;
      }
    }
  }

  private async sweepUntilStopped(): Promise<void> {
    while (!this.stopped) {
      await sleep(SWEEP_EVERY_MS, undefined, { signal: this.wakeUp.signal }).catch(() => undefined);
      try {
        while (!this.stopped && this.publisher.isUp && (await this.sweep())) continue;
      } catch (error) {
        this.logFailure(error);
      }
    }
  }

  /** @returns true when there may be more. */
  private async sweep(): Promise<boolean> {
    if (!this.db.isReady || !(await this.lease.take(30_000))) return false;
    const old = { createdAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } };
    const batch = await this.rows.find(old).sort({ createdAt: 1, _id: 1 }).limit(SWEEP_BATCH).lean();
    await this.publishAndDelete(batch);
    return batch.length === SWEEP_BATCH;
  }

  private async publishAndDelete(batch: OutboxRow[]): Promise<void> {
    if (batch.length === 0) return;
    const results = await Promise.allSettled(batch.map((row) => this.publisher.publish(row.type, row._id, row.body)));
    const published = batch.filter((_, index) => results[index]?.status === 'fulfilled').map((row) => row._id);
    if (published.length > 0) await this.rows.deleteMany({ _id: { $in: published } });
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }

  private async ageSeconds(): Promise<number> {
    const oldest = await this.rows.findOne({}).sort({ createdAt: 1 }).lean();
    return oldest ? (Date.now() - oldest.createdAt.getTime()) / 1000 : 0;
  }

  private logFailure(error: unknown): void {
    if (error instanceof BrokerUnavailable || isOutage(error))
      this.log.debug({ err: error }, 'events wait in the outbox');
    else this.log.error({ err: error }, 'outbox failed');
  }
}

function toRow(event: Event): OutboxRow {
  return { _id: event.id, type: event.type, body: JSON.stringify(event), createdAt: new Date() };
}
