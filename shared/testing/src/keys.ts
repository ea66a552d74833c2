import { createSecretKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import type { ServiceName } from '@waymark/contract/route';
import { deriveIdentityKey } from '@waymark/kernel/http/identity';

/** A setting. */
export const secretKey = (): string => randomBytes(32).toString('base64');

export const parseKey = (setting: string): KeyObject => createSecretKey(setting, 'base64');

/** The settings of a gateway and its services for identities. */
export class IdentityKeys {
  constructor(readonly secret = secretKey()) {}

  keyOf(service: ServiceName): string {
    return deriveIdentityKey(parseKey(this.secret), service).export().toString('base64');
  }
}

/** A key for the ends of audit logs (Ed25519). */
export function auditKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
