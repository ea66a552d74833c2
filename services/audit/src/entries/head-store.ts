import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { z } from 'zod';
import type { Database } from '@waymark/shared/kernel/database';
import { ChainsBlocked, EMPTY, type Head } from './chain.js';

interface HeadRow extends Partial<Head> {
  /** The workspace. */
  _id: string;
  /** Another with each append: what makes appends to one chain follow each other. */
  turn: string;
}

const head = z
  .object({ seq: z.int().nonnegative(), hash: z.string().regex(/^[0-9a-f]{64}$/) })
  .refine(({ seq, hash }) => seq > 0 || hash === EMPTY.hash);

/** Where each chain ends, apart from the entries: the loss of the last of them shows. */
export class HeadStore {
  private readonly heads: Model<HeadRow>;

  constructor(db: Database) {
    const schema = new Schema<HeadRow>({ _id: String, turn: String, seq: Number, hash: String });
    this.heads = db.model<HeadRow>('Head', schema, 'heads');
  }

  /** `null` where what somebody has made of it in the database cannot be the end of a chain. */
  async of(workspace: string, session?: ClientSession): Promise<Head | null> {
    return headOf(await this.heads.findById(workspace, null, { session }).lean<HeadRow>());
  }

  /** Until the transaction ends nobody else appends to these chains. @throws ChainsBlocked */
  async lock(workspaces: string[], session: ClientSession): Promise<Map<string, Head>> {
    // One order everywhere: two writers that lock the same heads in different orders would block each other.
    const ids = workspaces.toSorted();
    const update = { $set: { turn: randomUUID() } };
    const lock = (_id: string) => ({ updateOne: { filter: { _id }, update, upsert: true } });
    await this.heads.bulkWrite(ids.map(lock), { session, ordered: true });
    const rows = await this.heads.find({ _id: { $in: ids } }, null, { session }).lean<HeadRow[]>();
    const ends = new Map<string, Head>();
    const blocked: string[] = [];
    for (const row of rows) {
      const end = headOf(row);
      if (end) ends.set(row._id, end);
      else blocked.push(row._id);
    }
    if (blocked.length > 0) throw new ChainsBlocked(blocked);
    return ends;
  }

  async move(heads: Map<string, Head>, session: ClientSession): Promise<void> {
    const moves = [...heads].map(([_id, { seq, hash }]) => ({
      updateOne: { filter: { _id }, update: { $set: { seq, hash } } },
    }));
    await this.heads.bulkWrite(moves, { session, ordered: true });
  }
}

function headOf(row: HeadRow | null): Head | null {
  if (row?.seq === undefined && row?.hash === undefined) return EMPTY;
  return head.safeParse(row).data ?? null;
}
