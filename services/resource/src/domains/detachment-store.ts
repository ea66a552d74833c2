import { randomUUID } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { backoffMs } from '@waymark/kernel/async/backoff';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

/** A domain that was deleted, or lost its host to another workspace, and whose links must still move. */
export interface Detachment {
  /** The id of the domain; for a lost host, derived from the new owner's domain: see `reclaimBatch`. */
  _id: string;
  workspace: string;
  hostname: string;
  /** The context of the deletion: every moved link's event names the user who deleted the domain. */
  event: EventContext & { workspace: string };
  /** Another workspace has the host: while it does, every link moves and no code on it is kept. */
  isLost?: boolean;
  /** This workspace has the host: the worker must still start detachments for the workspaces that had it. */
  isReclaim?: boolean;
  /** The codes on the host up to this one are processed. */
  after: string;
  /** Until then no other worker claims it; the detachment that has waited longest is next. */
  leaseUntil: Date;
  /** Identifies the lease; each later one has another id. */
  leaseId: string | null;
  /** Steps that failed since the last one that succeeded. */
  failures?: number;
  createdAt: Date;
}

const RETRY_MIN_MS = 5000;
const RETRY_MAX_MS = 600_000;

export class DetachmentStore {
  private readonly detachments: Model<Detachment>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Detachment>(
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
    this.detachments = db.model<Detachment>('DomainRemoval', schema, 'domain_removals');
  }

  /** Idempotent: a detachment in progress is left unchanged. */
  async addDetachment(detachment: Omit<Detachment, 'after' | 'leaseUntil' | 'leaseId' | 'createdAt'>): Promise<void> {
    const now = await this.db.now();
    const row = { ...detachment, after: '', leaseUntil: now, leaseId: null, createdAt: now };
    try {
      await this.detachments.insertMany([row], { lean: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Leases the detachment that has waited longest. */
  async claimDetachment(leaseMs: number): Promise<Detachment | null> {
    const now = await this.db.now();
    return this.detachments
      .findOneAndUpdate(
        { leaseUntil: { $lte: now } },
        { $set: { leaseId: randomUUID(), leaseUntil: new Date(now.getTime() + leaseMs) } },
        { sort: { leaseUntil: 1, _id: 1 }, returnDocument: 'after' },
      )
      .lean<Detachment>()
      .exec();
  }

  /** Releases the lease; the next worker resumes after `after`. */
  async releaseDetachment({ _id, leaseId }: Detachment, after: string): Promise<void> {
    await this.detachments.updateOne(
      { _id, leaseId },
      { $set: { after, leaseUntil: await this.db.now(), failures: 0 } },
    );
  }

  /** Releases the lease after a failed step; the delay before the retry grows with each failure. */
  async postponeDetachment({ _id, leaseId, failures = 0 }: Detachment): Promise<void> {
    const dueInMs = backoffMs(failures, RETRY_MIN_MS, RETRY_MAX_MS);
    const leaseUntil = new Date((await this.db.now()).getTime() + dueInMs);
    await this.detachments.updateOne({ _id, leaseId }, { $set: { leaseUntil, failures: failures + 1 } });
  }

  async finishDetachment({ _id, leaseId }: Detachment): Promise<void> {
    await this.detachments.deleteOne({ _id, leaseId });
  }

  /** Returns the age of the oldest detachment. */
  async findOldestAgeSeconds(): Promise<number> {
    const oldest = await this.detachments.findOne({}).sort({ createdAt: 1 }).lean<Detachment>();
    return oldest ? (Date.now() - oldest.createdAt.getTime()) / 1000 : 0;
  }
}
