import { randomBytes } from 'node:crypto';
import { SecretBox, type Sealed } from '@waymark/kernel/secret-box';
import { SECRET_PREFIX } from '../http/signature.js';

const SECRET_BYTES = 32;
/** Old secrets that sign alongside the current one: each makes every delivery a little larger. */
export const OLD_SECRETS_MAX = 5;

/** A signing secret at rest. */
export interface SealedSecret extends Sealed {
  /** `null` for the current secret. */
  expiresAt: Date | null;
}

/** The owner of a secret, bound into the ciphertext, so that another endpoint cannot use it. */
export interface SecretOwner {
  _id: string;
  workspace: string;
}

export const createSigningSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Seals and opens the signing secrets of endpoints. */
export class SigningSecretBox {
  private readonly box: SecretBox;

  constructor(keys: readonly Buffer[]) {
    this.box = new SecretBox(keys, 'WEBHOOK_SECRET_KEY');
  }

  get currentKeyId(): string {
    return this.box.currentKeyId;
  }

  get keyIds(): string[] {
    return this.box.keyIds;
  }

  /** Returns the id of the key that the current secret needs and this box lacks. */
  findMissingKeyId(secrets: readonly SealedSecret[]): string | null {
    const current = secrets.find(({ expiresAt }) => expiresAt === null);
    return current && !this.keyIds.includes(current.keyId) ? current.keyId : null;
  }

  sealSecret(secret: string, owner: SecretOwner): SealedSecret {
    return { ...this.box.seal(secret, nameOf(owner)), expiresAt: null };
  }

  /** @throws if the key is missing, or the secret belongs to another endpoint or was tampered with. */
  openSecret(secret: SealedSecret, owner: SecretOwner): string {
    return this.box.open(secret, nameOf(owner));
  }

  /** Returns every secret that is valid now and can be opened, the newest first. */
  openValidSecrets(secrets: readonly SealedSecret[], owner: SecretOwner, now: Date): string[] {
    return secrets
      .filter((secret) => isValid(secret, now))
      .flatMap((secret) => this.tryOpenSecret(secret, owner) ?? []);
  }

  private tryOpenSecret(secret: SealedSecret, owner: SecretOwner): string | null {
    try {
      return this.openSecret(secret, owner);
    } catch {
      return null;
    }
  }

  /**
   * Returns the same secrets sealed with the current key, without expired ones. Keeps those whose key is missing for a
   * process that has it.
   */
  resealSecrets(secrets: readonly SealedSecret[], owner: SecretOwner, now: Date): SealedSecret[] {
    return secrets
      .filter((secret) => isValid(secret, now))
      .map((secret) =>
        secret.keyId === this.currentKeyId || !this.keyIds.includes(secret.keyId)
          ? secret
          : { ...this.sealSecret(this.openSecret(secret, owner), owner), expiresAt: secret.expiresAt },
      );
  }
}

function isValid({ expiresAt }: SealedSecret, now: Date): boolean {
  return expiresAt === null || expiresAt > now;
}

function nameOf(owner: SecretOwner): string {
  return `${owner.workspace}|${owner._id}`;
}
