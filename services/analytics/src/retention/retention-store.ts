import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';

export interface Retention {
  /** The workspace. */
  _id: string;
  keptFrom: Date;
  /** Up to when the warehouse was told to delete its scans. */
  expiredUntil?: Date;
}

/** From when on the rows of a workspace's scans are kept; earlier ones are gone, or about to be. */
export class RetentionStore {
  private readonly retentions: Model<Retention>;

  constructor(db: Database) {
    const schema = new Schema<Retention>({ _id: String, keptFrom: Date, expiredUntil: Date });
    this.retentions = db.model('Retention', schema, 'retentions');
  }

  /** `null` while all are. */
  async keptFrom(workspace: string, session?: ClientSession): Promise<Date | null> {
    const retention = await this.retentions.findById(workspace, null, { session }).lean<Retention>();
    return retention?.keptFrom ?? null;
  }

  /** Of those workspaces that do not keep all. */
  async keptFroms(workspaces: string[], session: ClientSession): Promise<Map<string, Date>> {
    const rows = await this.retentions
      .find({ _id: { $in: workspaces } }, null, { session })
      .lean<Retention[]>()
      .exec();
    return new Map(rows.map(({ _id, keptFrom }) => [_id, keptFrom]));
  }

  /** What is once given up does not come back with a longer retention. */
  async keepFrom(workspace: string, from: Date): Promise<void> {
    await this.retentions.updateOne({ _id: workspace }, { $max: { keptFrom: from } }, { upsert: true });
  }

  /** Some workspaces of which the warehouse still has expired scans. */
  notExpired(limit: number): Promise<Retention[]> {
    const isBehind = { $expr: { $lt: [{ $ifNull: ['$expiredUntil', new Date(0)] }, '$keptFrom'] } };
    return this.retentions.find(isBehind).limit(limit).lean<Retention[]>().exec();
  }

  async recordExpired(retentions: readonly Retention[]): Promise<void> {
    if (retentions.length === 0) return;
    const updates = retentions.map(({ _id, keptFrom }) => ({
      updateOne: { filter: { _id }, update: { $max: { expiredUntil: keptFrom } } },
    }));
    await this.retentions.bulkWrite(updates, { ordered: false });
  }
}
