import type { EventContext } from '@waymark/contract/event';
import { invalid } from '@waymark/kernel/errors';
import { checkNewPassword } from '../secrets/password.js';
import { preparePassword, storePassword, type PasswordContext } from '../sessions/change-password.js';
import { actorOf } from '../sessions/sign-in.js';
import { isDisabled } from '../users/user-store.js';

const invalidLink = () => invalid({ token: ['The link is invalid, has expired or has been used.'] });

/**
 * Sets a password by a one-time link: ends all sessions of the user in the same moment, and leaves two-factor sign-in as it
 * is.
 * @throws AppError `validation_failed` for a link that is not valid, or a password that is easy to guess; as `preparePassword` does
 */
export async function resetPassword(
  ctx: PasswordContext,
  event: EventContext,
  { token, new_password: password }: { token: string; new_password: string },
): Promise<void> {
  // Checked before the password is hashed: a caller without a link must not make auth work.
  const link = await ctx.links.findLink('password_reset', token);
  const user = link && (await ctx.users.findUser(link.subject));
  if (!user || isDisabled(user)) throw invalidLink();
  checkNewPassword('new_password', password, user.email);
  const change = await preparePassword(ctx, event, { user, password, keptSessionId: null });
  await ctx.db.transaction(async (tx) => {
    if (!(await ctx.links.useLink('password_reset', token, tx.session))) throw invalidLink();
    await storePassword(ctx, { ...change, event: { ...event, actor: actorOf(user) } }, tx);
  });
}
