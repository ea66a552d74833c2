import { hash } from 'node:crypto';

/** Returns the stored form of a token or session secret; plain SHA-256 is enough for secrets of this entropy. */
export function hashSecret(plaintext: string): string {
  return hash('sha256', plaintext, 'base64url');
}
