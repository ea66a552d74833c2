import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const EXPOSED = [
  'Allow',
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-Request-Id',
  'X-Rows-Kept-From',
];

/** An API serves no pages: browsers must not frame, sniff, cache or execute its responses. */
export function securityHeaders(): RequestHandler {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    }),
  );
  headers.push(['Cache-Control', 'no-store']);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Returns the headers that a handler sets on every response: helmet has a handler for each, which takes time. */
function headersOf(handler: ReturnType<typeof helmet>): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  handler(request, response, (error) => {
    if (error) throw new Error('helmet set no headers', { cause: error });
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/** Pages of these origins may call the API with a bearer token; cookies only work on the API's own origin. */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const answerOrigin = cors({
    origin: [...origins],
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Accept',
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Prefer',
      'X-Request-Id',
    ],
    exposedHeaders: EXPOSED,
    maxAge: 600,
    // The route table answers OPTIONS.
    preflightContinue: true,
  });
  return (request, response, next) => {
    if (request.headers.origin !== undefined) return answerOrigin(request, response, next);
    response.vary('Origin');
    next();
  };
}
