import type { Counter } from 'prom-client';
import { AppError, tooManyRequests } from '@waymark/kernel/errors';
import { networkOf } from '@waymark/kernel/limits/networks';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { usesOfAddress, type Use, type WindowCounter } from '../../limits/window-counter.js';
import { hashSecret } from '../../secrets/hash-secret.js';
import { isKnownNetwork } from '../../users/known-networks.js';
import { emailKey, type User } from '../../users/user-store.js';

/** The error of a password or code that is wrong: the guess stays counted. */
export class WrongGuess extends AppError {
  static of({ code, message, ...options }: AppError): WrongGuess {
    return new WrongGuess(code, message, options);
  }
}

interface PasswordGuess {
  email: string;
  address: string | null;
  /** `null` for an unknown e-mail, which takes the same steps as a known one. */
  user: User | null;
}

/**
 * Limits guesses. Each is counted before it is checked, so that simultaneous ones are no more than successive ones, and
 * taken back unless it was wrong. The networks from which the user has signed in before have counts of their own: a stranger
 * does not lock the user out there.
 */
export class SignInLimits {
  private readonly rejectedCounter: Counter;

  constructor(
    private readonly limits: WindowCounter,
    metrics: Metrics,
  ) {
    this.rejectedCounter = metrics.counter(
      'sign_ins_refused_total',
      'Sign-ins rejected because there were too many before',
    );
  }

  /**
   * Counts an attempt of an address, whatever comes of it: each costs the check of a password.
   * @throws AppError `rate_limit_exceeded`
   */
  countAddress(address: string | null): Promise<void> {
    return this.count(usesOfAddress('signInsOfAddress', address));
  }

  /**
   * Counts an attempt of the address and a guess of the account, and runs its check.
   * @throws AppError `rate_limit_exceeded`; as the check does
   */
  async limitPasswordGuess<T>({ email, address, user }: PasswordGuess, check: () => Promise<T>): Promise<T> {
    await this.countAddress(address);
    const account = accountKey(email);
    const atNetwork = `${account} at ${networkOf(address ?? '')}`;
    const isKnown = user !== null && isKnownNetwork(user, address);
    return this.guess(
      [
        { limit: 'passwordGuessesOfAccountAtAddress', key: atNetwork },
        { limit: 'passwordGuessesOfAccount', key: isKnown ? atNetwork : account },
      ],
      check,
    );
  }

  /**
   * Counts a guess of a second factor, and runs its check. Call it after a check of the password, so that a stranger uses up
   * nothing. A code of six digits is soon guessed from many addresses: all of them count together.
   * @throws AppError `rate_limit_exceeded`; as the check does
   */
  limitCodeGuess<T>(user: User, address: string | null, check: () => T | Promise<T>): Promise<T> {
    const key = isKnownNetwork(user, address) ? `${user._id} known` : user._id;
    return this.guess(
      [
        { limit: 'codeGuessesInDay', key },
        { limit: 'codeGuessesInHour', key },
      ],
      check,
    );
  }

  private async guess<T>(uses: Use[], check: () => T | Promise<T>): Promise<T> {
    await this.count(uses);
    try {
      const result = await check();
      await this.limits.refund(uses);
      return result;
    } catch (error) {
      if (!(error instanceof WrongGuess)) await this.limits.refund(uses);
      throw error;
    }
  }

  private async count(uses: Use[]): Promise<void> {
    const waitSeconds = await this.limits.count(uses);
    if (waitSeconds === 0) return;
    this.rejectedCounter.inc();
    throw tooManyRequests('Too many sign-in attempts. Try again later.', waitSeconds);
  }
}

const ACCOUNT_KEY_LENGTH = 8;

/**
 * Identifies an account without revealing the text, which may be a password in the wrong field: a 48-bit prefix of a
 * hash has too many preimages to prove a guess.
 */
export const accountKey = (email: string): string => hashSecret(emailKey(email)).slice(0, ACCOUNT_KEY_LENGTH);
