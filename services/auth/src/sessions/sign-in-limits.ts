import type { Counter } from 'prom-client';
import type { Database } from '@waymark/shared/kernel/database';
import { tooManyRequests, type AppError } from '@waymark/shared/kernel/errors';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import { networkOf, networksOf } from '@waymark/shared/kernel/network-of';
import type { AuthConfig } from '../config.js';
import { EntryStore } from '../limits/entry-store.js';
import { RollingLimit } from '../limits/rolling-limit.js';
import { Slots, type Slot } from '../limits/slots.js';
import { hashOfSecret } from '../secret-hash.js';
import { emailKey, type User } from '../users/store.js';
import { KnownAddresses } from './known-addresses.js';

const DECIDE_TIMEOUT_MS = 3000;

/**
 * How often passwords may be tried: from one address, for one account from one address, and for one account from
 * everywhere. The last does not hold for an address that the user has signed in from before, so that nobody can lock
 * another out. A successful attempt is given back to the second: who signs in often does not guess. Unknown e-mails are
 * counted as known ones are.
 */
export class SignInLimits {
  private readonly known: KnownAddresses;
  /** By how many times its limit is that of one address. */
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
   * Counts one attempt, before its password is looked at.
   * @returns what `succeeded` gives back
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
      // Never refuses, for the address has the same limit: an attempt from a known address takes as many steps as others.
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
 * Tells accounts apart, and says nothing of what was typed, which may be a password in the wrong field: a part of a hash
 * (48 bits), which fits too much else to prove a guess.
 */
const accountKey = (email: string): string => hashOfSecret(emailKey(email)).slice(0, ACCOUNT_KEY_LENGTH);
