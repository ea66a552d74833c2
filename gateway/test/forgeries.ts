import { createHmac } from 'node:crypto';
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

/** Signs like the gateway, but implements the documented format independently. */
export function sign(privateKey: string, service: string, identity: Identity, options: jwt.SignOptions = {}): string {
  const claims = { identity };
  return jwt.sign(claims, privateKey, {
    algorithm: 'ES256',
    issuer: ISSUER,
    audience: service,
    expiresIn: 60,
    ...options,
  });
}

function claimsFor(service: string, identity: Identity) {
  return { identity, iss: ISSUER, aud: service, iat: nowSeconds(), exp: nowSeconds() + 60 };
}

/** Identities that a service must reject, by their defect. */
export const FORGERIES: Record<string, (keys: Keys, service: string, identity: Identity) => string | undefined> = {
  'no header': () => undefined,
  'an empty header': () => '',
  'plain JSON': (_keys, _service, identity) => JSON.stringify(identity),
  'no signature (alg none)': (_keys, service, identity) =>
    `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claimsFor(service, identity))}.`,
  'HS256 with the public key as the secret': (keys, service, identity) => {
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claimsFor(service, identity))}`;
    return `${signed}.${createHmac('sha256', keys.publicKey).update(signed).digest('base64url')}`;
  },
  'the key of a stranger': (_keys, service, identity) => sign(strangers.privateKey, service, identity),
  'the key of a stranger, sent along': (_keys, service, identity) =>
    sign(strangers.privateKey, service, identity, {
      header: { alg: 'ES256', jwk: strangers.publicKey, x5c: [strangers.publicKey] } as unknown as jwt.JwtHeader,
    }),
  'a signature for other claims': (keys, service, identity) => {
    const [header, , signature] = sign(keys.privateKey, service, { ...identity, request_id: 'another' }).split('.');
    return `${header}.${encode(claimsFor(service, identity))}.${signature}`;
  },
  'a cut signature': (keys, service, identity) => sign(keys.privateKey, service, identity).slice(0, -8),
  'an expired signature': (keys, service, identity) => sign(keys.privateKey, service, identity, { expiresIn: -1 }),
  'a signature for another service': (keys, _service, identity) => sign(keys.privateKey, 'elsewhere', identity),
  'a signature for no service': (keys, _service, identity) =>
    jwt.sign({ identity }, keys.privateKey, { algorithm: 'ES256', issuer: ISSUER, expiresIn: 60 }),
  'no issuer': (keys, service, identity) =>
    jwt.sign({ identity }, keys.privateKey, { algorithm: 'ES256', audience: service, expiresIn: 60 }),
  'another issuer': (keys, service, identity) => sign(keys.privateKey, service, identity, { issuer: 'somebody' }),
  'no identity in it': (keys, service) => sign(keys.privateKey, service, undefined as unknown as Identity),
  'an invented role': (keys, service, identity) =>
    sign(keys.privateKey, service, {
      ...identity,
      workspace: { ...ownerOf('acme').workspace!, role: 'superuser' as never },
    }),
};
