import type { EventContext } from '@waymark/contract/event';
import { tokenRevoked } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { User } from '../../users/user-store.js';
import type { TokenContext } from './context.js';
import type { Token } from './token-store.js';

export interface Revocation {
  workspace: string;
  id: string;
  /** Only a token of this user; `undefined` for those of every user. */
  userId: string | undefined;
  /** Also revokes the tokens that it minted, and theirs. */
  cascade?: boolean;
  check?: CheckCurrent<{ token: Token; user: User }>;
}

/**
 * After this returns, no gateway accepts the token: each request is checked against the database. With `cascade` the
 * token may be revoked already, or deleted since: its descendants may have outlived it. They belong to its user.
 * @returns the revoked tokens
 * @throws AppError `not_found` when there is nothing to revoke
 */
export async function revokeToken(
  ctx: Pick<TokenContext, 'db' | 'tokens' | 'users' | 'workspaces'>,
  event: EventContext,
  input: Revocation,
): Promise<Token[]> {
  return ctx.db.transaction(async (tx) => {
    // A token that is being minted counts as a descendant, or its minting fails because its minter is revoked.
    await ctx.workspaces.lockMembers(input.workspace, tx.session);
    const token = await ctx.tokens.revokeToken(input, tx.session);
    if (token) input.check?.({ token, user: (await ctx.users.findUser(token.userId))! });
    const descendants = input.cascade === true ? await ctx.tokens.revokeDescendants(input, tx.session) : [];
    const revoked = [...(token ? [token] : []), ...descendants];
    if (revoked.length === 0) throw missing('token', input.id);
    tx.emit(...revoked.map((one) => createTokenRevoked(event, one, input.id)));
    return revoked;
  });
}

/** Builds the event of a token that was revoked, because of the token `requestedId` or by itself. */
export function createTokenRevoked(event: EventContext, token: Token, requestedId: string) {
  return tokenRevoked.create(
    event,
    { token_id: token._id, name: token.name, user_id: token.userId },
    {
      target: { type: 'token', id: token._id, label: token.name },
      changes: token._id === requestedId ? {} : { revoked_with: { from: null, to: requestedId } },
    },
  );
}
