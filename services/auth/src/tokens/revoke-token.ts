import type { EventContext } from '@waymark/contract/event';
import { tokenRevoked } from '@waymark/contract/events';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { AuthContext } from '../context.js';
import type { User } from '../users/store.js';
import type { Token } from './store.js';

/** After this returns, no gateway accepts the token: each request is checked against the database. */
export async function revokeToken(
  ctx: Pick<AuthContext, 'db' | 'tokens' | 'users'>,
  event: EventContext,
  input: {
    workspace: string;
    tokenId: string;
    ofUser: string | undefined;
    check?: CheckCurrent<{ token: Token; user: User }>;
  },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const token = await ctx.tokens.revoke(input.workspace, input.tokenId, input.ofUser, tx.session);
    if (!token) throw notFound();
    input.check?.({ token, user: (await ctx.users.byId(token.userId))! });
    tx.emit(
      tokenRevoked.create(
        event,
        { token_id: token._id, name: token.name, user_id: token.userId },
        { target: { type: 'token', id: token._id, label: token.name }, changes: {} },
      ),
    );
  });
}
