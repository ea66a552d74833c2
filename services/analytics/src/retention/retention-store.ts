import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';

export interface Retention {
  /** The workspace. */
  _id: string;
  keptFrom?: Date;
  /** The ledger has no scans from before this time. */
  ledgerFrom?: Date;
  /** Expired scans before this time are deleted from the warehouse. */
  expiredUntil?: Date;
}

/** A retention with expired scans. */
export type ExpiredRetention = Retention & Required<Pick<Retention, 'keptFrom'>>;

/** Stores the time from which a workspace's scans are kept; earlier ones are deleted, or will be soon. */
export class RetentionStore {
  private readonly retentions: Model<Retention>;

  constructor(db: Database) {
    const schema = new Schema<Retention>({ _id: String, keptFrom: Date, ledgerFrom: Date, expiredUntil: Date });
    this.retentions = db.model('Retention', schema, 'retentions');
  }

  /** @returns `null` while all are kept */
  async keptFrom(workspace: string, session?: ClientSession): Promise<Date | null> {
    const retention = await this.retentions.findById(workspace, null, { session }).lean<Retention>();
    return retention?.keptFrom ?? null;
  }

  /** Returns `ledgerFrom` of the workspaces that have one. */
  async ledgerFromByWorkspace(workspaces: string[], session: ClientSession): Promise<Map<string, Date>> {
    const rows = await this.retentions
      .find({ _id: { $in: workspaces } }, null, { session })
      .lean<Retention[]>()
      .exec();
    return new Map(rows.map((retention) => [retention._id, ledgerFromOf(retention)]));
  }

  /** Never moves backwards: a longer retention does not restore deleted scans. */
  async raiseKeptFrom(workspace: string, from: Date): Promise<void> {
    await this.retentions.updateOne({ _id: workspace }, { $max: { keptFrom: from } }, { upsert: true });
  }

  /** Returns the time from which the ledger has the scans of a workspace, or `null` while it has all. */
  async ledgerFrom(workspace: string): Promise<Date | null> {
    const retention = await this.retentions.findById(workspace).lean<Retention>();
    return retention && ledgerFromOf(retention);
  }

  /** Never moves backwards, like `raiseKeptFrom`. */
  async raiseLedgerFrom(workspace: string, from: Date): Promise<void> {
    await this.retentions.updateOne({ _id: workspace }, { $max: { ledgerFrom: from } }, { upsert: true });
  }

  /** Finds some workspaces behind one, by name, whose expired scans are still in the warehouse. */
  retentionsToExpire(after: string, limit: number): Promise<ExpiredRetention[]> {
    const isBehind = { $expr: { $lt: [{ $ifNull: ['$expiredUntil', new Date(0)] }, '$keptFrom'] } };
    return this.retentions
      .find({ _id: { $gt: after }, ...isBehind })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<ExpiredRetention[]>()
      .exec();
  }

  async recordExpired(retentions: readonly ExpiredRetention[]): Promise<void> {
    if (retentions.length === 0) return;
    const updates = retentions.map(({ _id, keptFrom }) => ({
      updateOne: { filter: { _id }, update: { $max: { expiredUntil: keptFrom } } },
    }));
    await this.retentions.bulkWrite(updates, { ordered: false });
  }
}

function ledgerFromOf({ keptFrom, ledgerFrom }: Retention): Date {
  return new Date(Math.max(keptFrom?.getTime() ?? 0, ledgerFrom?.getTime() ?? 0));
}
