import { invalid, tooManyRequests } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';
import type { User } from '../users/store.js';

const TOO_MANY = 'Too many emails that nobody has. Try again later.';

/**
 * Limits account enumeration by adding members: each user may try a limited number of unknown e-mails, over all
 * workspaces.
 * @throws AppError `validation_failed` for an unknown e-mail, `rate_limit_exceeded`
 */
export async function findNewMember(
  ctx: Pick<AuthContext, 'users' | 'unknownEmails'>,
  email: string,
  askedBy: string,
): Promise<User> {
  const [user, retryAfter] = await Promise.all([
    ctx.users.byEmail(email),
    ctx.unknownEmails.retryAfterSeconds(askedBy),
  ]);
  // Applies to known e-mails too: otherwise the refusal itself would reveal that an account is missing.
  if (retryAfter > 0) throw tooManyRequests(TOO_MANY, retryAfter);
  if (user) return user;
  const taken = await ctx.unknownEmails.take(askedBy);
  if ('retryAfterSeconds' in taken) throw tooManyRequests(TOO_MANY, taken.retryAfterSeconds);
  throw invalid({ email: ['There is no user with this email.'] });
}
