import { WaymarkError, type ClientOptions } from '@waymark/client';
import type { Progress } from './progress.js';

/** A reached request limit, or a process that is not ready yet: both pass without a change. */
const TRY_LATER = new Set([429, 503]);
const PATIENCE_MS = 600_000;

/** Options for a client that waits for as long as the API asks for, and sends its requests in the name of several members by turns. */
export function patientOptions(baseUrl: string, tokens: readonly string[], progress: Progress): ClientOptions {
  let requestCount = 0;
  return {
    baseUrl,
    retries: Infinity,
    timeoutMs: PATIENCE_MS,
    fetch: async (request) => {
      // Each member has a limit of requests a minute.
      request.headers.set('authorization', `Bearer ${tokens[requestCount % tokens.length]!}`);
      requestCount += 1;
      const response = await fetch(request);
      const seconds = response.headers.get('retry-after') ?? '1';
      if (TRY_LATER.has(response.status))
        progress(`the API answers ${response.status}; trying again after ${seconds} s`);
      return response;
    },
  };
}

/** Whether something else has the short code already, and nothing else is wrong. */
export const isCodeTaken = (error: unknown): boolean =>
  error instanceof WaymarkError &&
  error.problems.length > 0 &&
  error.problems.every(({ field }) => field === 'short_code');
