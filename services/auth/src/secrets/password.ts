import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { invalid } from '@waymark/kernel/errors';
import { SharedBudget } from '@waymark/kernel/http/shared-budget';
import { networksOf } from '@waymark/kernel/http/networks';
import { Semaphore } from '@waymark/kernel/async/semaphore';

/** argon2id, the library's default, as OWASP recommends: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const WAITING_MAX = 64;
/** Running and waiting checks per address (or IPv6 /48), so that other addresses keep capacity. */
const PER_NETWORK_MAX = 16;
const WAIT_MAX_MS = 5000;

const COMMON_PASSWORDS = new Set(dictionary['passwords-common']);

/** Whether the password is one of the 49,000 that leaked lists have most often. */
const isCommonPassword = (password: string): boolean => COMMON_PASSWORDS.has(password.toLowerCase());

/**
 * Rejects passwords that are easy to guess: common ones, and the user's own e-mail address or its local part.
 * @throws AppError `validation_failed` for the field
 */
export function checkNewPassword(field: string, password: string, email: string): void {
  if (isCommonPassword(password)) throw invalid({ [field]: [`The ${field} is too common.`] });
  const address = email.trim().toLowerCase();
  const names = [address, address.slice(0, address.lastIndexOf('@'))];
  if (names.includes(password.trim().toLowerCase()))
    throw invalid({ [field]: [`The ${field} must not be the e-mail address or its first part.`] });
}

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

export const verifyPassword = (hashed: string, password: string): Promise<boolean> => verify(hashed, password);

/** Checks passwords with bounded concurrency: each check uses a core for about 30 ms, and 19 MiB. */
export class PasswordChecker {
  private readonly semaphore: Semaphore;
  private readonly budget: SharedBudget;
  private decoy: Promise<string> | undefined;

  constructor(atOnceMax: number) {
    this.semaphore = new Semaphore(atOnceMax, WAITING_MAX, WAIT_MAX_MS);
    this.budget = new SharedBudget('sign-ins', atOnceMax + WAITING_MAX, PER_NETWORK_MAX);
  }

  /**
   * Takes as long for an unknown user (`hashed` undefined) as for a wrong password.
   * @throws AppError `rate_limit_exceeded` when the network of this address has too many checks; `service_unavailable`
   * when too many wait in total, or this one has waited too long
   */
  async checkPassword(hashed: string | undefined, password: string, address: string | null): Promise<boolean> {
    const release = this.budget.reserve(1, networksOf(address ?? '').at(-1)!.name);
    try {
      return await this.semaphore.run(() => this.verifyOrDecoy(hashed, password));
    } finally {
      release();
    }
  }

  /**
   * Hashes a new password within the same limits as checks.
   * @throws AppError as `checkPassword` does
   */
  async hashPassword(password: string, address: string | null): Promise<string> {
    const release = this.budget.reserve(1, networksOf(address ?? '').at(-1)!.name);
    try {
      return await this.semaphore.run(() => hashPassword(password));
    } finally {
      release();
    }
  }

  private async verifyOrDecoy(hashed: string | undefined, password: string): Promise<boolean> {
    this.decoy ??= hashPassword('no password at all');
    const matches = await verifyPassword(hashed ?? (await this.decoy), password);
    return matches && hashed !== undefined;
  }
}
