import { hash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Identity } from '@waymark/contract/identity';
import type { ServiceName } from '@waymark/contract/route';
import { secretKey } from '@waymark/testing/keys';

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
  /** That of the service. */
  own: string;
  /** That of another service, derived from the same secret. */
  other: { service: ServiceName; key: string };
}

const ISSUER = 'waymark-gateway';
const strangersKey = secretKey();
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
export function sign(key: string, { service, identity, request }: Signed, options: jwt.SignOptions = {}): string {
  const claims = { identity, ...(request && boundTo(request)) };
  return jwt.sign(claims, Buffer.from(key, 'base64'), {
    algorithm: 'HS256',
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

function signWithout(name: 'aud' | 'iss', key: string, signed: Signed): string {
  const { [name]: _left, ...claims } = claimsFor(signed);
  return jwt.sign(claims, Buffer.from(key, 'base64'), { algorithm: 'HS256' });
}

/** Identities that a service must reject, by their defect. */
export const FORGERIES: Record<string, (keys: Keys, signed: Signed) => string | undefined> = {
  'no header': () => undefined,
  'an empty header': () => '',
  'plain JSON': (_keys, { identity }) => JSON.stringify(identity),
  'no signature (alg none)': (_keys, signed) => `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimsFor(signed))}.`,
  'another algorithm': ({ own }, signed) => sign(own, signed, { algorithm: 'HS512' }),
  'the key of a stranger': (_keys, signed) => sign(strangersKey, signed),
  'the key of a stranger, sent along': (_keys, signed) =>
    sign(strangersKey, signed, {
      header: { alg: 'HS256', jwk: { kty: 'oct', k: strangersKey } } as unknown as jwt.JwtHeader,
    }),
  'the key of another service': ({ other }, signed) => sign(other.key, signed),
  'an identity for another service': ({ other: { service, key } }, signed) => sign(key, { ...signed, service }),
  'a signature for other claims': ({ own }, signed) => {
    const identity = { ...signed.identity, request_id: 'another' };
    const [header, , signature] = sign(own, { ...signed, identity }).split('.');
    return `${header}.${encode(claimsFor(signed))}.${signature}`;
  },
  'a cut signature': ({ own }, signed) => sign(own, signed).slice(0, -8),
  'a fourth part': ({ own }, signed) => `${sign(own, signed)}.e30`,
  'an expired signature of a stranger': (_keys, signed) => sign(strangersKey, signed, { expiresIn: -1 }),
  'a signature for another audience': ({ own }, signed) => sign(own, { ...signed, service: 'elsewhere' }),
  'a signature for no service': ({ own }, signed) => signWithout('aud', own, signed),
  'no issuer': ({ own }, signed) => signWithout('iss', own, signed),
  'another issuer': ({ own }, signed) => sign(own, signed, { issuer: 'somebody' }),
  'no identity in it': ({ own }, signed) => sign(own, { ...signed, identity: undefined as unknown as Identity }),
  'an invented role': ({ own }, signed) =>
    sign(own, {
      ...signed,
      identity: { ...signed.identity, workspace: { ...ownerOf('acme').workspace!, role: 'superuser' as never } },
    }),
};

/** Identities that a service must reject where they are for a request of a member, by their defect. */
export const UNBOUND: Record<string, (keys: Keys, signed: Signed) => string> = {
  'an identity for no request': ({ own }, { service, identity }) => sign(own, { service, identity }),
  'an identity for another path': ({ own }, signed) =>
    sign(own, { ...signed, request: { ...signed.request!, url: '/api/v1/workspaces/acme/elsewhere' } }),
  'an identity for another method': ({ own }, signed) =>
    sign(own, { ...signed, request: { ...signed.request!, method: 'OPTIONS' } }),
};
