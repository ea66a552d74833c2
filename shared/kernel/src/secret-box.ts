import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Of AES-256, and of HMAC with SHA-256. */
export const SECRET_KEY_BYTES = 32;

/** A secret at rest. */
export interface Sealed {
  keyId: string;
  /** base64 of nonce, tag and ciphertext. */
  sealed: string;
}

/**
 * Seals secrets with the first key and opens them with any: operators add a new key in front and keep old ones while they
 * are needed. The owner of a secret is bound into its ciphertext, so that it cannot be moved to another owner.
 */
export class SecretBox {
  readonly currentKeyId: string;
  private readonly keys: Map<string, Buffer>;

  /** @param setting the name of the setting that holds the keys, for error messages */
  constructor(
    keys: readonly Buffer[],
    private readonly setting: string,
  ) {
    this.keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.currentKeyId = keyIdOf(keys[0]!);
  }

  get keyIds(): string[] {
    return [...this.keys.keys()];
  }

  seal(secret: string, owner: string): Sealed {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys.get(this.currentKeyId)!, iv).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
    return { keyId: this.currentKeyId, sealed };
  }

  /** @throws if the key is missing, or the secret belongs to another owner or was tampered with. */
  open({ keyId, sealed }: Sealed, owner: string): string {
    const key = this.keys.get(keyId);
    if (!key) throw new Error(`${this.setting} lacks the key ${keyId}`);
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}

function keyIdOf(key: Buffer): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}
