import type { EventContext } from '@waymark/contract/event';
import { userTotpDisabled } from '@waymark/contract/events';
import { AppError } from '@waymark/kernel/errors';
import { runChange } from '../../limits/account-changes.js';
import { checkOwnPassword } from '../sessions/check-own-password.js';
import type { User } from '../../users/user-store.js';
import type { TwoFactorContext } from './context.js';

/**
 * Disables two-factor sign-in of the caller, whose password is checked.
 * @throws AppError `validation_failed` for a wrong password; `conflict` when it is not enabled; `rate_limit_exceeded`
 */
export async function disableOwnTotp(ctx: TwoFactorContext, event: EventContext, password: string): Promise<void> {
  const user = await checkOwnPassword(ctx, event, { password, field: 'password' });
  await runChange(ctx.limits, { userId: user._id, change: 'two_factor' }, async () => {
    if (!(await disableTotp(ctx, event, user))) throw new AppError('conflict', 'Two-factor sign-in is not enabled.');
  });
}

/** Disables two-factor sign-in of a user; sessions continue. @returns false when it is not enabled */
export async function disableTotp(
  ctx: Pick<TwoFactorContext, 'db' | 'users' | 'workspaces'>,
  event: EventContext,
  user: User,
): Promise<boolean> {
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  return ctx.db.transaction(async (tx) => {
    if (!(await ctx.users.disableTotp(user._id, tx.session))) return false;
    const target = { type: 'user', id: user._id, label: user.email };
    const changes = { totp_enabled: { from: true, to: false } };
    tx.emit(userTotpDisabled.create(event, { user_id: user._id, email: user.email, workspaces }, { target, changes }));
    return true;
  });
}
