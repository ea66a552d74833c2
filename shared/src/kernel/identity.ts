import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { identity, type Identity } from '../contract/identity.js';
import { AppError } from './errors.js';

/** The header that carries the signed identity from the gateway to a service. */
export const IDENTITY_HEADER = 'x-waymark-identity';

const ISSUER = 'waymark-gateway';
const LIFETIME_SECONDS = 60;

/** Signs for one service (`aud`) at a time; only the gateway holds the private key. */
export function signIdentity(privateKey: string | KeyObject, service: string, claims: Identity): string {
  return jwt.sign({ identity: claims }, privateKey, {
    algorithm: 'ES256',
    issuer: ISSUER,
    audience: service,
    expiresIn: LIFETIME_SECONDS,
  });
}

/**
 * @param publicKeys one, or while the gateway's key is changed the old and the new one
 * @throws AppError `unauthenticated` for a missing, forged, expired or foreign identity.
 */
export function verifyIdentity(publicKeys: readonly KeyObject[], service: string, header: unknown): Identity {
  if (typeof header !== 'string') throw new AppError('unauthenticated', 'Unauthenticated.');
  let cause: unknown;
  for (const publicKey of publicKeys) {
    try {
      const claims = jwt.verify(header, publicKey, { algorithms: ['ES256'], issuer: ISSUER, audience: service });
      return identity.parse((claims as { identity?: unknown }).identity);
    } catch (error) {
      cause = error;
    }
  }
  throw new AppError('unauthenticated', 'Unauthenticated.', { cause });
}
