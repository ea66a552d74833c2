import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Ability } from '@waymark/contract/roles';
import type { Database } from '@waymark/kernel/mongo/database';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';

export interface Token {
  _id: string;
  hash: string;
  prefix: string;
  name: string;
  userId: string;
  workspace: string;
  grants: Ability[];
  /** The full names of the grants, `workspace:<slug>:<ability>`. */
  abilities: string[];
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  createdAt: Date;
  /** A revoked token is kept for a while, to report its further uses to its owners; see `deleteOldRevoked`. */
  revokedAt: Date | null;
  /** The token that minted this one; absent from tokens of 0.1.0, like its ancestors. */
  createdByTokenId?: string | null;
  /** The tokens in its chain of minters that were not revoked when it was minted, itself excluded. */
  ancestorIds?: string[];
}

interface Selection {
  workspace: string;
  id: string;
  /** Only tokens of this user; `undefined` for those of every user. */
  userId: string | undefined;
}

const REVOKED_KEPT_DAYS = 90;
/** Revoked tokens of one user in one workspace that are kept: a program can mint and revoke one every second. */
const REVOKED_KEPT_MAX = 200;
const DELETED_MAX = 1000;

export class TokenStore {
  private readonly tokens: Model<Token>;

  constructor(db: Database) {
    const schema = new Schema<Token>({
      _id: String,
      hash: String,
      prefix: String,
      name: String,
      userId: String,
      workspace: String,
      grants: [String],
      abilities: [String],
      lastUsedAt: Date,
      expiresAt: Date,
      createdAt: Date,
      revokedAt: Date,
      createdByTokenId: String,
      ancestorIds: [String],
    });
    schema.index({ hash: 1 }, { unique: true });
    // Revoked tokens are kept for months: lists and counts do not read them.
    schema.index({ workspace: 1, revokedAt: 1, createdAt: -1, _id: -1 });
    // Finds the revoked tokens of a user from the newest on.
    schema.index({ workspace: 1, userId: 1, revokedAt: -1 });
    schema.index({ ancestorIds: 1 });
    schema.index({ userId: 1 });
    schema.index({ revokedAt: 1 }, { expireAfterSeconds: REVOKED_KEPT_DAYS * 24 * 3600 });
    this.tokens = db.model<Token>('Token', schema, 'tokens');
  }

  async insertToken(token: Token, session: ClientSession): Promise<void> {
    await this.tokens.insertMany([token], { session, lean: true });
  }

  byHash(hash: string): Promise<Token | null> {
    return this.tokens.findOne({ hash }).lean<Token>().exec();
  }

  /** Includes revoked tokens; each with the database's time of the look-up, to check its expiry. */
  findTokensByHash(hashes: string[]): Promise<(Token & { now: Date })[]> {
    return this.tokens.aggregate<Token & { now: Date }>([
      { $match: { hash: { $in: hashes } } },
      { $set: { now: '$$NOW' } },
    ]);
  }

  findToken(id: string, session?: ClientSession): Promise<Token | null> {
    return this.tokens.findById(id, null, { session }).lean<Token>().exec();
  }

  /** Returns those of these tokens that are not revoked, in no order. */
  async findUnrevoked(ids: string[], session: ClientSession): Promise<string[]> {
    const tokens = await this.tokens.find({ _id: { $in: ids }, revokedAt: null }, { _id: 1 }, { session }).lean();
    return tokens.map(({ _id }) => _id);
  }

  /** Newest first; the tokens of one user, or of all. */
  listTokens(workspace: string, userId: string | undefined, page: Page): Promise<PageOf<Token>> {
    return findPage(
      { model: this.tokens, where: { workspace, revokedAt: null, ...(userId !== undefined && { userId }) } },
      page,
    );
  }

  /** Newest first; the tokens of one user, or of all, for some workspaces. */
  listTokensOf(
    { workspaces, userId }: { workspaces: string[]; userId: string | undefined },
    page: Page,
  ): Promise<PageOf<Token>> {
    const where = { workspace: { $in: workspaces }, revokedAt: null, ...(userId !== undefined && { userId }) };
    return findPage({ model: this.tokens, where }, page);
  }

  /** Counts the tokens of all users that are not revoked. */
  countTokens(workspace: string, session?: ClientSession): Promise<number> {
    return this.tokens.countDocuments({ workspace, revokedAt: null }, { session }).exec();
  }

  /** Skips deleted tokens, and those marked less than `intervalMs` before. */
  async markUsed(uses: { id: string; at: Date }[], intervalMs: number): Promise<void> {
    const updates = uses.map(({ id, at }) => ({
      updateOne: {
        filter: {
          _id: id,
          $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: new Date(at.getTime() - intervalMs) } }],
        },
        update: { $set: { lastUsedAt: at } },
      },
    }));
    await this.tokens.bulkWrite(updates, { ordered: false });
  }

  /** @returns the token, or `null` when there was none to revoke */
  revokeToken({ workspace, id, userId }: Selection, session: ClientSession): Promise<Token | null> {
    return this.tokens
      .findOneAndUpdate(
        { _id: id, workspace, revokedAt: null, ...(userId !== undefined && { userId }) },
        { $set: { revokedAt: new Date() } },
        { session },
      )
      .lean<Token>()
      .exec();
  }

  /**
   * Deletes the revoked tokens of the user beyond the newest ones, so that a member can neither fill the database nor
   * displace the revoked tokens of other members.
   */
  async deleteOldRevoked(workspace: string, userId: string, session: ClientSession): Promise<void> {
    const oldest = await this.tokens
      .find({ workspace, userId, revokedAt: { $ne: null } }, { _id: 1 }, { session })
      .sort({ revokedAt: -1 })
      .skip(REVOKED_KEPT_MAX)
      .limit(DELETED_MAX)
      .lean();
    if (oldest.length > 0) await this.tokens.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } }, { session });
  }

  /**
   * Returns every token that this one minted, directly or through others, and that is not revoked; oldest first. The
   * token itself may have been deleted.
   */
  findDescendants({ workspace, id, userId }: Selection, session?: ClientSession): Promise<Token[]> {
    const where = { workspace, ancestorIds: id, revokedAt: null, ...(userId !== undefined && { userId }) };
    return this.tokens.find(where, null, { session }).sort({ createdAt: 1, _id: 1 }).lean<Token[]>().exec();
  }

  /**
   * Revokes the descendants of a token. Call it after `lockMembers`, so that none is minted meanwhile. The cap of a
   * workspace bounds their number. @returns the revoked tokens, oldest first
   */
  async revokeDescendants(selection: Selection, session: ClientSession): Promise<Token[]> {
    const descendants = await this.findDescendants(selection, session);
    const ids = descendants.map(({ _id }) => _id);
    await this.tokens.updateMany({ _id: { $in: ids } }, { $set: { revokedAt: new Date() } }, { session });
    return descendants;
  }

  /** Revokes every token of the user for this workspace. @returns how many */
  async revokeTokensOfUser(workspace: string, userId: string, session: ClientSession): Promise<number> {
    const filter = { workspace, userId, revokedAt: null };
    const { modifiedCount } = await this.tokens.updateMany(filter, { $set: { revokedAt: new Date() } }, { session });
    return modifiedCount;
  }

  /** Revokes every token of the user, in all workspaces. Call it after `lockMembers` of each. @returns the revoked tokens */
  async revokeEveryTokenOfUser(userId: string, session: ClientSession): Promise<Token[]> {
    const tokens = await this.tokens.find({ userId, revokedAt: null }, null, { session }).lean<Token[]>();
    const ids = tokens.map(({ _id }) => _id);
    await this.tokens.updateMany({ _id: { $in: ids } }, { $set: { revokedAt: new Date() } }, { session });
    return tokens;
  }

  /** Counts the tokens of the user that work, in all workspaces. */
  countLiveTokens(userId: string, now: Date, session?: ClientSession): Promise<number> {
    const isLive = { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
    return this.tokens.countDocuments({ userId, ...isLive }, { session }).exec();
  }

  /** Deletes the tokens of a workspace, or of a user in every one. */
  async deleteTokens(filter: { workspace: string } | { userId: string }, session: ClientSession): Promise<number> {
    return (await this.tokens.deleteMany(filter, { session })).deletedCount;
  }
}
