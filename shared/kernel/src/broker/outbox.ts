import { setTimeout as sleep } from 'node:timers/promises';
import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Event } from '@waymark/contract/event';
import { backoffMs } from '../async/backoff.js';
import { BrokerUnavailable, PublishRefused, type EventPublisher } from './publisher.js';
import type { Database, EventSink } from '../mongo/database.js';
import { isOutage } from '../errors.js';
import { PublishBuffer } from './publish-buffer.js';
import { NOT_A_TIME } from '../mongo/count-damaged.js';
import { Lease } from '../mongo/lease.js';
import type { Lifecycle } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import { runOutsideContext } from '../process/request-context.js';
import type { RunningWork } from '../process/running-work.js';

export interface OutboxRow {
  _id: string;
  type: string;
  body: string;
  createdAt: Date;
  /** Set aside until then: the broker refused it. */
  dueAt?: Date;
  refusals?: number;
}

const SWEEP_EVERY_MS = 2000;
/** Rows younger than this are still in the hands of the process that wrote them. */
const SWEEP_AFTER_MS = 3000;
const LEASE_MS = 30_000;
const BATCH_MAX = 500;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const REFUSED_BACKOFF_MIN_MS = 5000;
const REFUSED_BACKOFF_MAX_MS = 10 * 60_000;
const DRAIN_TIMEOUT_MS = 5000;
/** Rows that `publish` may leave here while the broker is down or refuses them; above it the caller must wait. */
const STORED_MAX = 20_000;

export interface OutboxContext {
  db: Database;
  publisher: EventPublisher;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

/** Opens the outbox of a process. Call it before the database starts. */
export function openOutbox(context: OutboxContext): Outbox {
  const outbox = new Outbox(context);
  outbox.open(context);
  return outbox;
}

/**
 * Events leave a service through this collection: stored in the transaction of their cause, published with confirms,
 * then deleted. After a crash an event may be published twice, but never lost; consumers deduplicate by its id. A row
 * that the broker refuses is set aside with its own backoff, and does not delay later rows.
 */
export class Outbox implements EventSink, EventPublisher {
  private readonly rows: Model<OutboxRow>;
  private readonly lease: Lease;
  private readonly publishBuffer = new PublishBuffer<OutboxRow>();
  private publishing?: Promise<void>;
  private sweeping?: Promise<void>;
  private stopped = false;
  private readonly wakeUp = new AbortController();
  private readonly db: Database;
  private readonly publisher: EventPublisher;
  private readonly log: Log;
  private readonly work: RunningWork;

  constructor({ db, publisher, log, lifecycle }: OutboxContext) {
    this.db = db;
    this.publisher = publisher;
    this.log = log;
    this.work = lifecycle.work;
    const schema = new Schema<OutboxRow>({
      _id: String,
      type: String,
      body: String,
      createdAt: Date,
      dueAt: Date,
      refusals: Number,
    });
    schema.index({ createdAt: 1 });
    schema.index({ dueAt: 1, createdAt: 1 });
    this.rows = db.model<OutboxRow>('Outbox', schema, 'outbox');
    this.lease = new Lease(db, 'outbox sweep');
  }

  /** Receives the events of committed transactions from now on. */
  open({ db, metrics, lifecycle }: OutboxContext): void {
    db.sendEventsTo(this);
    metrics.gauge('outbox_age_seconds', 'Age of the oldest event that is not yet published', () => this.ageSeconds());
    metrics.gauge('outbox_set_aside', 'Events that the broker refused and that are tried again later', () =>
      this.rows.countDocuments({ dueAt: { $exists: true } }, { limit: 10_000 }),
    );
    lifecycle.onStop('outbox', () => this.stop());
  }

  get isUp(): boolean {
    return this.publisher.isUp;
  }

  async store(events: Event[], session: ClientSession): Promise<void> {
    await this.rows.insertMany(events.map(toRow), { session, ordered: true, lean: true });
  }

  onCommitted(events: Event[]): void {
    if (this.stopped) return;
    for (const event of events) this.publishBuffer.add(toRow(event));
    this.publishing ??= runOutsideContext(() => this.publishHandedOver()).finally(() => (this.publishing = undefined));
  }

  /**
   * Publishes an event that no transaction stored. While the broker is unreachable, or a queue of the event is full,
   * the outbox stores the event instead. The calling consumer can then acknowledge its message, which empties a backlog
   * that caused an alarm, and a consumer that is down does not block others. @throws BrokerUnavailable when too many
   * are stored
   */
  async publish(type: string, id: string, body: string): Promise<void> {
    try {
      await this.publisher.publish(type, id, body);
    } catch (error) {
      if (!(error instanceof BrokerUnavailable)) throw error;
      if ((await this.rows.estimatedDocumentCount()) >= STORED_MAX) throw error;
      const createdAt = await this.db.now();
      const row = { type, body, createdAt };
      const refusal = isAway(error) ? {} : { dueAt: dueAfter(createdAt, 0), refusals: 1 };
      await this.rows.updateOne({ _id: id }, { $setOnInsert: { ...row, ...refusal } }, { upsert: true });
    }
  }

  /** Waits until the events of the transactions so far were published, or failed to be. */
  async flush(): Promise<void> {
    await this.publishing;
  }

  /** Publishes rows left by crashed processes or an unavailable broker, for as long as the process lives. */
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

  /** An event that fails here stays stored: the sweep publishes it. */
  private async publishHandedOver(): Promise<void> {
    await Promise.resolve();
    for (
      let batch = this.publishBuffer.takeBatch(BATCH_MAX);
      batch.length > 0;
      batch = this.publishBuffer.takeBatch(BATCH_MAX)
    ) {
      try {
        await this.work.run('outbox', () => this.publishAndDelete(batch));
      } catch (error) {
        this.logFailure(error);
      }
    }
  }

  private async sweepUntilStopped(): Promise<void> {
    while (!this.stopped) {
      await sleep(SWEEP_EVERY_MS, undefined, { signal: this.wakeUp.signal }).catch(() => undefined);
      try {
        while (!this.stopped && this.publisher.isUp && (await this.work.run('outbox', () => this.sweep()))) continue;
      } catch (error) {
        this.logFailure(error);
      }
    }
  }

  /** @returns true when there may be more. */
  private async sweep(): Promise<boolean> {
    if (!this.db.isReady || !(await this.rows.exists({})) || !(await this.lease.acquire(LEASE_MS))) return false;
    const now = (await this.db.now()).getTime();
    // A row that is dated in the future comes from a process with a wrong clock: it is published now, not then. A damaged
    // date tells no age: the row is published, or set aside if the rest of it is damaged too.
    const isLeftOver = [
      { createdAt: { $lt: new Date(now - SWEEP_AFTER_MS) } },
      { createdAt: { $gt: new Date(now + SWEEP_AFTER_MS) } },
      { createdAt: null },
      { createdAt: { $type: NOT_A_TIME } },
    ];
    // Events that no refusal holds back come first.
    if (await this.sweepRows({ dueAt: null, $or: isLeftOver })) return true;
    const isDue = [{ dueAt: { $lt: new Date(now) } }, { dueAt: { $type: NOT_A_TIME } }];
    return this.sweepRows({ $or: isDue });
  }

  private async sweepRows(filter: object): Promise<boolean> {
    const batch: OutboxRow[] = [];
    let bytes = 0;
    const rows = this.rows.find(filter).sort({ dueAt: 1, createdAt: 1 }).limit(BATCH_MAX).lean();
    for await (const row of rows.cursor({ batchSize: 50 })) {
      batch.push(row);
      bytes += bytesOf(row);
      if (bytes >= BATCH_BYTES_MAX) break;
    }
    await this.publishAndDelete(batch);
    return batch.length === BATCH_MAX || bytes >= BATCH_BYTES_MAX;
  }

  /** Sets aside the rows that the broker refuses and damaged rows. @throws BrokerUnavailable while it is unreachable */
  private async publishAndDelete(batch: OutboxRow[]): Promise<void> {
    if (batch.length === 0) return;
    const results = await Promise.allSettled(batch.map((row) => this.publishRow(row)));
    const outcomes = batch.map((row, index) => ({ row, result: results[index]! }));
    const published = outcomes.filter(({ result }) => result.status === 'fulfilled').map(({ row }) => row._id);
    // The driver does it, here and in `setAside`: Mongoose would not find a row by a damaged id.
    if (published.length > 0) await this.rows.collection.deleteMany({ _id: { $in: published } } as object);
    const failed = outcomes.flatMap(({ row, result }) => (result.status === 'rejected' ? [{ row, ...result }] : []));
    await this.setAside(failed.filter(({ reason }) => !isAway(reason)));
    const failure = failed.find(({ reason }) => isAway(reason));
    if (failure) throw failure.reason;
  }

  private async publishRow({ type, _id, body }: OutboxRow): Promise<void> {
    if (typeof type !== 'string' || typeof body !== 'string') throw new TypeError(`the row ${String(_id)} is damaged`);
    await this.publisher.publish(type, _id, body);
  }

  private async setAside(refused: { row: OutboxRow; reason: unknown }[]): Promise<void> {
    if (refused.length === 0) return;
    const types = [...new Set(refused.map(({ row }) => row.type))];
    this.log.warn({ err: refused[0]!.reason, events: refused.length, types }, 'events refused, tried again later');
    const now = await this.db.now();
    await this.rows.collection.bulkWrite(
      refused.map(({ row }) => {
        // A damaged count must not fail the write, which sets other rows aside too.
        const refusals = Number.isInteger(row.refusals) ? row.refusals! : 0;
        const update = { $set: { dueAt: dueAfter(now, refusals), refusals: refusals + 1 } };
        return { updateOne: { filter: { _id: { $eq: row._id } }, update } } as never;
      }),
      { ordered: false },
    );
  }

  private async ageSeconds(): Promise<number> {
    // A row with a damaged date sorts first.
    const oldest = await this.rows
      .findOne({ createdAt: { $type: 'date' } })
      .sort({ createdAt: 1 })
      .lean();
    return oldest ? (Date.now() - oldest.createdAt.getTime()) / 1000 : 0;
  }

  private logFailure(error: unknown): void {
    if (error instanceof BrokerUnavailable || isOutage(error))
      this.log.debug({ err: error }, 'events wait in the outbox');
    else this.log.error({ err: error }, 'outbox failed');
  }
}

/** True when the broker takes nothing at all; otherwise the failure is about this row. */
const isAway = (error: unknown): boolean => error instanceof BrokerUnavailable && !(error instanceof PublishRefused);

const bytesOf = ({ body }: Partial<OutboxRow>): number => (typeof body === 'string' ? Buffer.byteLength(body) : 0);

const dueAfter = (now: Date, refusals: number): Date =>
  new Date(now.getTime() + backoffMs(refusals, REFUSED_BACKOFF_MIN_MS, REFUSED_BACKOFF_MAX_MS));

function toRow(event: Event): OutboxRow {
  return { _id: event.id, type: event.type, body: JSON.stringify(event), createdAt: new Date() };
}
