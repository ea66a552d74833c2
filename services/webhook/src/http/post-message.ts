import type { Dispatcher } from 'undici';
import { uriOf } from '@waymark/kernel/http/uri';
import type { ReceivedResponse } from '@waymark/contract/webhooks';
import { exchange, ResponseTimeout, ReusedConnectionClosed, type PartialResponse } from './exchange.js';
import { failureOf, httpErrorOf, timeoutFailure, type Failure } from './failure.js';
import type { HttpClient } from './http-client.js';
import { signatureHeader } from './signature.js';
import { redactResponse, snippetOf } from './redact-response.js';

/** Too Many Requests and Service Unavailable: the two statuses whose `Retry-After` counts. */
const RETRY_AFTER_STATUSES = new Set([429, 503]);

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const FULL_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
/** The forms of a date in HTTP (RFC 9110, 5.6.7), the current one and the two obsolete ones. All are in UTC. */
const HTTP_DATE = new RegExp(
  [
    `^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`,
    `^${FULL_DAY}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`,
    `^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`,
  ].join('|'),
);

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
  /** The part of the response that the log keeps. */
  response: ReceivedResponse | null;
} & ({ failure: null } | { failure: Failure; retryAfterMs: number | null });

export type FailedOutcome = Extract<Outcome, { retryAfterMs: number | null }>;

/** Sends one signed message. Always returns an outcome, within the time limit. */
export async function postMessage(client: HttpClient, message: Message): Promise<Outcome> {
  const startedAt = new Date();
  const durationMs = (endedAt: number) => endedAt - startedAt.getTime();
  try {
    const response = await sendRequest(client, requestOf(new URL(message.url), message, startedAt));
    return { startedAt, durationMs: durationMs(response.respondedAt), ...outcomeOf(response) };
  } catch (error) {
    const failure = error instanceof ResponseTimeout ? timeoutFailure(client.timeoutMs) : failureOf(error);
    const totalMs = durationMs(Date.now());
    return { startedAt, durationMs: totalMs, statusCode: null, response: null, failure, retryAfterMs: null };
  }
}

/** Retries at once if a reused connection was closed: that says nothing about the receiver. */
async function sendRequest(
  { agent, freshAgent, timeoutMs }: HttpClient,
  request: Dispatcher.DispatchOptions,
): Promise<PartialResponse> {
  const startedAt = performance.now();
  try {
    return await exchange(agent, request, timeoutMs);
  } catch (error) {
    if (!(error instanceof ReusedConnectionClosed)) throw error;
    return exchange(freshAgent, request, timeoutMs - (performance.now() - startedAt));
  }
}

function requestOf(url: URL, message: Message, sentAt: Date): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = url;
  const path = uriOf(origin + pathname + search).slice(origin.length);
  return { origin, path, method: 'POST', headers: headersOf(message, sentAt), body: message.body };
}

function headersOf({ id, secrets, body }: Message, sentAt: Date): Record<string, string> {
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Waymark-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader(secrets, { id, timestamp, body }),
  };
}

function outcomeOf({ statusCode, headers, respondedAt, bodyStart }: PartialResponse) {
  const bytes = Buffer.concat(bodyStart);
  const response = redactResponse(headers, bytes);
  if (statusCode >= 200 && statusCode < 300) return { statusCode, response, failure: null };
  const snippet = snippetOf(headers, bytes);
  const wait = RETRY_AFTER_STATUSES.has(statusCode) ? retryAfterMs(headers['retry-after'], respondedAt) : null;
  return { statusCode, response, failure: httpErrorOf(statusCode, snippet), retryAfterMs: wait };
}

/** Returns the milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), or null if it is neither. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
