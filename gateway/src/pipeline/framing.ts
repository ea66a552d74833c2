import type { Request, RequestHandler } from 'express';
import { bodyLimitOf, type RouteDefinition } from '@waymark/contract/route';
import { AppError } from '@waymark/kernel/errors';

/** Rejects requests that two HTTP parsers may read differently (RFC 9112, 3.2 and 6.1). */
export const rejectAmbiguous: RequestHandler = (request, _response, next) => {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new AppError('bad_request', 'The Transfer-Encoding must be chunked.');
  }
  for (const name of ['host', 'authorization']) {
    if (countHeaders(request, name) > 1) {
      throw new AppError('bad_request', `The header ${name} must be given once.`);
    }
  }
  next();
};

/** `headersDistinct` would copy all headers. */
function countHeaders({ rawHeaders }: Request, lowerCaseName: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) count += 1;
  }
  return count;
}

/**
 * Returns the request target without the host of an absolute form (RFC 9112, 3.2.2). For a host that Express cannot
 * parse, Express skips every handler, including the limits and the log.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const path = target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Rejects a body by its `Content-Length` before it is received; `readBody` counts the bytes of the others. */
export function rejectTooLarge(route: RouteDefinition): RequestHandler {
  const limit = bodyLimitOf(route);
  return (request, _response, next) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      throw new AppError('payload_too_large', `The body must be at most ${limit} bytes.`);
    }
    next();
  };
}
