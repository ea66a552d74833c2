import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

/** A short code on a host; without a hostname, on the default short host. */
export interface Place {
  hostname: string | null;
  shortCode: string;
}

/**
 * The owner of a short code on a host. Rows stay: a code that a workspace once had never goes to another workspace,
 * unless the host does.
 */
interface Code {
  /** See `placeKey`. */
  _id: string;
  workspace: string;
  /** The link that has the code; `null` while no link has it. */
  linkId: string | null;
}

export type Holder = Pick<Code, 'workspace' | 'linkId'>;

export interface Claim {
  place: Place;
  linkId: string;
}

/** Returns `<hostname>/<code>` in lower case: codes are matched case-insensitively. */
export const placeKey = ({ hostname, shortCode }: Place): string => `${hostname ?? ''}/${shortCode.toLowerCase()}`;

/** The only authority on which short codes are taken. */
export class CodeStore {
  private readonly codes: Model<Code>;

  constructor(db: Database) {
    const schema = new Schema<Code>({ _id: String, workspace: String, linkId: String });
    this.codes = db.model<Code>('Code', schema, 'codes');
  }

  async holderOf(place: Place, session?: ClientSession): Promise<Holder | null> {
    return this.codes.findById(placeKey(place), null, { session }).lean<Code>();
  }

  /** Returns the holders of these codes by `placeKey`, without codes that were never assigned. */
  async holdersOf(places: Place[], session?: ClientSession): Promise<Map<string, Holder>> {
    if (places.length === 0) return new Map();
    const rows = await this.codes.find({ _id: { $in: places.map(placeKey) } }, null, { session }).lean<Code[]>();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /**
   * Claims all codes or none. If one is taken, the caller must abort the transaction.
   * @param known keys of places that have or had a holder, as returned by `holdersOf`
   */
  async claim(
    workspace: string,
    claims: readonly Claim[],
    known: ReadonlySet<string>,
    session: ClientSession,
  ): Promise<'claimed' | 'taken'> {
    // The same order everywhere: writers that lock the same rows in different orders would deadlock.
    const codes = claims.map(({ place, linkId }) => ({ _id: placeKey(place), workspace, linkId })).sort(byId);
    for (const { _id, linkId } of codes.filter((code) => known.has(code._id))) {
      const free = { _id, workspace, linkId: null };
      const { matchedCount } = await this.codes.updateOne(free, { $set: { linkId } }, { session });
      if (matchedCount === 0) return 'taken';
    }
    try {
      const fresh = codes.filter(({ _id }) => !known.has(_id));
      if (fresh.length > 0) await this.codes.insertMany(fresh, { session, lean: true });
      return 'claimed';
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /** Releases the codes; their workspace can use them again. */
  async release(claims: readonly Claim[], session: ClientSession): Promise<void> {
    if (claims.length === 0) return;
    const codes = claims.map(({ place, linkId }) => ({ _id: placeKey(place), linkId })).sort(byId);
    const writes = codes.map((filter) => ({ updateOne: { filter, update: { $set: { linkId: null } } } }));
    await this.codes.bulkWrite(writes, { session, ordered: true });
  }

  /**
   * Returns the next codes on a host, of all workspaces. A query by workspace could read millions of rows to find a
   * few, so the caller filters.
   */
  async pageAtHost(hostname: string, after: string, limit: number): Promise<(Holder & { key: string })[]> {
    const rows = await this.codes
      .find({ _id: { ...onHost(hostname), ...(after && { $gt: after }) } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Code[]>();
    return rows.map(({ _id, workspace, linkId }) => ({ key: _id, workspace, linkId }));
  }

  /** Frees those of this workspace's codes that no link has. */
  async forget(workspace: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.codes.deleteMany({ _id: { $in: keys }, workspace, linkId: null });
  }
}

/** `0` is the character after `/`. */
const onHost = (hostname: string) => ({ $gt: `${hostname}/`, $lt: `${hostname}0` });

const byId = (a: { _id: string }, b: { _id: string }): number => (a._id < b._id ? -1 : 1);
