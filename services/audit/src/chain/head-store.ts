import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { z } from 'zod';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { Anchor, AnchorKeys } from './anchor-keys.js';
import { ChainsBlocked, EMPTY_HEAD, type Head } from './chain.js';

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

const headSchema = z
  .object({ seq: z.int().nonnegative(), hash: z.string().regex(/^[0-9a-f]{64}$/) })
  .refine(({ seq, hash }) => seq > 0 || hash === EMPTY_HEAD.hash);

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
    this.heads = db.model<HeadRow>('Head', schema, 'heads');
    if (signExisting) db.upgradeBy(this.heads, (heads) => signUnsigned(heads, keys, signExisting.log));
  }

  /** @returns `null` when the stored row is not a valid head */
  async headOf(workspace: string, session?: ClientSession): Promise<StoredHead | null> {
    const row = await this.heads.findById(workspace, null, { session }).lean<HeadRow>();
    return row ? this.parseHead(row) : { ...EMPTY_HEAD, isSigned: true };
  }

  /**
   * Locks these chains against other appends until the transaction ends.
   * @throws ChainsBlocked when a head is invalid or unsigned: signing its successor would vouch for it
   */
  async lockHeads(workspaces: string[], session: ClientSession): Promise<Map<string, Head>> {
    // Same order everywhere: two writers that lock the same heads in different orders would deadlock.
    const ids = workspaces.toSorted();
    const update = { $set: { turn: randomUUID() } };
    const lock = (_id: string) => ({ updateOne: { filter: { _id }, update, upsert: true } });
    const { upsertedIds } = await this.heads.bulkWrite(ids.map(lock), { session, ordered: true });
    const created = new Set<unknown>(Object.values(upsertedIds));
    const rows = await this.heads.find({ _id: { $in: ids } }, null, { session }).lean<HeadRow[]>();
    const locked = new Map<string, Head>();
    const blocked: string[] = [];
    for (const row of rows) {
      const head = created.has(row._id) ? { ...EMPTY_HEAD, isSigned: true } : this.parseHead(row);
      if (head?.isSigned) locked.set(row._id, { seq: head.seq, hash: head.hash });
      else blocked.push(row._id);
    }
    if (blocked.length > 0) throw new ChainsBlocked(blocked);
    return locked;
  }

  /** @returns the signed heads */
  async storeHeads(heads: Map<string, Head>, session: ClientSession): Promise<Map<string, Anchor>> {
    const anchors = new Map([...heads].map(([workspace, head]) => [workspace, this.keys.signHead(workspace, head)]));
    const moves = [...anchors].map(([_id, anchor]) => ({ updateOne: { filter: { _id }, update: { $set: anchor } } }));
    await this.heads.bulkWrite(moves, { session, ordered: true });
    return anchors;
  }

  private parseHead(row: HeadRow): StoredHead | null {
    const head = headSchema.safeParse(row).data;
    return head ? { ...head, isSigned: this.keys.isSigned(row._id, { ...row, ...head }) } : null;
  }
}

/** Skips a head that changes meanwhile; the next start signs it. */
async function signUnsigned(heads: Model<HeadRow>, keys: AnchorKeys, log: Log): Promise<void> {
  let signed = 0;
  for await (const row of heads
    .find({ signature: { $exists: false } })
    .lean<HeadRow>()
    .cursor()) {
    const head = headSchema.safeParse(row).data;
    if (!head) continue;
    const unsigned = { _id: row._id, ...head, signature: { $exists: false } };
    signed += (await heads.updateOne(unsigned, { $set: keys.signHead(row._id, head) })).modifiedCount;
  }
  log.warn({ signed }, 'ends of audit logs signed as they were found: unset AUDIT_SIGN_EXISTING');
}
