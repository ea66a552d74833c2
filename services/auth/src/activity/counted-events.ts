import { Schema, type Model } from 'mongoose';
import type { Event } from '@waymark/contract/event';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';

const POLL_MS = 1000;
const INTERVAL_MS = 60_000;
const REPORTED_AT_ONCE = 200;

export type CountedEvent = 'session.failed' | 'token.refused';

/** Where the last request came from. */
interface Origin {
  ipAddress: string | null;
  requestId: string | null;
}

/** What happened to a subject since its last event. */
export interface Occurrences extends Origin {
  /** The id of a user or a token, or what stands for a subject that does not exist. */
  subject: string;
  count: number;
}

interface Row extends Occurrences {
  /** Begins with the subject, so that the rows of a user are found. */
  _id: string;
  type: CountedEvent;
  /** The next event is not before. */
  dueAt: Date;
}

/** Builds the event of what happened; `null` when there is no log to show it in. */
export type BuildEvent = (occurrences: Occurrences) => Promise<Event | null>;
export type Builders = Readonly<Record<CountedEvent, BuildEvent>>;

/**
 * Events of what strangers can cause in any number. A subject has one at once, and further ones once a minute with their
 * number, from one replica.
 */
export class CountedEvents {
  private readonly rows: Model<Row>;

  constructor(
    private readonly db: Database,
    private readonly log: Log,
    private readonly intervalMs = INTERVAL_MS,
  ) {
    const schema = new Schema<Row>({
      _id: String,
      type: String,
      subject: String,
      count: Number,
      ipAddress: String,
      requestId: String,
      dueAt: Date,
    });
    schema.index({ dueAt: 1 });
    this.rows = db.model<Row>('CountedEvent', schema, 'counted_events');
  }

  /** Counts one occurrence. */
  async count(type: CountedEvent, subject: string, { ipAddress, requestId }: Origin): Promise<void> {
    const dueAt = await this.db.now();
    const update = { $inc: { count: 1 }, $set: { ipAddress, requestId }, $setOnInsert: { type, subject, dueAt } };
    const store = () => this.rows.updateOne({ _id: `${subject} ${type}` }, update, { upsert: true });
    await store().catch((error: unknown) => {
      // A concurrent occurrence has stored the row.
      if (isDuplicateKey(error)) return store();
      throw error;
    });
  }

  /** Counts one occurrence, and does not delay the request. */
  note(type: CountedEvent, subject: string, origin: Origin): void {
    this.count(type, subject, origin).catch((error: unknown) => {
      this.log.warn({ err: error, type, subject }, 'an occurrence was not counted');
    });
  }

  /** Starts to emit the events. */
  start(ctx: WorkerContext, builders: Builders): void {
    runPeriodically(ctx, {
      name: 'counted events',
      intervalMs: POLL_MS,
      runOnce: async (skipItem) => {
        if (!this.db.isReady) return false;
        for (const row of await this.findDue()) {
          if (ctx.lifecycle.isStopping) break;
          try {
            await this.report(row, builders[row.type]);
          } catch (error) {
            skipItem(error, { event: row._id }, 'an event was not emitted');
          }
        }
        return false;
      },
    });
  }

  private async findDue(): Promise<Row[]> {
    const due = { dueAt: { $lte: await this.db.now() } };
    return this.rows.find(due).sort({ dueAt: 1 }).limit(REPORTED_AT_ONCE).lean<Row[]>();
  }

  private async report({ _id, dueAt, count }: Row, build: BuildEvent): Promise<void> {
    if (count === 0) return void (await this.rows.deleteOne({ _id, count: 0 }));
    const next = { count: 0, dueAt: new Date((await this.db.now()).getTime() + this.intervalMs) };
    await this.db.transaction(async (tx) => {
      // Another replica may have been faster.
      const row = await this.rows
        .findOneAndUpdate(
          { _id, dueAt, count: { $gt: 0 } },
          { $set: next },
          { session: tx.session, returnDocument: 'before' },
        )
        .lean<Row>();
      const event = row && (await build(row));
      if (event) tx.emit(event);
    });
  }
}
