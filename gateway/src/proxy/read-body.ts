import type { Request, RequestHandler, Response } from 'express';
import { bodyLimitOf, type RouteDefinition } from '@waymark/contract/route';
import { abortSignalOf } from '@waymark/kernel/http/abort-signal';
import { collectBody, hasBody, LARGE_BODY_BYTES } from '@waymark/kernel/http/read-body';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { identityOf } from './request-places.js';

/** Large bodies in memory, of up to 10 MiB each. */
const LARGE_BODIES = { total: 8, perKey: 4 };

export const newLargeBodies = (): KeyedLimit => new KeyedLimit(LARGE_BODIES);

export const bodyOf = (response: Response): Buffer | undefined => response.locals['body'] as Buffer | undefined;

/** Lets go of a body that its service has received, or that has no further use. */
export function releaseBody(response: Response): void {
  delete response.locals['body'];
  (response.locals['releaseLargeBody'] as (() => void) | undefined)?.();
}

/**
 * Reads the whole body before the request takes a place at its service: a slow or stalled client holds only its connection and
 * the bytes it has sent, for a limited time.
 */
export function readBody({ largeBodies }: { largeBodies: KeyedLimit }, route: RouteDefinition): RequestHandler {
  const limit = bodyLimitOf(route);
  return async (request, response, next) => {
    // The client disconnected during authorization: no later event would end the wait for the body.
    if (response.destroyed) return;
    if (hasBody(request) && mayBeLarge(request, limit)) {
      const workspace = identityOf(response).workspace?.slug ?? '';
      response.locals['releaseLargeBody'] = await largeBodies.acquire(workspace, abortSignalOf(response));
      response.once('close', () => releaseBody(response));
    }
    // The client waits for 100 Continue before it sends its body.
    if (request.headers.expect !== undefined) response.writeContinue();
    if (!hasBody(request)) return next();
    response.locals['body'] = await collectBody(request, limit);
    next();
  };
}

function mayBeLarge({ headers }: Request, limit: number): boolean {
  const length = headers['content-length'];
  return limit > LARGE_BODY_BYTES && (length === undefined || Number(length) > LARGE_BODY_BYTES);
}
