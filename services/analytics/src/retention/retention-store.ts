import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';

interface Retention {
  /** The workspace. */
  _id: string;
  keptFrom: Date;
}

/** From when on the rows of a workspace's scans are kept; earlier ones are gone, or about to be. */
export class RetentionStore {
  private readonly retentions: Model<Retention>;

  constructor(db: Database) {
    this.retentions = db.model('Retention', new Schema<Retention>({ _id: String, keptFrom: Date }), 'retentions');
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
}
