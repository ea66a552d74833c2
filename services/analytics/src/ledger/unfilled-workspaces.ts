import { Schema, type Model } from 'mongoose';
import { backoffMs } from '@waymark/kernel/async/backoff';
import type { Database } from '@waymark/kernel/mongo/database';

/** A workspace whose history could not be loaded from the ledger into the warehouse. */
export interface UnfilledWorkspace {
  /** The slug. */
  _id: string;
  failures: number;
  error: string;
  failedAt: Date;
  retryAt: Date;
}

const RETRY_MIN_MS = 10_000;
const RETRY_MAX_MS = 3_600_000;
const ERROR_LENGTH_MAX = 500;

/** Workspaces that a fill has set aside, so that one with damaged documents does not delay all others. */
export class UnfilledWorkspaces {
  private readonly workspaces: Model<UnfilledWorkspace>;

  constructor(private readonly db: Database) {
    const schema = new Schema<UnfilledWorkspace>(
      { _id: String, failures: Number, error: String, failedAt: Date, retryAt: Date },
      { versionKey: false },
    );
    schema.index({ retryAt: 1 });
    this.workspaces = db.model<UnfilledWorkspace>('UnfilledWorkspace', schema, 'unfilled_workspaces');
  }

  async has(workspace: string): Promise<boolean> {
    return (await this.workspaces.exists({ _id: workspace })) !== null;
  }

  /** Records a failure; the pause before the next attempt grows with each. */
  async recordFailure(workspace: string, cause: unknown): Promise<void> {
    const failedAt = await this.db.now();
    const stored = (await this.workspaces.findById(workspace).lean<UnfilledWorkspace>())?.failures;
    // A damaged count must not fail the write: the workspace would stay the first one due, before all others.
    const failures = Number.isInteger(stored) ? stored! : 0;
    const retryAt = new Date(failedAt.getTime() + backoffMs(failures, RETRY_MIN_MS, RETRY_MAX_MS));
    const change = { failures: failures + 1, error: String(cause).slice(0, ERROR_LENGTH_MAX), failedAt, retryAt };
    await this.workspaces.updateOne({ _id: workspace }, { $set: change }, { upsert: true });
  }

  /** Returns the workspace that has been due for an attempt longest. */
  async findDue(): Promise<string | null> {
    const isDue = { retryAt: { $lte: await this.db.now() } };
    const due = await this.workspaces.findOne(isDue).sort({ retryAt: 1 }).lean<UnfilledWorkspace>();
    return due?._id ?? null;
  }

  /** The warehouse has the history of the workspace. */
  async remove(workspace: string): Promise<void> {
    await this.workspaces.deleteOne({ _id: workspace });
  }

  countAll(): Promise<number> {
    return this.workspaces.countDocuments({});
  }

  /** The latest failure first. */
  list(limit: number): Promise<UnfilledWorkspace[]> {
    return this.workspaces.find({}).sort({ failedAt: -1 }).limit(limit).lean<UnfilledWorkspace[]>().exec();
  }

  /** Makes every workspace due at once. @returns the number of workspaces */
  async retryAll(): Promise<number> {
    return (await this.workspaces.updateMany({}, { $set: { retryAt: await this.db.now() } })).matchedCount;
  }
}
