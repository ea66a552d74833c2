import type { Response } from 'express';
import type { LimitState } from '@waymark/contract/authorize';
import { tooManyRequests } from '@waymark/kernel/errors';

/** Sets the fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers) and the older `X-RateLimit-*` headers. */
export function setLimitHeaders(response: Response, state: LimitState, policy: 'workspace' | 'user'): void {
  response.setHeader('RateLimit-Policy', `"${policy}";q=${state.limit};w=${state.windowSeconds}`);
  response.setHeader('RateLimit', `"${policy}";r=${state.remaining};t=${state.resetSeconds}`);
  response.setHeader('X-RateLimit-Limit', String(state.limit));
  response.setHeader('X-RateLimit-Remaining', String(state.remaining));
}

/**
 * Keeps what counts the request, for `UnservedRequests`.
 * @throws AppError `rate_limit_exceeded`
 */
export function checkLimit(response: Response, state: LimitState): void {
  response.locals['limitEntry'] = state.entry;
  if (state.allowed) return;
  throw tooManyRequests('Too many requests. Try again later.', state.resetSeconds);
}
