import { randomBytes } from 'node:crypto';
import { hashSecret } from './hash-secret.js';

export const RECOVERY_CODE_COUNT = 10;
const CODE_BYTES = 10;
/** 32 characters without i, l, o and u, which are misread (Crockford's base32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns new recovery codes of 80 random bits, like `7k3m-2q9x-…`, which are shown once. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODE_COUNT }, () => {
    const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
    const characters = Array.from(
      { length: (CODE_BYTES * 8) / 5 },
      (_, index) => ALPHABET[Number((bits >> BigInt(5 * index)) & 31n)],
    );
    return characters.join('').replace(/(....)(?=.)/g, '$1-');
  });
}

/** Returns the stored form of a recovery code, however its user types it. */
export const hashRecoveryCode = (code: string): string => hashSecret(code.toLowerCase().replace(/[^0-9a-z]/g, ''));
