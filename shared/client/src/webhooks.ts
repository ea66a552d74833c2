import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { webhooks as LinksWebhooks } from './generated/links.js';
import type { webhooks as QrWebhooks } from './generated/qr.js';

export { WebhookVerificationError };

type EventOf<W> = {
  [T in keyof W]: W[T] extends { post: { requestBody: { content: { 'application/json': infer Event } } } }
    ? Event
    : never;
}[keyof W];
/** An event as receivers get it; `type` tells what `data` has. */
export type LinksEvent = EventOf<LinksWebhooks>;
export type QrEvent = EventOf<QrWebhooks>;

type HeadersLike = Headers | Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the event of a delivery whose signature is right and at most five minutes old
 * (https://www.standardwebhooks.com).
 * @param body the bytes or the text as received: a body that was parsed and written again has another signature
 * @param secret the endpoint's `whsec_…`
 * @throws WebhookVerificationError
 */
export function verify<Event = LinksEvent | QrEvent>(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string,
): Event {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return new Webhook(secret).verify(text, signedHeaders(headers)) as Event;
}

const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function signedHeaders(headers: HeadersLike): Record<string, string> {
  const valueOf = (name: string) => (headers instanceof Headers ? headers.get(name) : headers[name]);
  return Object.fromEntries(SIGNED.map((name) => [name, String(valueOf(name) ?? '')]));
}
