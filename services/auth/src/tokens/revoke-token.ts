import type { EventContext } from '@waymark/shared/contract/event';
import { tokenRevoked } from '@waymark/shared/contract/events';
import { notFound } from '@waymark/shared/kernel/errors';
import type { AuthContext } from '../context.js';

/** Once this has returned no gateway accepts the token: each request is checked against the store. */
export async function revokeToken(
  ctx: Pick<AuthContext, 'db' | 'tokens'>,
  event: EventContext,
  input: { workspace: string; tokenId: string; ofUser: string | undefined },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const token = await ctx.tokens.revoke(input.workspace, input.tokenId, input.ofUser, tx.session);
    if (!token) throw notFound();
    tx.emit(
      tokenRevoked.create(
        event,
        { token_id: token._id, name: token.name, user_id: token.userId },
        { target: { type: 'token', id: token._id, label: token.name }, changes: {} },
      ),
    );
  });
}
