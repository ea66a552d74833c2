import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';

/** A deleted tag or folder, which its links are to lose. */
export interface Detachment {
  workspace: string;
  field: 'tagIds' | 'folderId';
  id: string;
}

/** A deleted tag or folder: earlier changes of links that name it may still arrive. */
interface DeletedContainer {
  _id: string;
  deletedAt: Date;
  /** Present as long as links may have it. `dueAt` is the end of the lease while a worker detaches links. */
  detachment?: Omit<Detachment, 'id'> & { dueAt: Date };
}

/** Longer than a message can be in the queue. */
const DELETED_TTL_SECONDS = 90 * 24 * 3600;

/** Notes of deleted tags and folders, and the work that is left for them. */
export class DeletedContainers {
  private readonly containers: Model<DeletedContainer>;

  constructor(private readonly db: Database) {
    const schema = new Schema<DeletedContainer>({ _id: String, deletedAt: Date, detachment: Schema.Types.Mixed });
    schema.index({ deletedAt: 1 }, { expireAfterSeconds: DELETED_TTL_SECONDS });
    schema.index({ 'detachment.dueAt': 1 });
    // For erasures; finished detachments, which are most of the documents, have none.
    schema.index({ 'detachment.workspace': 1 }, { sparse: true });
    this.containers = db.model<DeletedContainer>('DeletedHolder', schema, 'deleted_holders');
  }

  /** Notes a deletion, and queues its detachment. */
  async addDeletion({ workspace, field, id }: Detachment): Promise<void> {
    const now = await this.db.now();
    const detachment = { workspace, field, dueAt: now };
    await this.containers.updateOne(
      { _id: id },
      { $set: { detachment }, $setOnInsert: { deletedAt: now } },
      { upsert: true },
    );
  }

  /** Returns those of the ids that are deleted. */
  async findDeleted(ids: string[]): Promise<string[]> {
    const found = await this.containers.find({ _id: { $in: ids } }, { _id: 1 }).lean<Pick<DeletedContainer, '_id'>[]>();
    return found.map(({ _id }) => _id);
  }

  /** Leases the detachment that has waited longest. */
  async claimDetachment(leaseMs: number): Promise<Detachment | null> {
    const now = await this.db.now();
    const container = await this.containers
      .findOneAndUpdate(
        { 'detachment.dueAt': { $lte: now } },
        { $set: { 'detachment.dueAt': new Date(now.getTime() + leaseMs) } },
        { sort: { 'detachment.dueAt': 1 } },
      )
      .lean<Required<DeletedContainer>>();
    if (!container) return null;
    const { workspace, field } = container.detachment;
    return { workspace, field, id: container._id };
  }

  /** Queues a detachment behind those that have waited longer. */
  async requeueDetachment({ id }: Detachment): Promise<void> {
    const change = { $set: { 'detachment.dueAt': await this.db.now() } };
    await this.containers.updateOne({ _id: id, detachment: { $exists: true } }, change);
  }

  async finishDetachment({ id }: Detachment): Promise<void> {
    await this.containers.updateOne({ _id: id }, { $unset: { detachment: true } });
  }
}
