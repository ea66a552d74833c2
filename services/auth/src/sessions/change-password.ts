import type { EventContext } from '@waymark/contract/event';
import { userPasswordChanged } from '@waymark/contract/events';
import { invalid } from '@waymark/kernel/errors';
import { hashPassword, isCommonPassword } from '../secrets/password.js';
import type { User } from '../users/user-store.js';
import { checkOwnPassword } from './check-own-password.js';
import type { SessionContext } from './context.js';

interface PasswordChange {
  current: string;
  chosen: string;
  /** The session of the caller, which goes on. */
  sessionId: string | null;
}

/**
 * Changes the caller's password, and ends all other sessions in the same moment. Wrong current passwords count as attempts
 * to sign in.
 * @throws AppError `validation_failed` for a wrong current password or a common new one; `rate_limit_exceeded`
 */
export async function changePassword(ctx: SessionContext, event: EventContext, change: PasswordChange): Promise<void> {
  if (isCommonPassword(change.chosen)) throw invalid({ new_password: ['The new_password is too common.'] });
  const user = await checkOwnPassword(ctx, event, { password: change.current, field: 'current_password' });
  await setPassword(ctx, event, { user, password: change.chosen, keptSessionId: change.sessionId });
}

/** Sets a password, and ends all sessions of the user but one in the same moment. */
export async function setPassword(
  ctx: Pick<SessionContext, 'db' | 'users' | 'workspaces' | 'sessions'>,
  event: EventContext,
  { user, password, keptSessionId }: { user: User; password: string; keptSessionId: string | null },
): Promise<void> {
  const passwordHash = await hashPassword(password);
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  await ctx.db.transaction(async (tx) => {
    await ctx.users.setPassword(user._id, passwordHash, tx.session);
    const ended = await ctx.sessions.deleteOtherSessions(user._id, keptSessionId, tx.session);
    const left = keptSessionId === null ? 0 : 1;
    const target = { type: 'user', id: user._id, label: user.email };
    const data = { user_id: user._id, email: user.email, workspaces };
    tx.emit(
      userPasswordChanged.create(event, data, {
        target,
        changes: { ...(ended > 0 && { sessions: { from: ended + left, to: left } }) },
      }),
    );
  });
}
