import { retryAfterOf, WaymarkError } from './error.js';

export interface RetryOptions {
  /** How often a call is repeated at most, 4 unless given; 0 for never. */
  retries?: number;
  /** Milliseconds for a call with all its attempts, the waits between them and the answer's body; 120,000 unless given. */
  timeoutMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

const RETRIES = 4;
const TIMEOUT_MS = 120_000;
/** The statuses of requests that were refused, or not carried out, for a while. */
const TEMPORARY: readonly number[] = [429, 503];
const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 20_000;

/** Makes the request of one attempt: a request that was sent once cannot be sent again. */
type NewRequest = (signal: AbortSignal) => Request;

/**
 * Repeats requests after 429, 503 and network errors, no earlier than `Retry-After` says. A POST is repeated only with an
 * `Idempotency-Key`, or when the limit refused it: otherwise it might take effect twice.
 */
export function retrying(send: Fetch, { retries = RETRIES, timeoutMs = TIMEOUT_MS }: RetryOptions) {
  return async (newRequest: NewRequest, caller?: AbortSignal): Promise<Response> => {
    const endsAt = Date.now() + timeoutMs;
    const signal = AbortSignal.any([...(caller ? [caller] : []), AbortSignal.timeout(timeoutMs)]);
    for (let attempt = 0; ; attempt += 1) {
      const request = newRequest(signal);
      const outcome = await attemptOnce(send, request);
      const delayMs = delayOf(outcome, attempt);
      const isLast = attempt >= retries || !isWorthRepeating(request, outcome) || Date.now() + delayMs >= endsAt;
      if (isLast || signal.aborted) return finish(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(delayMs, signal);
      if (signal.aborted) return finish(outcome);
    }
  };
}

/** An answer, or what was thrown instead. */
type Outcome = Response | { thrown: unknown };

async function attemptOnce(send: Fetch, request: Request): Promise<Outcome> {
  try {
    return await send(request);
  } catch (thrown) {
    return { thrown };
  }
}

function isWorthRepeating({ method, headers }: Request, outcome: Outcome): boolean {
  if (outcome instanceof Response && !TEMPORARY.includes(outcome.status)) return false;
  const isRefused = outcome instanceof Response && outcome.status === 429;
  return isRefused || method !== 'POST' || headers.has('idempotency-key');
}

/** Returns a random part of an exponential delay, after what the answer asks for. */
function delayOf(outcome: Outcome, attempt: number): number {
  const askedMs = (outcome instanceof Response ? (retryAfterOf(outcome) ?? 0) : 0) * 1000;
  return askedMs + Math.random() * Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** attempt);
}

function finish(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  throw outcome.thrown;
}

/** Returns the error of a call that got no answer, only a part of it, or one that is not the API's. */
export function withoutAnswer(cause: unknown): WaymarkError {
  if (cause instanceof WaymarkError) return cause;
  if (cause instanceof SyntaxError)
    return new WaymarkError({ code: 'unknown', message: 'The answer is not JSON.', cause });
  const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError';
  return isTimeout
    ? new WaymarkError({ code: 'timeout', message: 'The server did not answer in time.', cause })
    : new WaymarkError({ code: 'network_error', message: 'The server cannot be reached.', cause });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
