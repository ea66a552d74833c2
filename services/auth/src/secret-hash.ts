import { createHash } from 'node:crypto';

/** What is stored in place of a token or a session; plain SHA-256 is enough for secrets of their entropy. */
export function hashOfSecret(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('base64url');
}
