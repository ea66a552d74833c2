import type { Dispatcher } from 'undici';
import type { ReceivedResponse } from '@waymark/contract/webhooks';
import type { AddressPolicy } from './address-policy.js';
import { exchange, NoAnswer, type Answer } from './exchange.js';
import { failureOf, refusalOf, timedOut, type Failure } from './failure.js';
import { checkKnownAddresses } from './guard.js';
import { KeptConnectionEnded } from './kept-connection.js';
import { retryAfterMs } from './retry-after.js';
import { signatureHeader } from './signature.js';
import { keptResponse, snippetOf } from './snippet.js';

/** Too Many Requests and Service Unavailable: the two statuses whose `Retry-After` counts. */
const COME_BACK_LATER = new Set([429, 503]);

export interface Message {
  url: string;
  secrets: readonly string[];
  /** The id of the event: the same on every attempt. */
  id: string;
  body: string;
}

export type Outcome = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  /** The part of the answer that the log keeps. */
  response: ReceivedResponse | null;
} & ({ failure: null } | { failure: Failure; retryAfterMs: number | null });

export interface Outbound {
  agent: Dispatcher;
  /** Makes a new connection for each request; absent if a proxy makes them. */
  freshAgent?: Dispatcher;
  policy: AddressPolicy;
  timeoutMs: number;
}

/** Makes one signed attempt. It always ends within the time limit and with an outcome. */
export async function post(outbound: Outbound, message: Message): Promise<Outcome> {
  const startedAt = new Date();
  const durationMs = (endedAt: number) => endedAt - startedAt.getTime();
  try {
    const url = new URL(message.url);
    checkKnownAddresses(url, outbound.policy);
    const answer = await send(outbound, requestOf(url, message, startedAt));
    return { startedAt, durationMs: durationMs(answer.answeredAt), ...verdictOn(answer) };
  } catch (error) {
    const failure = error instanceof NoAnswer ? timedOut(outbound.timeoutMs) : failureOf(error);
    const durationOfAll = durationMs(Date.now());
    return { startedAt, durationMs: durationOfAll, statusCode: null, response: null, failure, retryAfterMs: null };
  }
}

/** Retries at once if a kept connection had ended: that says nothing about the receiver. */
async function send({ agent, freshAgent, timeoutMs }: Outbound, request: Dispatcher.DispatchOptions): Promise<Answer> {
  const startedAt = performance.now();
  try {
    return await exchange(agent, request, timeoutMs);
  } catch (error) {
    if (!(error instanceof KeptConnectionEnded)) throw error;
    if (!freshAgent) throw error.cause;
    return exchange(freshAgent, request, timeoutMs - (performance.now() - startedAt));
  }
}

function requestOf(url: URL, message: Message, at: Date): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = url;
  return { origin, path: pathname + search, method: 'POST', headers: headersOf(message, at), body: message.body };
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

function verdictOn({ statusCode, headers, beginning }: Answer) {
  const bytes = Buffer.concat(beginning);
  const response = keptResponse(headers, bytes);
  if (statusCode >= 200 && statusCode < 300) return { statusCode, response, failure: null };
  const snippet = snippetOf(headers, bytes);
  const wait = COME_BACK_LATER.has(statusCode) ? retryAfterMs(headers['retry-after'], Date.now()) : null;
  return { statusCode, response, failure: refusalOf(statusCode, snippet), retryAfterMs: wait };
}
