import type { Counter } from 'prom-client';
import type { Database } from '@waymark/kernel/mongo/database';
import { tooManyRequests, type AppError } from '@waymark/kernel/errors';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { networkOf, networksOf } from '@waymark/kernel/http/networks';
import type { AuthConfig } from '../config.js';
import { EntryStore } from '../limits/entry-store.js';
import { RollingLimit } from '../limits/rolling-limit.js';
import { Slots, type Slot } from '../limits/slots.js';
import { hashOfSecret } from '../secret-hash.js';
import { emailKey, type User } from '../users/store.js';
import { KnownAddresses } from './known-addresses.js';

const DECIDE_TIMEOUT_MS = 3000;

/**
 * Limits sign-in attempts: per address, per account and address, and per account. The last does not apply to addresses
 * from which the user has signed in before, so that an attacker cannot lock a user out. A successful attempt is
 * refunded to the second limit, because frequent sign-ins are not guesses. Unknown e-mails count like known ones.
 */
export class SignInLimits {
  private readonly known: KnownAddresses;
  /** Returns the limit for a network size, by its limit factor. */
  private readonly ofNetwork: (limitFactor: number) => RollingLimit;
  private readonly ofAccountAndAddress: Slots;
  private readonly ofAccount: RollingLimit;
  private readonly refused: Counter;

  constructor(
    private readonly db: Database,
    config: AuthConfig,
    metrics: Metrics,
  ) {
    const windowMs = config.SIGN_IN_WINDOW_MS;
    const entries = new EntryStore(db, 'sign_in_attempts', windowMs);
    this.known = new KnownAddresses(db);
    this.ofNetwork = memoized((factor) => new RollingLimit(entries, factor * config.SIGN_INS_PER_ADDRESS, windowMs));
    this.ofAccountAndAddress = new Slots(db, 'sign_in_slots', config.SIGN_INS_PER_ACCOUNT_AND_ADDRESS, windowMs);
    this.ofAccount = new RollingLimit(entries, config.SIGN_INS_PER_ACCOUNT, windowMs);
    this.refused = metrics.counter('sign_ins_refused_total', 'Sign-ins refused because there were too many before');
  }

  /**
   * Counts one attempt before its password is checked.
   * @returns the slot for `succeeded` or `giveBack`
   * @throws AppError `rate_limit_exceeded`
   */
  async take(attempt: { email: string; address: string | null; userId: string }): Promise<Slot> {
    const account = accountKey(attempt.email);
    const network = networkOf(attempt.address ?? '');
    const now = await this.db.now();
    for (const { name, limitFactor } of networksOf(attempt.address ?? '')) {
      await this.takeOne(this.ofNetwork(limitFactor), `address ${name}`, now);
    }
    const taken = await this.ofAccountAndAddress.take(`account ${account} at ${network}`);
    if ('retryAfterSeconds' in taken) throw this.refuse(taken.retryAfterSeconds);
    if (await this.known.has(attempt.userId, network)) {
      // Never refuses, because the address has the same limit; it takes the same steps as for other addresses.
      await this.takeOne(this.ofNetwork(1), `account ${account} known at ${network}`, now);
    } else {
      await this.takeOne(this.ofAccount, `account ${account}`, now);
    }
    return taken.slot;
  }

  giveBack(slot: Slot): Promise<void> {
    return this.ofAccountAndAddress.giveBack(slot);
  }

  async succeeded(user: User, address: string | null, slot: Slot): Promise<void> {
    await this.giveBack(slot);
    await this.known.add(user._id, networkOf(address ?? ''));
  }

  private async takeOne(limit: RollingLimit, key: string, now: Date): Promise<void> {
    const moment = { now, giveUpAt: performance.now() + DECIDE_TIMEOUT_MS };
    const { allowed, resetSeconds } = await limit.take(key, moment);
    if (!allowed) throw this.refuse(resetSeconds);
  }

  private refuse(retryAfterSeconds: number): AppError {
    this.refused.inc();
    return tooManyRequests('Too many attempts to sign in. Try again later.', retryAfterSeconds);
  }
}

function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const ACCOUNT_KEY_LENGTH = 8;

/**
 * Identifies an account without revealing the text, which may be a password in the wrong field: a 48-bit prefix of a
 * hash has too many preimages to prove a guess.
 */
const accountKey = (email: string): string => hashOfSecret(emailKey(email)).slice(0, ACCOUNT_KEY_LENGTH);
