import type { User } from '../users/user-store.js';
import type { Permit } from '../limits/permits.js';
import type { SessionContext } from './context.js';

/** Has no workspaces and no known addresses. */
export const UNKNOWN_USER = 'unknown';

interface Attempt {
  email: string;
  password: string;
  address: string | null;
  /** `null` for an unknown e-mail, which takes the same steps and as long as a known one. */
  user: User | null;
}

/**
 * Counts an attempt and then checks its password. An attempt that could not be checked does not count.
 * @returns the permit of the attempt, to refund it
 * @throws AppError `rate_limit_exceeded`
 */
export function checkPasswordAttempt(
  { passwords, signInLimits }: Pick<SessionContext, 'passwords' | 'signInLimits'>,
  { email, password, address, user }: Attempt,
): Promise<{ permit: Permit; matches: boolean }> {
  return passwords.inTurn(address, async () => {
    const permit = await signInLimits.countAttempt({ email, address, userId: user?._id ?? UNKNOWN_USER });
    const matches = await passwords.checkPassword(user?.passwordHash, password).catch(async (error: unknown) => {
      await signInLimits.refundAttempt(permit);
      throw error;
    });
    return { permit, matches };
  });
}
