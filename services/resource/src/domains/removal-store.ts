import { randomUUID } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { backoffMs } from '@waymark/kernel/async/backoff';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

/** A domain that was deleted, or lost its host to another workspace, and whose links must still move. */
export interface Removal {
  /** The id of the domain; for a lost host, derived from the new owner's domain: see `reclaimSome`. */
  _id: string;
  workspace: string;
  hostname: string;
  /** The context of the deletion: every moved link's event names the user who deleted the domain. */
  event: EventContext & { workspace: string };
  /** Another workspace has the host: while it does, every link moves and no code on it is kept. */
  isLost?: boolean;
  /** This workspace has the host: the worker must still start removals for the workspaces that had it. */
  isReclaim?: boolean;
  /** The codes on the host up to this one are processed. */
  after: string;
  /** Until then no other worker claims it; the removal that has waited longest is next. */
  leaseUntil: Date;
  /** Identifies the lease; each later one has another id. */
  leaseId: string | null;
  /** Steps that failed since the last one that succeeded. */
  failures?: number;
  createdAt: Date;
}

const RETRY_MIN_MS = 5000;
const RETRY_MAX_MS = 600_000;

export class RemovalStore {
  private readonly removals: Model<Removal>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Removal>(
      {
        _id: String,
        workspace: String,
        hostname: String,
        event: Schema.Types.Mixed,
        isLost: Boolean,
        isReclaim: Boolean,
        after: String,
        leaseUntil: Date,
        leaseId: String,
        failures: Number,
        createdAt: Date,
      },
      { minimize: false, versionKey: false },
    );
    schema.index({ leaseUntil: 1 });
    this.removals = db.model<Removal>('DomainRemoval', schema, 'domain_removals');
  }

  /** Idempotent: a removal in progress is left unchanged. */
  async add(removal: Omit<Removal, 'after' | 'leaseUntil' | 'leaseId' | 'createdAt'>): Promise<void> {
    const now = await this.db.now();
    const row = { ...removal, after: '', leaseUntil: now, leaseId: null, createdAt: now };
    try {
      await this.removals.insertMany([row], { lean: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Leases the removal that has waited longest. */
  async claim(leaseMs: number): Promise<Removal | null> {
    const now = await this.db.now();
    return this.removals
      .findOneAndUpdate(
        { leaseUntil: { $lte: now } },
        { $set: { leaseId: randomUUID(), leaseUntil: new Date(now.getTime() + leaseMs) } },
        { sort: { leaseUntil: 1, _id: 1 }, returnDocument: 'after' },
      )
      .lean<Removal>()
      .exec();
  }

  /** Releases the lease; the next worker resumes after `after`. */
  async release({ _id, leaseId }: Removal, after: string): Promise<void> {
    await this.removals.updateOne({ _id, leaseId }, { $set: { after, leaseUntil: await this.db.now(), failures: 0 } });
  }

  /** Releases the lease after a failed step; the delay before the retry grows with each failure. */
  async postpone({ _id, leaseId, failures = 0 }: Removal): Promise<void> {
    const dueInMs = backoffMs(failures, RETRY_MIN_MS, RETRY_MAX_MS);
    const leaseUntil = new Date((await this.db.now()).getTime() + dueInMs);
    await this.removals.updateOne({ _id, leaseId }, { $set: { leaseUntil, failures: failures + 1 } });
  }

  async finish({ _id, leaseId }: Removal): Promise<void> {
    await this.removals.deleteOne({ _id, leaseId });
  }

  /** Returns the age of the oldest removal. */
  async oldestSeconds(): Promise<number> {
    const oldest = await this.removals.findOne({}).sort({ createdAt: 1 }).lean<Removal>();
    return oldest ? (Date.now() - oldest.createdAt.getTime()) / 1000 : 0;
  }
}
