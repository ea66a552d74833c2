import { createHash } from 'node:crypto';

/** Returns the stored form of a token or session secret; plain SHA-256 is enough for secrets of this entropy. */
export function hashSecret(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('base64url');
}
