import { invalid, tooManyRequests } from '@waymark/kernel/errors';
import type { MemberContext } from './context.js';
import type { User } from '../users/user-store.js';

const TOO_MANY_MESSAGE = 'Too many unknown e-mail addresses. Try again later.';

/**
 * Limits account enumeration by adding members: each user may try a limited number of unknown e-mails, over all
 * workspaces.
 * @throws AppError `validation_failed` for an unknown e-mail, `rate_limit_exceeded`
 */
export async function findUserToAdd(
  ctx: Pick<MemberContext, 'users' | 'unknownEmails'>,
  email: string,
  addedBy: string,
): Promise<User> {
  const [user, retryAfter] = await Promise.all([
    ctx.users.findUserByEmail(email),
    ctx.unknownEmails.secondsUntilPermit(addedBy),
  ]);
  // Applies to known e-mails too: otherwise the rejection itself would reveal that an account is missing.
  if (retryAfter > 0) throw tooManyRequests(TOO_MANY_MESSAGE, retryAfter);
  if (user) return user;
  const acquired = await ctx.unknownEmails.acquirePermit(addedBy);
  if ('retryAfterSeconds' in acquired) throw tooManyRequests(TOO_MANY_MESSAGE, acquired.retryAfterSeconds);
  throw invalid({ email: ['No user has this e-mail address.'] });
}
