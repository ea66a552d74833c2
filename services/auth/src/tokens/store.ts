import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Ability } from '@waymark/shared/contract/roles';
import type { Database } from '@waymark/shared/kernel/database';

export interface Token {
  _id: string;
  hash: string;
  prefix: string;
  name: string;
  userId: string;
  workspace: string;
  grants: Ability[];
  /** The grants by their full names, `workspace:<slug>:<ability>`. */
  abilities: string[];
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  createdAt: Date;
}

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
    });
    schema.index({ hash: 1 }, { unique: true });
    schema.index({ workspace: 1, createdAt: -1 });
    this.tokens = db.model<Token>('Token', schema, 'tokens');
  }

  async insert(token: Token, session: ClientSession): Promise<void> {
    await this.tokens.insertMany([token], { session, lean: true });
  }

  byHash(hash: string): Promise<Token | null> {
    return this.tokens.findOne({ hash }).lean<Token>().exec();
  }

  /** Each with the database's time of the look-up, by which it expires. */
  byHashes(hashes: string[]): Promise<(Token & { now: Date })[]> {
    return this.tokens.aggregate<Token & { now: Date }>([
      { $match: { hash: { $in: hashes } } },
      { $set: { now: '$$NOW' } },
    ]);
  }

  byId(id: string): Promise<Token | null> {
    return this.tokens.findById(id).lean<Token>().exec();
  }

  /** Newest first; of one user, or of everybody. */
  list(workspace: string, userId?: string): Promise<Token[]> {
    return this.tokens
      .find({ workspace, ...(userId !== undefined && { userId }) })
      .sort({ createdAt: -1, _id: -1 })
      .lean<Token[]>()
      .exec();
  }

  /** Leaves out tokens that are gone, and those marked less than `intervalMs` before. */
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

  /** @returns the token that is gone, or `null` when there was none to delete. */
  delete(workspace: string, id: string, userId: string | undefined, session: ClientSession): Promise<Token | null> {
    return this.tokens
      .findOneAndDelete({ _id: id, workspace, ...(userId !== undefined && { userId }) }, { session })
      .lean<Token>()
      .exec();
  }

  /** Every token that the user has for this workspace. @returns how many. */
  async deleteOf(workspace: string, userId: string, session: ClientSession): Promise<number> {
    const { deletedCount } = await this.tokens.deleteMany({ workspace, userId }, { session });
    return deletedCount;
  }
}
