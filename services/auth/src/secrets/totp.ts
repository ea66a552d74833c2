import { Secret, TOTP } from 'otpauth';
import type { SecretBox, Sealed } from '@waymark/kernel/secret-box';

/** As RFC 4226 recommends, and as every authenticator app supports. */
const SECRET_BYTES = 20;
const CODE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Time steps before and after the current one whose codes are accepted, for clocks that differ. */
const DRIFT_STEPS = 1;

/** Creates and checks time-based one-time passwords (RFC 6238), whose secrets are sealed for their user. */
export class TotpSecrets {
  constructor(private readonly box: SecretBox) {}

  createSecret(userId: string): { base32: string; sealed: Sealed } {
    const base32 = new Secret({ size: SECRET_BYTES }).base32;
    return { base32, sealed: this.box.seal(base32, ownerOf(userId)) };
  }

  /**
   * Returns the time step that a code belongs to, or `null` for a wrong code. The caller must refuse a step that is not
   * later than the last accepted one.
   * @throws if the key that sealed the secret is missing
   */
  findStep(code: string, sealed: Sealed, { userId, now }: { userId: string; now: Date }): number | null {
    const token = digitsOf(code);
    const totp = new TOTP({ ...CODE, secret: Secret.fromBase32(this.box.open(sealed, ownerOf(userId))) });
    const timestamp = now.getTime();
    // The library compares the bytes of texts with the same number of characters, and throws where those differ.
    const delta = /^[0-9]{6}$/.test(token) ? totp.validate({ token, timestamp, window: DRIFT_STEPS }) : null;
    return delta === null ? null : totp.counter({ timestamp }) + delta;
  }
}

/** Returns the URL that authenticator apps read from a QR code. */
export function otpauthUrl(base32: string, { issuer, label }: { issuer: string; label: string }): string {
  return new TOTP({ ...CODE, issuer, label, secret: Secret.fromBase32(base32) }).toString();
}

const ownerOf = (userId: string): string => `totp|${userId}`;

/** Apps show codes in groups, and East Asian keyboards type full-width digits. */
const digitsOf = (code: string): string => code.normalize('NFKC').replaceAll(' ', '');
