import type { EventContext } from '@waymark/contract/event';
import { tokenRevoked } from '@waymark/contract/events';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { User } from '../users/user-store.js';
import type { TokenContext } from './context.js';
import type { Token } from './token-store.js';

/** After this returns, no gateway accepts the token: each request is checked against the database. */
export async function revokeToken(
  ctx: Pick<TokenContext, 'db' | 'tokens' | 'users'>,
  event: EventContext,
  input: {
    workspace: string;
    id: string;
    /** Only a token of this user; `undefined` for those of every user. */
    userId: string | undefined;
    check?: CheckCurrent<{ token: Token; user: User }>;
  },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const token = await ctx.tokens.revokeToken(input, tx.session);
    if (!token) throw notFound();
    input.check?.({ token, user: (await ctx.users.findUser(token.userId))! });
    tx.emit(
      tokenRevoked.create(
        event,
        { token_id: token._id, name: token.name, user_id: token.userId },
        { target: { type: 'token', id: token._id, label: token.name }, changes: {} },
      ),
    );
  });
}
