import { tokenRefused } from '@waymark/contract/events';
import type { BuildEvent } from '../../activity/counted-events.js';
import type { UserStore } from '../../users/user-store.js';
import type { TokenStore } from './token-store.js';

/** Uses of a revoked or expired token; none of one that has been deleted meanwhile. */
export function rejectedUseEvent({
  tokens,
  users,
}: {
  tokens: Pick<TokenStore, 'findToken'>;
  users: Pick<UserStore, 'findUser'>;
}): BuildEvent {
  return async ({ subject: id, count, ipAddress }) => {
    const token = await tokens.findToken(id);
    if (!token) return null;
    const { name, userId, workspace } = token;
    const user = await users.findUser(userId);
    const ofUser = { id: userId, name: user?.name ?? null, email: user?.email ?? null };
    const actor = { type: 'token' as const, ...ofUser, token_id: id, token: { id, name } };
    return tokenRefused.create(
      { workspace, ipAddress, actor },
      { token_id: id, name, user_id: userId, count },
      { target: { type: 'token', id, label: name }, changes: { count: { from: null, to: count } } },
    );
  };
}
