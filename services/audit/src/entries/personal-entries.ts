import type { Model, Schema } from 'mongoose';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import type { Entry } from '../chain/entry.js';
import { ownTokenOf } from '../chain/redaction.js';

const TOKENS_AT_ONCE = 500;
/** Entries in one reply of the database, which is decoded in one turn; an entry may have 58 kB. */
const ENTRIES_PER_REPLY = 100;

/** Adds the indexes that find the entries of a user in every log: redacted entries are beside the others, not among them. */
export function addPersonalIndexes<E extends Entry>(schema: Schema<E>): void {
  schema.index({ 'actor.id': 1, 'actor.name': 1, 'actor.email': 1, ipAddress: 1 });
  schema.index({ 'target.id': 1, 'target.label': 1, ipAddress: 1 });
  schema.index({ 'target.label': 1 }, { partialFilterExpression: { 'target.type': 'invitation' } });
}

/** Finds the entries of a collection that hold personal data of a user. */
export class PersonalEntries<E extends Entry> {
  /** @param longRunning reads the same collection without a time limit */
  constructor(
    private readonly entries: Model<E>,
    private readonly longRunning: () => Model<E>,
  ) {}

  /** Returns entries with personal data of this user, in any log. */
  async findEntries({ userId, email }: { userId: string; email: string | undefined }, limit: number): Promise<E[]> {
    const byUser = withAnyOf({ 'actor.id': userId }, ['actor.name', 'actor.email', 'ipAddress']);
    const aboutUser = withAnyOf({ 'target.id': userId }, ['target.label', 'ipAddress']);
    const invitations = email === undefined ? [] : [invitationsTo(email)];
    for (const filter of [...byUser, ...aboutUser, ...invitations]) {
      const found = await this.entries.find(filter).limit(limit).lean<E[]>();
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Yields the ids of the tokens that this user created or acted with, as the entries in any log show them. */
  async *ownTokenIds(userId: string): AsyncGenerator<string[]> {
    const showsToken = [{ action: 'token.created' }, { 'actor.token_id': { $ne: null } }];
    const cursor = this.longRunning()
      .find({ 'actor.id': userId, $or: showsToken })
      .lean<E>()
      .cursor({ batchSize: ENTRIES_PER_REPLY });
    const tokenIds = new Set<string>();
    for await (const row of cursor) {
      tokenIds.add(ownTokenOf(row)!);
      if (tokenIds.size < TOKENS_AT_ONCE) continue;
      yield [...tokenIds];
      tokenIds.clear();
    }
    yield [...tokenIds];
  }

  /** Returns entries in any log that name one of these tokens. */
  findTokenNames(tokenIds: string[], limit: number): Promise<E[]> {
    const filter = { 'target.id': { $in: tokenIds }, 'target.type': 'token', 'target.label': { $ne: null } };
    return this.entries.find(filter).limit(limit).lean<E[]>().exec();
  }
}

/**
 * Filters that together find the entries with any of the fields, each by one range of an index on them in this order. One
 * filter with `$or` would read every entry of the user for each batch.
 */
const withAnyOf = (filter: object, fields: string[]): object[] =>
  fields.map((field, index) => ({
    ...filter,
    ...Object.fromEntries(fields.slice(0, index).map((empty) => [empty, null])),
    [field]: { $ne: null },
  }));

const invitationsTo = (email: string) => ({
  'target.type': 'invitation',
  'target.label': { $regex: `^${literalPattern(email)}$`, $options: 'i' },
});
