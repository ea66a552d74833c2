import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCall } from './parse-call.mjs';

/** The services behind the gateway. */
const SERVICES = ['auth', 'resource', 'analytics', 'webhook', 'domain', 'audit'];

/**
 * The keys of one installation: the secret that the gateway signs identities with, those that seal webhook secrets and the
 * secrets of two-factor sign-in, and the one that signs where audit logs end.
 */
export function makeKeys() {
  return {
    IDENTITY_SECRET: makeSecretKey(),
    WEBHOOK_SECRET_KEY: makeSecretKey(),
    TOTP_SECRET_KEY: makeSecretKey(),
    AUDIT_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

const makeSecretKey = () => randomBytes(32).toString('base64');

/** The `IDENTITY_KEY` of a service, as the gateway derives it from its secret: HKDF-SHA-256 (RFC 5869) with the name as `info`. */
export function deriveIdentityKey(secret, service) {
  return Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', service, 32)).toString('base64');
}

/** Writes each key into a file of the folder, which must not exist yet: no key is ever overwritten. */
function writeKeys(folder) {
  const keys = makeKeys();
  const derived = SERVICES.map((name) => [`${name}.IDENTITY_KEY`, deriveIdentityKey(keys.IDENTITY_SECRET, name)]);
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, key] of [...Object.entries(keys), ...derived])
    writeFileSync(join(folder, name), key, { mode: 0o600 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals } = parseCall({
    usage: 'usage: node deploy/images/make-keys.mjs FOLDER',
    positionals: ['FOLDER'],
  });
  writeKeys(positionals[0]);
}
