import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCall } from './parse-call.mjs';

/**
 * The keys of one installation: the pair the gateway signs identities with, those that seal webhook secrets and the
 * secrets of two-factor sign-in, and the one that signs where audit logs end.
 */
export function makeKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    IDENTITY_PRIVATE_KEY: privateKey,
    IDENTITY_PUBLIC_KEY: publicKey,
    WEBHOOK_SECRET_KEY: makeSealingKey(),
    TOTP_SECRET_KEY: makeSealingKey(),
    AUDIT_SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

export const makeSealingKey = () => randomBytes(32).toString('base64');

/** Writes each key into a file of the folder, which must not exist yet: no key is ever overwritten. */
function writeKeys(folder) {
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, key] of Object.entries(makeKeys())) writeFileSync(join(folder, name), key, { mode: 0o600 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals } = parseCall({
    usage: 'usage: node deploy/images/make-keys.mjs FOLDER',
    positionals: ['FOLDER'],
  });
  writeKeys(positionals[0]);
}
