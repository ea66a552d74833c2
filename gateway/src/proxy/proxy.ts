import { Agent } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Identity } from '@waymark/shared/contract/identity';
import type { ServiceName } from '@waymark/shared/contract/route';
import { AppError, unavailable } from '@waymark/shared/kernel/errors';
import { KEEP_ALIVE_TIMEOUT_MS } from '@waymark/shared/kernel/http/api';
import { sendError } from '@waymark/shared/kernel/http/envelope';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import { currentContext } from '@waymark/shared/kernel/request-context';
import type { GatewayContext } from '../context.js';

/** Requests that one service may owe an answer: beyond that it is too slow for what is asked of it. */
const IN_FLIGHT_MAX = 1024;
const IDLE_SOCKETS_MAX = 256;
/** Well before a service ends an idle connection: a request must not be sent into one that is just being closed. */
const IDLE_TIMEOUT_MS = KEEP_ALIVE_TIMEOUT_MS / 2;
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'trailer', 'upgrade'];
/** Framing, and what a request cannot do without: naming them as one's own takes nothing away. */
const KEPT: ReadonlySet<string> = new Set(['', 'host', 'transfer-encoding', 'content-length']);

/** Sends a request on to its service: bodies streamed both ways, connections kept, the identity signed for it alone. */
export function proxyTo(ctx: GatewayContext, service: ServiceName, target: string): RequestHandler[] {
  // No bound on sockets: a request that waits for one has its headers written already, and nothing could be told any more.
  const forward = createProxyMiddleware<Request, Response>({
    target,
    agent: new Agent({ keepAlive: true, maxFreeSockets: IDLE_SOCKETS_MAX, timeout: IDLE_TIMEOUT_MS }),
    proxyTimeout: ctx.config.UPSTREAM_TIMEOUT_MS,
    plugins: [keepFraming],
    on: {
      proxyReq: (upstream, _request, response) => {
        upstream.once('timeout', () => (response.locals['timedOut'] = true));
      },
      proxyRes: (answer, _request, response) => {
        if (!response.shouldKeepAlive) answer.headers.connection = 'close';
        // What breaks off must not look like what waits: the client is cut off as the gateway was.
        answer.once('close', () => answer.complete || response.destroy());
      },
      error: (error, request, response) => {
        if (!('req' in response)) return void response.destroy();
        const isClientSlow = response.locals['timedOut'] === true && !request.complete;
        sendError(response, request.originalUrl, isClientSlow ? bodyOverdue() : unavailable(error), ctx.log);
      },
    },
  });
  let inFlight = 0;
  const prepare: RequestHandler = (request, response, next) => {
    if (inFlight >= IN_FLIGHT_MAX) throw unavailable(new Error(`${service} owes ${inFlight} answers`));
    inFlight += 1;
    response.once('close', () => (inFlight -= 1));
    // Asked for by a client that waits with its body: by now it is known that somebody wants it.
    if (request.headers.expect !== undefined) response.writeContinue();
    rewriteHeaders(request);
    const identity = response.locals['identity'] as Identity;
    request.headers[IDENTITY_HEADER] = signIdentity(ctx.config.IDENTITY_PRIVATE_KEY, service, identity);
    next();
  };
  return [prepare, forward];
}

const bodyOverdue = () =>
  new AppError('request_timeout', 'The request was not completed in time.', { headers: { Connection: 'close' } });

/**
 * Nothing that a client sends may look like ours, and no service needs to see a credential. What it tells its own
 * connection, or names there, is not for the next one (RFC 9110, 7.6.1).
 */
function rewriteHeaders(request: Request): void {
  const { headers } = request;
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const name of [...named, ...HOP_BY_HOP]) if (!KEPT.has(name)) delete headers[name];
  for (const name of Object.keys(headers)) {
    if (/^x[-_]waymark[-_]/.test(name)) delete headers[name];
  }
  delete headers.authorization;
  delete headers.cookie;
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
