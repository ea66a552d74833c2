import { Agent, type ClientRequest } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Identity } from '@waymark/shared/contract/identity';
import type { ServiceName } from '@waymark/shared/contract/route';
import { unavailable } from '@waymark/shared/kernel/errors';
import { sendError } from '@waymark/shared/kernel/http/envelope';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import { currentContext } from '@waymark/shared/kernel/request-context';
import type { GatewayContext } from '../context.js';

const SOCKETS_MAX = 256;
const HOP_BY_HOP = ['keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'upgrade'];
const KEPT: ReadonlySet<string> = new Set([
  '',
  'transfer-encoding',
  'content-length',
  'x-request-id',
  'traceparent',
  IDENTITY_HEADER,
]);

/** Sends a request on to its service: bodies streamed both ways, connections kept, the identity signed for it alone. */
export function proxyTo(ctx: GatewayContext, service: ServiceName, target: string): RequestHandler[] {
  const forward = createProxyMiddleware<Request, Response>({
    target,
    agent: new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    proxyTimeout: ctx.config.UPSTREAM_TIMEOUT_MS,
    plugins: [keepFraming],
    on: {
      proxyReq: (upstream, request, response) => {
        ownConnection(upstream, request.headers.connection);
        abortWithClient(upstream, response);
      },
      proxyRes: (answer, _request, response) => {
        if (!response.shouldKeepAlive) answer.headers.connection = 'close';
      },
      error: (error, request, response) => {
        if ('req' in response) sendError(response, request.originalUrl, unavailable(error), ctx.log);
        else response.destroy();
      },
    },
  });
  const prepare: RequestHandler = (request, response, next) => {
    rewriteHeaders(request);
    const identity = response.locals['identity'] as Identity;
    request.headers[IDENTITY_HEADER] = signIdentity(ctx.config.IDENTITY_PRIVATE_KEY, service, identity);
    next();
  };
  return [prepare, forward];
}

/** Nothing that a client sends may look like ours, and no service needs to see a credential. */
function rewriteHeaders(request: Request): void {
  const { headers } = request;
  for (const name of Object.keys(headers)) {
    if (/^x[-_]waymark[-_]/.test(name)) delete headers[name];
  }
  delete headers.authorization;
  delete headers.cookie;
  // Has been answered here.
  delete headers.expect;
  const context = currentContext()!;
  headers['x-request-id'] = context.requestId;
  headers['traceparent'] = context.traceparent;
}

/**
 * http-proxy would declare a chunked DELETE empty and send its body all the same: the service would read that as the
 * start of the next request, which is somebody else's.
 */
function keepFraming(proxy: unknown): void {
  const server = proxy as { webPasses: { name: string }[] };
  server.webPasses = server.webPasses.filter((pass) => pass.name !== 'deleteLength');
}

/** What a client tells its own connection, or names there, is not for the next one (RFC 9110, 7.6.1); framing stays. */
function ownConnection(upstream: ClientRequest, connection = ''): void {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  for (const name of [...named, ...HOP_BY_HOP]) if (!KEPT.has(name)) upstream.removeHeader(name);
  upstream.setHeader('connection', 'keep-alive');
}

/** A client that goes away takes its upstream request with it. */
function abortWithClient(upstream: ClientRequest, response: Response): void {
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
}
