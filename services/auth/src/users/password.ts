import { hash, verify } from '@node-rs/argon2';
import { Turnstile } from '@waymark/shared/kernel/turnstile';

/** argon2id, the library's default, as OWASP recommends: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const WAITING_MAX = 64;
const WAIT_MAX_MS = 5000;

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

export const verifyPassword = (hashed: string, password: string): Promise<boolean> => verify(hashed, password);

/** Checks passwords, so many at a time: each check keeps a core busy for some 30 ms and takes 19 MiB. */
export class PasswordChecker {
  private readonly turnstile: Turnstile;
  private decoy: Promise<string> | undefined;

  constructor(atOnceMax: number) {
    this.turnstile = new Turnstile(atOnceMax, WAITING_MAX, WAIT_MAX_MS);
  }

  /**
   * Takes as long for an unknown user (`hashed` undefined) as for a wrong password.
   * @throws AppError `service_unavailable` when too many checks wait, or this one waited for too long
   */
  verify(hashed: string | undefined, password: string): Promise<boolean> {
    return this.turnstile.pass(async () => {
      this.decoy ??= hashPassword('no password at all');
      const matches = await verifyPassword(hashed ?? (await this.decoy), password);
      return matches && hashed !== undefined;
    });
  }
}
