import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { EMPTY, type Head } from './chain.js';

interface HeadRow extends Partial<Head> {
  /** The workspace. */
  _id: string;
  /** Grows with each append: what makes appends to one chain follow each other. */
  appends: number;
}

/** Where each chain ends, apart from the entries: the loss of the last of them shows. */
export class HeadStore {
  private readonly heads: Model<HeadRow>;

  constructor(db: Database) {
    const schema = new Schema<HeadRow>({ _id: String, appends: Number, seq: Number, hash: String });
    this.heads = db.model<HeadRow>('Head', schema, 'heads');
  }

  async of(workspace: string, session?: ClientSession): Promise<Head> {
    return headOf(await this.heads.findById(workspace, null, { session }).lean<HeadRow>());
  }

  /** Until the transaction ends nobody else appends to these chains. */
  async lock(workspaces: string[], session: ClientSession): Promise<Map<string, Head>> {
    // One order everywhere: two writers that lock the same heads in different orders would block each other.
    const ids = workspaces.toSorted();
    const lock = (_id: string) => ({ updateOne: { filter: { _id }, update: { $inc: { appends: 1 } }, upsert: true } });
    await this.heads.bulkWrite(ids.map(lock), { session, ordered: true });
    const rows = await this.heads.find({ _id: { $in: ids } }, null, { session }).lean<HeadRow[]>();
    return new Map(rows.map((row) => [row._id, headOf(row)]));
  }

  async move(heads: Map<string, Head>, session: ClientSession): Promise<void> {
    const moves = [...heads].map(([_id, { seq, hash }]) => ({
      updateOne: { filter: { _id }, update: { $set: { seq, hash } } },
    }));
    await this.heads.bulkWrite(moves, { session, ordered: true });
  }
}

function headOf(row: HeadRow | null): Head {
  return row?.seq === undefined || row.hash === undefined ? EMPTY : { seq: row.seq, hash: row.hash };
}
