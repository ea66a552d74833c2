import type { Response } from 'express';
import type { LimitState } from '@waymark/shared/contract/authorize';
import { AppError } from '@waymark/shared/kernel/errors';

/** The IETF draft's fields (draft-ietf-httpapi-ratelimit-headers) and the older `X-RateLimit-*` beside them. */
export function setLimitHeaders(response: Response, state: LimitState): void {
  response.setHeader('RateLimit-Policy', `"workspace";q=${state.limit};w=${state.windowSeconds}`);
  response.setHeader('RateLimit', `"workspace";r=${state.remaining};t=${state.resetSeconds}`);
  response.setHeader('X-RateLimit-Limit', String(state.limit));
  response.setHeader('X-RateLimit-Remaining', String(state.remaining));
}

/** @throws AppError `rate_limit_exceeded` */
export function checkLimit(state: LimitState): void {
  if (state.allowed) return;
  throw new AppError('rate_limit_exceeded', 'Too many requests. Try again later.', {
    headers: { 'Retry-After': String(state.resetSeconds) },
  });
}
