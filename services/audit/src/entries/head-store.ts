import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { z } from 'zod';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { Anchor, AnchorKeys } from './anchor.js';
import { ChainsBlocked, EMPTY, type Head } from './chain.js';

interface HeadRow extends Partial<Anchor> {
  /** The workspace. */
  _id: string;
  /** A new random value with each append: the write conflict serializes appends to one chain. */
  turn: string;
}

/** The head of a chain as it is stored. */
export interface StoredHead extends Head {
  /** Also true for a log without entries, which has no stored head. */
  isSigned: boolean;
}

const head = z
  .object({ seq: z.int().nonnegative(), hash: z.string().regex(/^[0-9a-f]{64}$/) })
  .refine(({ seq, hash }) => seq > 0 || hash === EMPTY.hash);

/** Stores the signed head of each chain apart from its entries, so that the loss of the last entries is detected. */
export class HeadStore {
  private readonly heads: Model<HeadRow>;

  /** @param signExisting for one start after an upgrade from a version without signatures: signs the existing heads */
  constructor(
    db: Database,
    private readonly keys: AnchorKeys,
    signExisting?: { log: Log },
  ) {
    const schema = new Schema<HeadRow>({
      _id: String,
      turn: String,
      seq: Number,
      hash: String,
      signedAt: String,
      signature: String,
    });
    const upgrade = signExisting && ((heads: Model<HeadRow>) => signUnsigned(heads, keys, signExisting.log));
    this.heads = db.model<HeadRow>('Head', schema, 'heads', upgrade);
  }

  /** @returns `null` when the stored row is not a valid head */
  async of(workspace: string, session?: ClientSession): Promise<StoredHead | null> {
    const row = await this.heads.findById(workspace, null, { session }).lean<HeadRow>();
    return row ? this.read(row) : { ...EMPTY, isSigned: true };
  }

  /**
   * Locks these chains against other appends until the transaction ends.
   * @throws ChainsBlocked when a head is invalid or unsigned: signing its successor would vouch for it
   */
  async lock(workspaces: string[], session: ClientSession): Promise<Map<string, Head>> {
    // Same order everywhere: two writers that lock the same heads in different orders would deadlock.
    const ids = workspaces.toSorted();
    const update = { $set: { turn: randomUUID() } };
    const lock = (_id: string) => ({ updateOne: { filter: { _id }, update, upsert: true } });
    const { upsertedIds } = await this.heads.bulkWrite(ids.map(lock), { session, ordered: true });
    const created = new Set<unknown>(Object.values(upsertedIds));
    const rows = await this.heads.find({ _id: { $in: ids } }, null, { session }).lean<HeadRow[]>();
    const ends = new Map<string, Head>();
    const blocked: string[] = [];
    for (const row of rows) {
      const end = created.has(row._id) ? { ...EMPTY, isSigned: true } : this.read(row);
      if (end?.isSigned) ends.set(row._id, { seq: end.seq, hash: end.hash });
      else blocked.push(row._id);
    }
    if (blocked.length > 0) throw new ChainsBlocked(blocked);
    return ends;
  }

  /** @returns the signed heads */
  async move(heads: Map<string, Head>, session: ClientSession): Promise<Map<string, Anchor>> {
    const anchors = new Map([...heads].map(([workspace, end]) => [workspace, this.keys.sign(workspace, end)]));
    const moves = [...anchors].map(([_id, anchor]) => ({ updateOne: { filter: { _id }, update: { $set: anchor } } }));
    await this.heads.bulkWrite(moves, { session, ordered: true });
    return anchors;
  }

  private read(row: HeadRow): StoredHead | null {
    const end = head.safeParse(row).data;
    return end ? { ...end, isSigned: this.keys.isSigned(row._id, { ...row, ...end }) } : null;
  }
}

/** Skips a head that changes meanwhile; the next start signs it. */
async function signUnsigned(heads: Model<HeadRow>, keys: AnchorKeys, log: Log): Promise<void> {
  let signed = 0;
  for await (const row of heads
    .find({ signature: { $exists: false } })
    .lean<HeadRow>()
    .cursor()) {
    const end = head.safeParse(row).data;
    if (!end) continue;
    const unsigned = { _id: row._id, ...end, signature: { $exists: false } };
    signed += (await heads.updateOne(unsigned, { $set: keys.sign(row._id, end) })).modifiedCount;
  }
  log.warn({ signed }, 'ends of audit logs signed as they were found: unset AUDIT_SIGN_EXISTING');
}
