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

/** @throws AppError `unauthenticated` for a missing, forged, expired or foreign identity. */
export function verifyIdentity(publicKey: string | KeyObject, service: string, header: unknown): Identity {
  if (typeof header !== 'string') throw new AppError('unauthenticated', 'Unauthenticated.');
  try {
    const claims = jwt.verify(header, publicKey, { algorithms: ['ES256'], issuer: ISSUER, audience: service });
    return identity.parse((claims as { identity?: unknown }).identity);
  } catch (error) {
    throw new AppError('unauthenticated', 'Unauthenticated.', { cause: error });
  }
}
