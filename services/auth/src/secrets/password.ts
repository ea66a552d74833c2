import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { containsEmail, tooCommon } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { networkOf } from '@waymark/kernel/limits/networks';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';

/** argon2id, the library's default, as OWASP recommends: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const UNKNOWN_PASSWORD_BYTES = 32;

/** Returns a password that is shown to nobody; a password reset sets another. */
export const unknownPassword = (): string => randomBytes(UNKNOWN_PASSWORD_BYTES).toString('base64url');

/** One at a time of an address, so that it leaves the others room. */
const CHECKS = { perKey: 1, waitingMax: 64, waitMaxMs: 5000 };

const COMMON_PASSWORDS = new Set(dictionary['passwords-common']);

/** Whether the password is one of the 49,000 that leaked lists have most often. */
const isCommonPassword = (password: string): boolean => COMMON_PASSWORDS.has(password.toLowerCase());

/**
 * Rejects passwords that are easy to guess: common ones, and the user's own e-mail address or its local part.
 * @throws AppError `validation_failed` for the field
 */
export function checkNewPassword(field: string, password: string, email: string): void {
  if (isCommonPassword(password)) throw invalid({ [field]: [tooCommon(field)] });
  const address = email.trim().toLowerCase();
  const names = [address, address.slice(0, address.lastIndexOf('@'))];
  if (names.includes(password.trim().toLowerCase())) throw invalid({ [field]: [containsEmail(field)] });
}

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

export const verifyPassword = (hashed: string, password: string): Promise<boolean> => verify(hashed, password);

/** Checks passwords with bounded concurrency: each check uses a core for about 30 ms, and 19 MiB. */
export class PasswordChecker {
  private readonly checks: KeyedLimit;
  private decoy: Promise<string> | undefined;

  constructor(atOnceMax: number) {
    this.checks = new KeyedLimit({ ...CHECKS, total: atOnceMax });
  }

  /**
   * Takes as long for an unknown user (`hashed` undefined) as for a wrong password.
   * @throws AppError `service_unavailable` when too many wait, or this one has waited too long
   */
  checkPassword(hashed: string | undefined, password: string, address: string | null): Promise<boolean> {
    return this.checks.run(networkOf(address ?? ''), () => this.verifyOrDecoy(hashed, password));
  }

  /**
   * Hashes a new password within the same limit.
   * @throws AppError as `checkPassword` does
   */
  hashPassword(password: string, address: string | null): Promise<string> {
    return this.checks.run(networkOf(address ?? ''), () => hashPassword(password));
  }

  private async verifyOrDecoy(hashed: string | undefined, password: string): Promise<boolean> {
    this.decoy ??= hashPassword('no password at all');
    const matches = await verifyPassword(hashed ?? (await this.decoy), password);
    return matches && hashed !== undefined;
  }
}
