import { request, type Dispatcher } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { failureOf, refusalOf, timedOut, type Failure } from './failure.js';
import { checkKnownAddresses } from './guard.js';
import { retryAfterMs } from './retry-after.js';
import { signatureHeader } from './signature.js';
import { snippetOf } from './snippet.js';

/** This much of an answer is read, so that the connection can be used again; its status counts whatever follows. */
const ANSWER_BYTES_MAX = 8192;
const ANSWER_WAIT_MS = 1000;
/** Too much for now, and not available: the two answers that may say when to come back. */
const COME_BACK_LATER = new Set([429, 503]);

export interface Message {
  url: string;
  secrets: readonly string[];
  /** The id of the event: the same on every attempt. */
  id: string;
  body: string;
}

export type Outcome = { startedAt: Date; durationMs: number; statusCode: number | null } & (
  { failure: null } | { failure: Failure; retryAfterMs: number | null }
);

export interface Outbound {
  agent: Dispatcher;
  policy: AddressPolicy;
  timeoutMs: number;
}

/** One signed attempt. Whatever the receiver does, it ends within the time limit and with an outcome. */
export async function post(outbound: Outbound, message: Message): Promise<Outcome> {
  const startedAt = new Date();
  const timing = () => ({ startedAt, durationMs: Date.now() - startedAt.getTime() });
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), outbound.timeoutMs);
  try {
    const url = new URL(message.url);
    checkKnownAddresses(url, outbound.policy);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: outbound.agent,
      method: 'POST',
      headers: headersOf(message, startedAt),
      body: message.body,
      signal: limit.signal,
    });
    const answered = { ...timing(), statusCode };
    clearTimeout(timer);
    if (statusCode >= 200 && statusCode < 300) {
      await inTime(body, () => body.dump({ limit: ANSWER_BYTES_MAX }));
      return { ...answered, failure: null };
    }
    const bytes = await inTime(body, () => beginningOf(body));
    const wait = COME_BACK_LATER.has(statusCode) ? retryAfterMs(headers['retry-after'], Date.now()) : null;
    return { ...answered, failure: refusalOf(statusCode, snippetOf(headers, bytes)), retryAfterMs: wait };
  } catch (error) {
    const failure = limit.signal.aborted ? timedOut(outbound.timeoutMs) : failureOf(error);
    return { ...timing(), statusCode: null, failure, retryAfterMs: null };
  } finally {
    clearTimeout(timer);
  }
}

function headersOf({ id, secrets, body }: Message, at: Date): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Waymark-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(secrets, id, timestamp, body),
  };
}

type Body = Dispatcher.ResponseData['body'];

/** Gives an answer up that does not come to its end in time: how it ends is the receiver's affair. */
function inTime<T>(body: Body, read: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => body.destroy(), ANSWER_WAIT_MS);
  return read().finally(() => clearTimeout(timer));
}

/** What comes of an answer within the limits. */
async function beginningOf(body: Body): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // It broke off.
  }
  return Buffer.concat(chunks);
}
