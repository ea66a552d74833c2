import { createHmac, createSecretKey } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

interface SignedMessage {
  id: string;
  /** Seconds. */
  timestamp: number;
  body: string;
}

/**
 * Returns the `webhook-signature` header of Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): one signature for each
 * secret that is valid now.
 */
export function signatureHeader(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  return secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(' ');
}

function signature(secret: string, content: string): string {
  // In Node.js 24 an HMAC with a buffer takes four times as long.
  const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
