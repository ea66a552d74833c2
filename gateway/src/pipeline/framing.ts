import type { RequestHandler } from 'express';
import { bodyLimitOf, type RouteDefinition } from '@waymark/shared/contract/route';
import { AppError } from '@waymark/shared/kernel/errors';

/** What two readers may understand in two ways is not passed on to a second one (RFC 9112, 3.2 and 6.1). */
export const refuseAmbiguous: RequestHandler = (request, _response, next) => {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new AppError('bad_request', 'The only Transfer-Encoding is chunked.');
  }
  for (const name of ['host', 'authorization']) {
    if ((request.headersDistinct[name]?.length ?? 0) > 1) {
      throw new AppError('bad_request', `The header ${name} must be given once.`);
    }
  }
  next();
};

/**
 * The target without the host that it may name (RFC 9112, 3.2.2). Express skips every handler, and so the limits and the
 * log, for a host that it cannot parse.
 */
export function originForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const path = target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** A body that says itself that it is too large is refused before anybody waits for it; others the service counts. */
export function refuseTooLarge(route: RouteDefinition): RequestHandler {
  const limit = bodyLimitOf(route);
  return (request, _response, next) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      throw new AppError('payload_too_large', 'The body is too large.');
    }
    next();
  };
}
