import type { Model, QueryFilter } from 'mongoose';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Database } from '@waymark/kernel/mongo/database';
import { DAY_MS, startOfUtcDay } from '../time/utc-day.js';

interface LedgerDocument {
  _id: string;
  workspace: string;
}

interface LedgerOptions<Document> {
  /** The time field of the documents; an index on workspace and time serves every method. */
  time: keyof Document & string;
  /** Matches the documents that belong in the warehouse; all of them if absent. */
  isLoaded?: QueryFilter<Document>;
}

const BATCH_SIZE = 1000;

/** Reads the documents of a collection that belong in the warehouse, for comparisons that may take minutes. */
export class LedgerReader<Document extends LedgerDocument> {
  private readonly longRunning: Model<Document>;

  private readonly time: keyof Document & string;
  private readonly isLoaded: QueryFilter<Document>;

  constructor(
    db: Database,
    private readonly model: Model<Document>,
    { time, isLoaded = {} }: LedgerOptions<Document>,
  ) {
    this.longRunning = db.longRunning(model);
    this.time = time;
    this.isLoaded = isLoaded;
  }

  /** Reads the documents of one UTC day (`YYYY-MM-DD`), outside a transaction. */
  documentsOfDay(workspace: string, day: string): AsyncIterable<Document> {
    const start = startOfUtcDay(day);
    const where = this.where({ workspace, [this.time]: { $gte: new Date(start), $lt: new Date(start + DAY_MS) } });
    const documents = this.longRunning.find(where).lean<Document[]>().cursor({ batchSize: BATCH_SIZE });
    return yieldingToEventLoop<Document>(documents);
  }

  /** Returns which of the ids exist. */
  async existingIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.model.find(this.where({ _id: { $in: ids } }), { _id: 1 }).lean<LedgerDocument[]>();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Returns the first UTC day with documents, starting at `from`. */
  async nextDayWithDocuments(workspace: string, from: number): Promise<number | null> {
    const next = await this.longRunning
      .findOne(this.where({ workspace, [this.time]: { $gte: new Date(from * DAY_MS) } }), { [this.time]: 1 })
      .sort({ [this.time]: 1 })
      .lean<Record<string, Date>>();
    return next && Math.floor(next[this.time]!.getTime() / DAY_MS);
  }

  /** Returns the next workspace with documents. */
  async nextWorkspaceAfter(after: string): Promise<string | null> {
    const next = await this.longRunning
      .findOne(this.where({ workspace: { $gt: after } }), { workspace: 1 })
      .sort({ workspace: 1 })
      .lean<LedgerDocument>();
    return next?.workspace ?? null;
  }

  private where(filter: object): QueryFilter<Document> {
    return { ...this.isLoaded, ...filter };
  }
}
