import { tooManyRequests } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { PermitLimiter } from './permits.js';

const HOUR_MS = 3600_000;

/** Limited separately, so that a stolen session without the password cannot use up the changes of the password. */
const ACCOUNT_CHANGES = ['name', 'password', 'two_factor'] as const;
type AccountChange = (typeof ACCOUNT_CHANGES)[number];

interface AccountConfig {
  ACCOUNT_CHANGES_PER_USER_AND_HOUR: number;
  SESSIONS_PER_USER_AND_HOUR: number;
}

/**
 * Limits what users do to their own accounts: each change is an entry in the audit log of every workspace of the user. The
 * ends of sessions need no limit, because each session ends once.
 */
export class AccountLimits {
  private readonly changes: PermitLimiter;
  private readonly sessions: PermitLimiter;

  constructor(db: Database, config: AccountConfig) {
    const perHour = (limit: number) => ({ limit, windowMs: HOUR_MS });
    this.changes = new PermitLimiter(db, 'account_changes', perHour(config.ACCOUNT_CHANGES_PER_USER_AND_HOUR));
    this.sessions = new PermitLimiter(db, 'started_sessions', perHour(config.SESSIONS_PER_USER_AND_HOUR));
  }

  /**
   * Runs a change of an account; one that fails does not count.
   * @throws AppError `rate_limit_exceeded`
   */
  runChange<T>(userId: string, change: AccountChange, run: () => Promise<T>): Promise<T> {
    const message = 'Too many changes of your account. Try again later.';
    return runWithPermit(this.changes, { key: changeKey(userId, change), message }, run);
  }

  /**
   * Runs the start of a session; one that throws does not count.
   * @throws AppError `rate_limit_exceeded`
   */
  runSessionStart<T>(userId: string, run: () => Promise<T>): Promise<T> {
    return runWithPermit(this.sessions, { key: userId, message: 'Too many new sessions. Try again later.' }, run);
  }
}

const changeKey = (userId: string, change: AccountChange): string => `${userId} ${change}`;

/** Returns the keys of a user's permits for changes of the account. */
export const accountChangeKeys = (userId: string): string[] =>
  ACCOUNT_CHANGES.map((change) => changeKey(userId, change));

async function runWithPermit<T>(
  limiter: PermitLimiter,
  { key, message }: { key: string; message: string },
  run: () => Promise<T>,
): Promise<T> {
  const acquired = await limiter.acquirePermit(key);
  if ('retryAfterSeconds' in acquired) throw tooManyRequests(message, acquired.retryAfterSeconds);
  try {
    return await run();
  } catch (error) {
    await limiter.releasePermit(acquired.permit);
    throw error;
  }
}
