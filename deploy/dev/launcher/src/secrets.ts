import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deriveIdentityKey } from '@waymark/kernel/http/identity';

/** A service behind the gateway. */
export type ApiService = Parameters<typeof deriveIdentityKey>[1];

/** Made once for a local installation; in production they come from the operator. */
export interface Secrets {
  identitySecret: string;
  webhookKey: string;
  auditKey: string;
  totpKey: string;
  /** The installation is older than its audit key: its logs are signed as they are found. */
  signsExistingLogs?: boolean;
}

export function loadOrCreateSecrets(file: string): Secrets {
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : undefined;
  if (stored?.auditKey && stored.totpKey && stored.identitySecret) return stored as Secrets;
  const secrets = { ...newSecrets(), ...stored };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return { ...secrets, signsExistingLogs: stored !== undefined && !stored.auditKey };
}

/** The setting of a service. */
export const identityKeyOf = ({ identitySecret }: Pick<Secrets, 'identitySecret'>, service: ApiService): string =>
  deriveIdentityKey(createSecretKey(identitySecret, 'base64'), service).export().toString('base64');

function newSecrets(): Secrets {
  const auditKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const secretKey = () => randomBytes(32).toString('base64');
  return { identitySecret: secretKey(), webhookKey: secretKey(), auditKey, totpKey: secretKey() };
}
