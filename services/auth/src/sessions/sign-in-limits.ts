import type { Counter } from 'prom-client';
import type { Database } from '@waymark/kernel/mongo/database';
import { tooManyRequests, type AppError } from '@waymark/kernel/errors';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { networkOf, networksOf } from '@waymark/kernel/limits/networks';
import { RequestLogStore } from '../limits/request-log-store.js';
import { SlidingWindowLimiter } from '../limits/sliding-window-limiter.js';
import { PermitLimiter, type Permit } from '../limits/permits.js';
import { PermitWindows, type Permits } from '../limits/permit-windows.js';
import { hashSecret } from '../secrets/hash-secret.js';
import { emailKey, type User } from '../users/user-store.js';
import { KnownAddressStore } from './known-addresses.js';

const DECIDE_TIMEOUT_MS = 3000;
const HOUR_MS = 3600_000;

export interface SignInConfig {
  SIGN_IN_WINDOW_MS: number;
  SIGN_INS_PER_ADDRESS: number;
  SIGN_INS_PER_ACCOUNT: number;
  SIGN_INS_PER_ACCOUNT_AND_ADDRESS: number;
  WRONG_CODES_PER_ACCOUNT_AND_HOUR: number;
  WRONG_CODES_PER_ACCOUNT_AND_DAY: number;
  /** Its keys also hash the networks of users. */
  TOTP_SECRET_KEY?: readonly Buffer[] | undefined;
}

/**
 * Limits sign-in attempts: per address, per account and address, and per account. The last does not apply to addresses
 * from which the user has signed in before, so that an attacker cannot lock a user out. A successful attempt is
 * refunded to the second limit, because frequent sign-ins are not guesses. Unknown e-mails count like known ones.
 *
 * Wrong second factors have limits of their own, per account over all addresses, because a code of six digits is soon
 * guessed from many addresses. They count after the right password only, so that a stranger cannot use them up.
 */
export class SignInLimits {
  private readonly knownAddresses: KnownAddressStore;
  /** Returns the limiter for a network size, by its limit factor. */
  private readonly limiterOfNetwork: (limitFactor: number) => SlidingWindowLimiter;
  private readonly accountAndAddressPermits: PermitLimiter;
  private readonly accountLimiter: SlidingWindowLimiter;
  private readonly secondFactorPermits: PermitWindows;
  private readonly rejectedCounter: Counter;

  constructor(
    private readonly db: Database,
    config: SignInConfig,
    metrics: Metrics,
  ) {
    const windowMs = config.SIGN_IN_WINDOW_MS;
    const entries = new RequestLogStore(db, 'sign_in_attempts', windowMs);
    this.knownAddresses = new KnownAddressStore(db, config.TOTP_SECRET_KEY);
    this.limiterOfNetwork = memoize(
      (factor) => new SlidingWindowLimiter(entries, factor * config.SIGN_INS_PER_ADDRESS, windowMs),
    );
    this.accountAndAddressPermits = new PermitLimiter(db, 'sign_in_slots', {
      limit: config.SIGN_INS_PER_ACCOUNT_AND_ADDRESS,
      windowMs,
    });
    this.accountLimiter = new SlidingWindowLimiter(entries, config.SIGN_INS_PER_ACCOUNT, windowMs);
    this.secondFactorPermits = new PermitWindows(db, 'wrong_codes', [
      { limit: config.WRONG_CODES_PER_ACCOUNT_AND_HOUR, windowMs: HOUR_MS },
      { limit: config.WRONG_CODES_PER_ACCOUNT_AND_DAY, windowMs: 24 * HOUR_MS },
    ]);
    this.rejectedCounter = metrics.counter(
      'sign_ins_refused_total',
      'Sign-ins rejected because there were too many before',
    );
  }

  /**
   * Counts one attempt before its password is checked.
   * @returns the permit for `recordSuccess` or `refundAttempt`
   * @throws AppError `rate_limit_exceeded`
   */
  async countAttempt(attempt: { email: string; address: string | null; userId: string }): Promise<Permit> {
    const account = accountKey(attempt.email);
    const network = networkOf(attempt.address ?? '');
    const now = await this.countAddress(attempt.address);
    const acquired = await this.accountAndAddressPermits.acquirePermit(`account ${account} at ${network}`);
    if ('retryAfterSeconds' in acquired) throw this.createRejection(acquired.retryAfterSeconds);
    if (await this.knownAddresses.isKnown(attempt.userId, network)) {
      // Never rejects, because the address has the same limit; takes the same steps as for other addresses.
      await this.checkLimit(this.limiterOfNetwork(1), `account ${account} known at ${network}`, now);
    } else {
      await this.checkLimit(this.accountLimiter, `account ${account}`, now);
    }
    return acquired.permit;
  }

  /**
   * Counts one attempt of an address, of an account that is not known yet.
   * @returns the time of the attempt
   * @throws AppError `rate_limit_exceeded`
   */
  async countAddress(address: string | null): Promise<Date> {
    const now = await this.db.now();
    for (const { name, limitFactor } of networksOf(address ?? '')) {
      await this.checkLimit(this.limiterOfNetwork(limitFactor), `address ${name}`, now);
    }
    return now;
  }

  refundAttempt(permit: Permit): Promise<void> {
    return this.accountAndAddressPermits.releasePermit(permit);
  }

  /**
   * Counts a second factor before it is checked. Call it after a check of the password. The networks from which the user
   * has signed in before have permits of their own: an attacker who knows the password does not lock the user out there.
   * @returns the permits for `refundSecondFactor`
   * @throws AppError `rate_limit_exceeded`
   */
  async countSecondFactor(userId: string, address: string | null): Promise<Permits> {
    const isKnown = await this.knownAddresses.isKnown(userId, networkOf(address ?? ''));
    const acquired = await this.secondFactorPermits.acquirePermits(
      secondFactorKey(userId, isKnown ? 'known' : 'elsewhere'),
    );
    if ('retryAfterSeconds' in acquired) throw this.createRejection(acquired.retryAfterSeconds);
    return acquired.permits;
  }

  refundSecondFactor(permits: Permits): Promise<void> {
    return this.secondFactorPermits.releasePermits(permits);
  }

  async recordSuccess(user: User, address: string | null, permit: Permit): Promise<void> {
    await this.refundAttempt(permit);
    await this.knownAddresses.addAddress(user._id, networkOf(address ?? ''));
  }

  private async checkLimit(limiter: SlidingWindowLimiter, key: string, now: Date): Promise<void> {
    const deadline = performance.now() + DECIDE_TIMEOUT_MS;
    const { allowed, resetSeconds } = await limiter.admitRequest(key, { now, deadline });
    if (!allowed) throw this.createRejection(resetSeconds);
  }

  private createRejection(retryAfterSeconds: number): AppError {
    this.rejectedCounter.inc();
    return tooManyRequests('Too many sign-in attempts. Try again later.', retryAfterSeconds);
  }
}

const NETWORK_KINDS = ['known', 'elsewhere'] as const;
const secondFactorKey = (userId: string, networks: (typeof NETWORK_KINDS)[number]): string => `${userId} ${networks}`;

/** Returns the keys of a user's permits for second factors. */
export const secondFactorKeys = (userId: string): string[] =>
  NETWORK_KINDS.map((networks) => secondFactorKey(userId, networks));

function memoize<K, V>(create: (key: K) => V): (key: K) => V {
  const values = new Map<K, V>();
  return (key) => {
    const value = values.get(key) ?? create(key);
    values.set(key, value);
    return value;
  };
}

const ACCOUNT_KEY_LENGTH = 8;

/**
 * Identifies an account without revealing the text, which may be a password in the wrong field: a 48-bit prefix of a
 * hash has too many preimages to prove a guess.
 */
export const accountKey = (email: string): string => hashSecret(emailKey(email)).slice(0, ACCOUNT_KEY_LENGTH);
