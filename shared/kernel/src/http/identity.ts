import { createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { identity, type Identity } from '@waymark/contract/identity';
import type { ServiceName } from '@waymark/contract/route';
import { AppError, unavailable } from '../errors.js';
import { SECRET_KEY_BYTES } from '../secret-box.js';

/** The header that carries the signed identity from the gateway to a service. */
export const IDENTITY_HEADER = 'x-waymark-identity';

const ALGORITHM = 'HS256';
const ISSUER = 'waymark-gateway';
/**
 * A request takes a moment from the gateway to its service; two clocks may differ by the rest. One that takes longer, as under overload,
 * is not served.
 */
const LIFETIME_SECONDS = 15;

/** The request that an identity is for. */
export interface SignedRequest {
  method: string;
  /** The request target with its query, as in the request line. */
  url: string;
  /** The bytes as they are sent; `undefined` without a body. */
  body?: Uint8Array | undefined;
}

interface Claims {
  identity?: unknown;
  /** The digest of method and URL; an identity for no request, such as the gateway's own, has no such claim. */
  request?: unknown;
  /** The digest of the body. */
  body?: unknown;
}

/** Where an identity is valid. */
export interface IdentityScope {
  service: string;
  request?: SignedRequest;
}

export interface VerifiedIdentity {
  identity: Identity;
  /** What the digest of the request's body must be; `undefined` for a request without a body. */
  bodyDigest: unknown;
}

/** HKDF (RFC 5869): from its own key a service can compute neither the gateway's secret nor the key of another service. */
export function deriveIdentityKey(secret: KeyObject, service: ServiceName): KeyObject {
  // A hash with a key object costs a fifth of one with its bytes.
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', service, SECRET_KEY_BYTES)));
}

/** Signs for one service (`aud`) and one request at a time. @param key that of the service */
export function signIdentity(key: KeyObject, claims: Identity, { service, request }: IdentityScope): string {
  return jwt.sign({ identity: claims, ...(request && claimsOf(request)) }, key, {
    algorithm: ALGORITHM,
    issuer: ISSUER,
    audience: service,
    expiresIn: LIFETIME_SECONDS,
  });
}

/**
 * Accepts an identity for the request that it was signed for. The caller compares the digest of the body, once it has read it.
 * @param keys one, or during a rotation the old and the new one
 * @throws AppError `unauthenticated` for a missing, forged or foreign identity; `service_unavailable` for one that has expired on the way.
 */
export function verifyIdentity(
  keys: readonly KeyObject[],
  header: unknown,
  { service, request }: IdentityScope,
): VerifiedIdentity {
  if (typeof header !== 'string') throw unauthenticated();
  let cause: unknown;
  for (const key of keys) {
    try {
      const verified = jwt.verify(header, key, { algorithms: [ALGORITHM], issuer: ISSUER, audience: service });
      const claims = verified as Claims;
      if (request && claims.request !== digestOf(request)) throw new Error('the identity is for another request');
      return { identity: identity.parse(claims.identity), bodyDigest: claims.body };
    } catch (error) {
      // Its signature is genuine: the caller must not take their own credential for a bad one.
      if (error instanceof jwt.TokenExpiredError) throw unavailable(error);
      cause = error;
    }
  }
  throw unauthenticated(cause);
}

/** @throws AppError `unauthenticated` for another body than the one that the identity was signed for */
export function checkBodyDigest(body: Uint8Array | undefined, digest: unknown): void {
  if (bodyDigestOf(body) !== digest) throw unauthenticated(new Error('the identity is for another body'));
}

const unauthenticated = (cause?: unknown) => new AppError('unauthenticated', 'Unauthenticated.', { cause });

const claimsOf = (request: SignedRequest): Claims => ({
  request: digestOf(request),
  ...(request.body && { body: bodyDigestOf(request.body) }),
});

/** A digest, since a long URL would not fit into the header a second time. */
const digestOf = ({ method, url }: SignedRequest): string => hash('sha256', `${method} ${url}`, 'base64url');

const bodyDigestOf = (body: Uint8Array | undefined): string | undefined => body && hash('sha256', body, 'base64url');
