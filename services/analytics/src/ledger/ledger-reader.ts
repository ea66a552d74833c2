import type { Model, QueryFilter } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { DAY_MS, startOfUtcDay } from '../time/utc-day.js';

interface Stored {
  _id: string;
  workspace: string;
}

const BATCH_SIZE = 1000;

/** Reads the documents of a collection that belong in the warehouse, for comparisons that may take minutes. */
export class LedgerReader<Document extends Stored> {
  private readonly longRunning: Model<Document>;

  /** @param time the time field of the documents; an index on workspace and time serves every method */
  constructor(
    db: Database,
    private readonly model: Model<Document>,
    private readonly time: keyof Document & string,
    private readonly isLoaded: QueryFilter<Document> = {},
  ) {
    this.longRunning = db.longRunning(model);
  }

  /** Reads the documents of one UTC day (`YYYY-MM-DD`), outside a transaction. */
  ofDate(workspace: string, day: string): AsyncIterable<Document> {
    const start = startOfUtcDay(day);
    const where = this.where({ workspace, [this.time]: { $gte: new Date(start), $lt: new Date(start + DAY_MS) } });
    return this.longRunning.find(where).lean<Document[]>().cursor({ batchSize: BATCH_SIZE });
  }

  /** Returns which of the ids exist. */
  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.model.find(this.where({ _id: { $in: ids } }), { _id: 1 }).lean<Stored[]>();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Returns the first UTC day with documents, starting at `from`. */
  async nextDay(workspace: string, from: number): Promise<number | null> {
    const next = await this.longRunning
      .findOne(this.where({ workspace, [this.time]: { $gte: new Date(from * DAY_MS) } }), { [this.time]: 1 })
      .sort({ [this.time]: 1 })
      .lean<Record<string, Date>>();
    return next && Math.floor(next[this.time]!.getTime() / DAY_MS);
  }

  /** Returns the next workspace with documents. */
  async nextWorkspace(after: string): Promise<string | null> {
    const next = await this.longRunning
      .findOne(this.where({ workspace: { $gt: after } }), { workspace: 1 })
      .sort({ workspace: 1 })
      .lean<Stored>();
    return next?.workspace ?? null;
  }

  private where(filter: object): QueryFilter<Document> {
    return { ...this.isLoaded, ...filter };
  }
}
