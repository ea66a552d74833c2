import type { WindowCounter } from './window-counter.js';

/** Limited separately, so that a stolen session without the password cannot use up the changes of the password. */
interface AccountChange {
  userId: string;
  change: 'name' | 'password' | 'two_factor';
}

/**
 * Runs a change of an account; one that fails does not count.
 * @throws AppError `rate_limit_exceeded`
 */
export function runChange<T>(
  limits: WindowCounter,
  { userId, change }: AccountChange,
  run: () => Promise<T>,
): Promise<T> {
  const use = { limit: 'changesOfAccount', key: `${userId} ${change}` } as const;
  return limits.run(use, 'Too many changes of your account. Try again later.', run);
}
