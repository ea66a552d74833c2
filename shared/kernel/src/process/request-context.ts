import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import { redactCredentials } from './redact-credentials.js';

/** Identifies one request or message in every log line, event and call. */
export interface RequestContext {
  requestId: string;
  /** W3C trace context (https://www.w3.org/TR/trace-context/), this process's own span. */
  traceparent: string;
}

const storage = new AsyncLocalStorage<RequestContext | undefined>();

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs work that a request only starts: a loop in the background, which serves other requests as well. */
export function runOutsideContext<T>(work: () => T): T {
  return storage.run(undefined, work);
}

const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/;
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/** The caller's id for a request where it is sane, else a new one. */
export function requestIdOf(given: string | null | undefined): string {
  const isSane = given && SANE_REQUEST_ID.test(given) && redactCredentials(given) === given;
  return isSane ? given : randomUUID();
}

/** Takes over the caller's valid values, and generates the others. */
export function newContext(requestId?: string | null, traceparent?: string | null): RequestContext {
  const parent = TRACEPARENT.exec(traceparent ?? '');
  const traceId = parent?.[1] ?? randomHex(16);
  return {
    requestId: requestIdOf(requestId),
    traceparent: `00-${traceId}-${randomHex(8)}-${parent?.[2] ?? '01'}`,
  };
}

/** Bytes that are generated at once: a call of the generator costs much more than the bytes. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

function randomHex(length: number): string {
  if (used + length > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += length;
  return pool.toString('hex', used - length, used);
}
