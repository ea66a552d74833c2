import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Made once for a local installation; in production they come from the operator. */
export interface Secrets {
  privateKey: string;
  publicKey: string;
  webhookKey: string;
  auditKey: string;
  totpKey: string;
  /** The installation is older than its audit key: its logs are signed as they are found. */
  signsExistingLogs?: boolean;
}

export function loadOrCreateSecrets(file: string): Secrets {
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : undefined;
  if (stored?.auditKey && stored.totpKey) return stored as Secrets;
  const secrets = { ...newSecrets(), ...stored };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return { ...secrets, signsExistingLogs: stored !== undefined && !stored.auditKey };
}

function newSecrets(): Secrets {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const auditKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const sealingKey = () => randomBytes(32).toString('base64');
  return { privateKey, publicKey, webhookKey: sealingKey(), auditKey, totpKey: sealingKey() };
}
