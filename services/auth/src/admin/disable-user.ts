import { userDisabled, userEnabled } from '@waymark/contract/events';
import type { EventContext } from '@waymark/contract/event';
import type { User } from '../users/user-store.js';
import type { AdminContext } from './context.js';

/**
 * Disables a user: ends all sessions and password reset links in the same moment. Tokens stay stored and are refused until
 * the user is enabled again.
 * @returns the number of ended sessions, or `null` when the user is disabled already
 */
export async function disableUser(
  ctx: Pick<AdminContext, 'db' | 'users' | 'sessions' | 'links' | 'workspaces'>,
  event: EventContext,
  user: User,
): Promise<number | null> {
  const now = await ctx.db.now();
  const { target, data } = await describe(ctx, user);
  return ctx.db.transaction(async (tx) => {
    if (!(await ctx.users.disableUser(user._id, now, tx.session))) return null;
    const endedCount = await ctx.sessions.deleteOtherSessions(user._id, null, tx.session);
    await ctx.links.revokeLinks({ kind: 'password_reset', subject: user._id }, tx.session);
    const sessions = { ...(endedCount > 0 && { sessions: { from: endedCount, to: 0 } }) };
    tx.emit(
      userDisabled.create(event, data, { target, changes: { disabled: { from: false, to: true }, ...sessions } }),
    );
    return endedCount;
  });
}

/** Enables a disabled user; ended sessions stay ended. @returns false when the user is not disabled */
export async function enableUser(
  ctx: Pick<AdminContext, 'db' | 'users' | 'workspaces'>,
  event: EventContext,
  user: User,
): Promise<boolean> {
  const { target, data } = await describe(ctx, user);
  return ctx.db.transaction(async (tx) => {
    if (!(await ctx.users.enableUser(user._id, tx.session))) return false;
    tx.emit(userEnabled.create(event, data, { target, changes: { disabled: { from: true, to: false } } }));
    return true;
  });
}

async function describe({ workspaces }: Pick<AdminContext, 'workspaces'>, { _id, email }: User) {
  const entered = await workspaces.findEnteredWorkspaces(_id);
  return { target: { type: 'user', id: _id, label: email }, data: { user_id: _id, email, workspaces: entered } };
}
