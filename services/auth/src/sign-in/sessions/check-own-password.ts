import type { EventContext } from '@waymark/contract/event';
import { incorrect } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { User } from '../../users/user-store.js';
import type { SessionContext } from './context.js';
import { WrongGuess } from './sign-in-limits.js';

type CheckContext = Pick<SessionContext, 'users' | 'passwords' | 'signInLimits'>;

/**
 * Returns the caller of a request after a check of their password. Wrong ones count as attempts to sign in.
 * @param input the password, and the field of the request that it is in
 * @throws AppError `validation_failed` for a wrong password; `rate_limit_exceeded`
 */
export async function checkOwnPassword(
  ctx: CheckContext,
  event: EventContext,
  { password, field }: { password: string; field: string },
): Promise<User> {
  const user = await ctx.users.findUser(event.actor!.id!);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  const address = event.ipAddress ?? null;
  return ctx.signInLimits.limitPasswordGuess({ email: user.email, address, user }, async () => {
    if (await ctx.passwords.checkPassword(user.passwordHash, password, address)) return user;
    throw WrongGuess.of(invalid({ [field]: [incorrect(field)] }));
  });
}
