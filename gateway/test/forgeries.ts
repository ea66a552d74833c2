import { createHmac, hash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Identity } from '@waymark/contract/identity';
import { identityKeys } from '@waymark/testing/keys';

/** The identity that a forger would claim: an owner of `workspace`. */
export function ownerOf(workspace: string | null): Identity {
  const plan = {
    name: 'enterprise' as const,
    activeLinks: null,
    customDomains: null,
    entitlements: ['audit_logs.export' as const],
  };
  return {
    actor: { type: 'user', id: 'usr_owner', name: 'Owner', email: 'owner@example.com', token_id: null },
    workspace: workspace === null ? null : { slug: workspace, role: 'owner', abilities: ['read', 'write'], plan },
    session_id: 'ses_1',
    request_id: 'forged',
    ip_address: '127.0.0.1',
  };
}

interface Keys {
  privateKey: string;
  publicKey: string;
}

const ISSUER = 'waymark-gateway';
const strangers = identityKeys();
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** A request, as far as an identity is bound to it. */
export interface Bound {
  method: string;
  url: string;
  body?: string;
}

/** What binds an identity to a request. */
export const boundTo = ({ method, url, body }: Bound) => ({
  request: hash('sha256', `${method} ${url}`, 'base64url'),
  ...(body !== undefined && { body: hash('sha256', body, 'base64url') }),
});

export interface Signed {
  service: string;
  identity: Identity;
  request?: Bound;
}

/** Signs like the gateway, but implements the documented format independently. */
export function sign(
  privateKey: string,
  { service, identity, request }: Signed,
  options: jwt.SignOptions = {},
): string {
  const claims = { identity, ...(request && boundTo(request)) };
  return jwt.sign(claims, privateKey, {
    algorithm: 'ES256',
    issuer: ISSUER,
    audience: service,
    expiresIn: 15,
    ...options,
  });
}

const claimsFor = ({ service, identity, request }: Signed) => ({
  ...{ identity, ...(request && boundTo(request)) },
  ...{ iss: ISSUER, aud: service, iat: nowSeconds(), exp: nowSeconds() + 15 },
});

/** Identities that a service must reject, by their defect. */
export const FORGERIES: Record<string, (keys: Keys, signed: Signed) => string | undefined> = {
  'no header': () => undefined,
  'an empty header': () => '',
  'plain JSON': (_keys, { identity }) => JSON.stringify(identity),
  'no signature (alg none)': (_keys, signed) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimsFor(signed))}.`,
  'HS256 with the public key as the secret': (keys, signed) => {
    const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claimsFor(signed))}`;
    return `${text}.${createHmac('sha256', keys.publicKey).update(text).digest('base64url')}`;
  },
  'the key of a stranger': (_keys, signed) => sign(strangers.privateKey, signed),
  'the key of a stranger, sent along': (_keys, signed) =>
    sign(strangers.privateKey, signed, {
      header: { alg: 'ES256', jwk: strangers.publicKey, x5c: [strangers.publicKey] } as unknown as jwt.JwtHeader,
    }),
  'a signature for other claims': (keys, signed) => {
    const identity = { ...signed.identity, request_id: 'another' };
    const [header, , signature] = sign(keys.privateKey, { ...signed, identity }).split('.');
    return `${header}.${encode(claimsFor(signed))}.${signature}`;
  },
  'a cut signature': (keys, signed) => sign(keys.privateKey, signed).slice(0, -8),
  'an expired signature': (keys, signed) => sign(keys.privateKey, signed, { expiresIn: -1 }),
  'a signature for another service': (keys, signed) => sign(keys.privateKey, { ...signed, service: 'elsewhere' }),
  'a signature for no service': (keys, { identity, request }) =>
    jwt.sign({ identity, ...boundTo(request!) }, keys.privateKey, {
      algorithm: 'ES256',
      issuer: ISSUER,
      expiresIn: 15,
    }),
  'no issuer': (keys, { service, identity, request }) =>
    jwt.sign({ identity, ...boundTo(request!) }, keys.privateKey, {
      algorithm: 'ES256',
      audience: service,
      expiresIn: 15,
    }),
  'another issuer': (keys, signed) => sign(keys.privateKey, signed, { issuer: 'somebody' }),
  'no identity in it': (keys, signed) =>
    sign(keys.privateKey, { ...signed, identity: undefined as unknown as Identity }),
  'an invented role': (keys, signed) =>
    sign(keys.privateKey, {
      ...signed,
      identity: { ...signed.identity, workspace: { ...ownerOf('acme').workspace!, role: 'superuser' as never } },
    }),
};

/** Identities that a service must reject where they are for a request of a member, by their defect. */
export const UNBOUND: Record<string, (keys: Keys, signed: Signed) => string> = {
  'an identity for no request': (keys, { service, identity }) => sign(keys.privateKey, { service, identity }),
  'an identity for another path': (keys, signed) =>
    sign(keys.privateKey, { ...signed, request: { ...signed.request!, url: '/api/v1/workspaces/acme/elsewhere' } }),
  'an identity for another method': (keys, signed) =>
    sign(keys.privateKey, { ...signed, request: { ...signed.request!, method: 'OPTIONS' } }),
};
