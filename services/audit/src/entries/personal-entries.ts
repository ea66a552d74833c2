import type { Model, Schema } from 'mongoose';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import type { Entry } from '../chain/entry.js';

const TOKENS_AT_ONCE = 500;
const TOKEN_CREATED = 'token.created';

/** Adds the indexes that find the entries of a user in every log: redacted entries are beside the others, not among them. */
export function addPersonalIndexes<E extends Entry>(schema: Schema<E>): void {
  schema.index({ 'actor.id': 1, 'actor.name': 1, 'actor.email': 1, ipAddress: 1 });
  schema.index({ 'target.id': 1, 'target.label': 1, ipAddress: 1 });
  schema.index({ 'target.label': 1 }, { partialFilterExpression: { 'target.type': 'invitation' } });
  schema.index({ 'actor.id': 1, 'actor.token_id': 1 });
  schema.index({ 'actor.id': 1, 'target.id': 1 }, { partialFilterExpression: { action: TOKEN_CREATED } });
}

/** Finds the entries of a collection that hold personal data of a user. */
export class PersonalEntries<E extends Entry> {
  constructor(private readonly entries: Model<E>) {}

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

  /**
   * Yields the ids of the tokens that this user created or acted with, as the entries in any log show them. Reads one entry
   * for each token, however many there are.
   */
  async *ownTokenIds(userId: string): AsyncGenerator<string[]> {
    let tokenIds: string[] = [];
    for (const { field, filter } of [
      { field: 'actor.token_id', filter: { 'actor.id': userId } },
      { field: 'target.id', filter: { 'actor.id': userId, action: TOKEN_CREATED } },
    ]) {
      for (let tokenId = await this.nextValue(field, filter); tokenId;) {
        tokenIds.push(tokenId);
        if (tokenIds.length === TOKENS_AT_ONCE) {
          yield tokenIds;
          tokenIds = [];
        }
        tokenId = await this.nextValue(field, filter, tokenId);
      }
    }
    if (tokenIds.length > 0) yield tokenIds;
  }

  /** Returns the next value of a field in the order of an index on the filter's fields and this one. */
  private async nextValue(field: string, filter: object, after = ''): Promise<string | undefined> {
    const [next] = await this.entries
      .find({ ...filter, [field]: { $gt: after } }, { _id: 0, value: `$${field}` })
      .sort({ [field]: 1 })
      .limit(1)
      .lean<{ value: string }[]>();
    return next?.value;
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
