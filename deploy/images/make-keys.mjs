import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The keys of one installation: the pair the gateway signs identities with, and the one that seals webhook secrets. */
export function makeKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    IDENTITY_PRIVATE_KEY: privateKey,
    IDENTITY_PUBLIC_KEY: publicKey,
    WEBHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
  };
}

/** For Compose: each key in a folder, that is a volume, of its own. What is there stays as it is. */
function writeKeys(folder) {
  const keys = makeKeys();
  const files = {
    IDENTITY_PUBLIC_KEY: join(folder, 'identity-public', 'key'),
    WEBHOOK_SECRET_KEY: join(folder, 'webhook-secret', 'key'),
    // Last: its presence says that all are written.
    IDENTITY_PRIVATE_KEY: join(folder, 'identity-private', 'key'),
  };
  if (existsSync(files.IDENTITY_PRIVATE_KEY)) return;
  for (const [name, file] of Object.entries(files)) {
    mkdirSync(dirname(file), { recursive: true });
    // Who may read a key is decided by who is given its volume.
    writeFileSync(file, keys[name], { mode: 0o644 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('usage: node deploy/images/make-keys.mjs FOLDER');
    process.exit(2);
  }
  writeKeys(folder);
}
