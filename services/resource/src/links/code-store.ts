import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

/** A short code on a host; without a hostname, on the default short host. */
export interface LinkAddress {
  hostname: string | null;
  shortCode: string;
}

/**
 * The owner of a short code on a host. Rows stay: a code that a workspace once had never goes to another workspace,
 * unless the host does.
 */
interface Code {
  /** See `addressKey`. */
  _id: string;
  workspace: string;
  /** The link that has the code; `null` while no link has it. */
  linkId: string | null;
}

/** Owns the codes of erased workspaces: they answer 410, and no workspace gets them. */
export const ERASED_WORKSPACE = '';

export type CodeOwner = Pick<Code, 'workspace' | 'linkId'>;

export interface Claim {
  address: LinkAddress;
  linkId: string;
}

interface NewClaims {
  workspace: string;
  claims: readonly Claim[];
  knownKeys: ReadonlySet<string>;
}

/** Returns `<hostname>/<code>` in lower case: codes are matched case-insensitively. */
export const addressKey = ({ hostname, shortCode }: LinkAddress): string =>
  `${hostname ?? ''}/${shortCode.toLowerCase()}`;

/** The authority on which short codes are taken; within a workspace, an index of `LinkStore` refuses them as well. */
export class CodeStore {
  private readonly codes: Model<Code>;

  constructor(db: Database) {
    const schema = new Schema<Code>({ _id: String, workspace: String, linkId: String });
    // For the erasure of a workspace.
    schema.index({ workspace: 1 });
    this.codes = db.model<Code>('Code', schema, 'codes');
  }

  async findOwner(address: LinkAddress, session?: ClientSession): Promise<CodeOwner | null> {
    return this.codes.findById(addressKey(address), null, { session }).lean<Code>();
  }

  /** Returns the owners of these codes by `addressKey`, without codes that were never assigned. */
  async findOwners(addresses: LinkAddress[], session?: ClientSession): Promise<Map<string, CodeOwner>> {
    if (addresses.length === 0) return new Map();
    const rows = await this.codes.find({ _id: { $in: addresses.map(addressKey) } }, null, { session }).lean<Code[]>();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /**
   * Claims all codes or none. If one is taken, the caller must abort the transaction.
   * @param newClaims with the keys of addresses that have or had an owner, as returned by `findOwners`
   */
  async claimCodes({ workspace, claims, knownKeys }: NewClaims, session: ClientSession): Promise<'claimed' | 'taken'> {
    // The same order everywhere: writers that lock the same rows in different orders would deadlock.
    const codes = claims.map(({ address, linkId }) => ({ _id: addressKey(address), workspace, linkId })).sort(byId);
    for (const { _id, linkId } of codes.filter((code) => knownKeys.has(code._id))) {
      const free = { _id, workspace, linkId: null };
      const { matchedCount } = await this.codes.updateOne(free, { $set: { linkId } }, { session });
      if (matchedCount === 0) return 'taken';
    }
    try {
      const fresh = codes.filter(({ _id }) => !knownKeys.has(_id));
      if (fresh.length > 0) await this.codes.insertMany(fresh, { session, lean: true });
      return 'claimed';
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /** Releases the codes; their workspace can use them again. */
  async releaseCodes(claims: readonly Claim[], session: ClientSession): Promise<void> {
    if (claims.length === 0) return;
    const codes = claims.map(({ address, linkId }) => ({ _id: addressKey(address), linkId })).sort(byId);
    const writes = codes.map((filter) => ({ updateOne: { filter, update: { $set: { linkId: null } } } }));
    await this.codes.bulkWrite(writes, { session, ordered: true });
  }

  /**
   * Returns the next codes on a host, of all workspaces. A query by workspace could read millions of rows to find a
   * few, so the caller filters.
   */
  async findCodesOnHost(hostname: string, after: string, limit: number): Promise<(CodeOwner & { key: string })[]> {
    const rows = await this.codes
      .find({ _id: { ...onHost(hostname), ...(after && { $gt: after }) } })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Code[]>();
    return rows.map(({ _id, workspace, linkId }) => ({ key: _id, workspace, linkId }));
  }

  /** Frees those of this workspace's codes that no link has. */
  async freeCodes(workspace: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.codes.deleteMany({ _id: { $in: keys }, workspace, linkId: null });
  }
}

/** `0` is the character after `/`. */
const onHost = (hostname: string) => ({ $gt: `${hostname}/`, $lt: `${hostname}0` });

const byId = (a: { _id: string }, b: { _id: string }): number => (a._id < b._id ? -1 : 1);
