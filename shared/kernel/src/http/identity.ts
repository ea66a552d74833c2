import { hash, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { identity, type Identity } from '@waymark/contract/identity';
import { AppError } from '../errors.js';

/** The header that carries the signed identity from the gateway to a service. */
export const IDENTITY_HEADER = 'x-waymark-identity';

const ISSUER = 'waymark-gateway';
const LIFETIME_SECONDS = 60;

/** The request that an identity is for. */
export interface SignedRequest {
  method: string;
  /** The request target with its query, as in the request line. */
  url: string;
}

interface Claims {
  identity?: unknown;
  /** The digest of the request; an identity for no request, such as the gateway's own, has no such claim. */
  request?: unknown;
}

/** Where an identity is valid. */
export interface IdentityScope {
  service: string;
  request?: SignedRequest;
}

/** Signs for one service (`aud`) and one request at a time; only the gateway holds the private key. */
export function signIdentity(
  privateKey: string | KeyObject,
  claims: Identity,
  { service, request }: IdentityScope,
): string {
  return jwt.sign({ identity: claims, ...(request && { request: digestOf(request) }) }, privateKey, {
    algorithm: 'ES256',
    issuer: ISSUER,
    audience: service,
    expiresIn: LIFETIME_SECONDS,
  });
}

/**
 * Accepts an identity for the request that it was signed for. One that names no request passes: gateways of an earlier
 * version sign such identities, and the claim cannot be removed from a signed identity.
 * @param publicKeys one, or during a rotation of the gateway's key the old and the new one
 * @throws AppError `unauthenticated` for a missing, forged, expired or foreign identity.
 */
export function verifyIdentity(
  publicKeys: readonly KeyObject[],
  header: unknown,
  { service, request }: IdentityScope,
): Identity {
  if (typeof header !== 'string') throw new AppError('unauthenticated', 'Unauthenticated.');
  let cause: unknown;
  for (const publicKey of publicKeys) {
    try {
      const verified = jwt.verify(header, publicKey, { algorithms: ['ES256'], issuer: ISSUER, audience: service });
      const claims = verified as Claims;
      if (request && claims.request !== undefined && claims.request !== digestOf(request)) {
        throw new Error('the identity is for another request');
      }
      return identity.parse(claims.identity);
    } catch (error) {
      cause = error;
    }
  }
  throw new AppError('unauthenticated', 'Unauthenticated.', { cause });
}

/** A digest, since a long URL would not fit into the header a second time. */
const digestOf = ({ method, url }: SignedRequest): string => hash('sha256', `${method} ${url}`, 'base64url');
