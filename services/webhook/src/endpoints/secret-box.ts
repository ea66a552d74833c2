import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from '../http/signature.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;
/** Old secrets that sign alongside the current one: each makes every delivery a little larger. */
export const OLD_SECRETS_MAX = 5;

/** A signing secret at rest. */
export interface SealedSecret {
  keyId: string;
  /** base64 of nonce, tag and ciphertext. */
  sealed: string;
  /** `null` for the current secret. */
  expiresAt: Date | null;
}

/** The owner of a secret, bound into the ciphertext, so that another endpoint cannot use it. */
export interface SecretOwner {
  _id: string;
  workspace: string;
}

export const createSigningSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Seals with the first key and opens with any: operators add a new key in front and keep old ones while needed. */
export class SecretBox {
  private readonly keys: Map<string, Buffer>;
  readonly currentKeyId: string;

  constructor(keys: readonly Buffer[]) {
    this.keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.currentKeyId = keyIdOf(keys[0]!);
  }

  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  sealSecret(secret: string, owner: SecretOwner): SealedSecret {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys.get(this.currentKeyId)!, iv).setAAD(aadOf(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    return { keyId: this.currentKeyId, sealed, expiresAt: null };
  }

  /** @throws if the key is missing, or the secret belongs to another endpoint or was tampered with. */
  openSecret({ keyId, sealed }: SealedSecret, owner: SecretOwner): string {
    const key = this.keys.get(keyId);
    if (!key) throw new Error(`WEBHOOK_SECRET_KEY lacks the key ${keyId}`);
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(aadOf(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
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

  /** Returns the same secrets sealed with the current key, without expired ones. */
  resealSecrets(secrets: readonly SealedSecret[], owner: SecretOwner, now: Date): SealedSecret[] {
    return secrets
      .filter((secret) => isValid(secret, now))
      .map((secret) =>
        secret.keyId === this.currentKeyId
          ? secret
          : { ...this.sealSecret(this.openSecret(secret, owner), owner), expiresAt: secret.expiresAt },
      );
  }
}

function isValid({ expiresAt }: SealedSecret, now: Date): boolean {
  return expiresAt === null || expiresAt > now;
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function aadOf(owner: SecretOwner): Buffer {
  return Buffer.from(`${owner.workspace}|${owner._id}`);
}
