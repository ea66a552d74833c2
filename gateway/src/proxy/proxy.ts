import type { KeyObject } from 'node:crypto';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { RouteDefinition, ServiceName } from '@waymark/contract/route';
import { readCookie } from '@waymark/contract/sessions';
import { unavailable } from '@waymark/kernel/errors';
import { sendError } from '@waymark/kernel/http/envelope';
import { KEEP_ALIVE_TIMEOUT_MS } from '@waymark/kernel/http/serve-http';
import { deriveIdentityKey, IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { currentContext } from '@waymark/kernel/process/request-context';
import type { Log } from '@waymark/kernel/process/log';
import { compressAnswer } from './compression.js';
import { bodyOf, releaseBody } from './read-body.js';
import { identityOf, RequestPlaces } from './request-places.js';

const IDLE_SOCKETS_MAX = 256;
/** Well below the keep-alive time-out of the services, so that no request uses a connection that is being closed. */
const IDLE_TIMEOUT_MS = KEEP_ALIVE_TIMEOUT_MS / 2;
/** Hop-by-hop headers (RFC 9110, 7.6.1), and headers that frame a body: the gateway has already read the whole body. */
const HOP_BY_HOP = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Required headers: a client cannot remove them by naming them in `Connection`. */
const KEPT: ReadonlySet<string> = new Set(['', 'host', 'content-length']);

/** How long a service may take to answer. */
export const UPSTREAM_TIMEOUT_MS = 30_000;

interface ProxyContext {
  upstreamTimeoutMs: number;
  config: {
    IDENTITY_SECRET: KeyObject;
  };
  log: Log;
}

/** Forwards a request, whose body has been read, to its service and streams the response back. */
export function proxyTo(ctx: ProxyContext, service: ServiceName, target: string): RequestHandler {
  const places = new RequestPlaces();
  const key = deriveIdentityKey(ctx.config.IDENTITY_SECRET, service);
  const forward = createProxyMiddleware<Request, Response>({
    // The library would parse a text for each request.
    target: new URL(target),
    agent: agentFor(target),
    proxyTimeout: ctx.upstreamTimeoutMs,
    // Without the default plugins: the library's own log builds a URL for each response even while it is switched off.
    ejectPlugins: true,
    plugins: [(proxy) => handleEvents(proxy, ctx)],
  });
  return async (request, response, next) => {
    response.locals['releasePlace'] = await places.acquire(request, response);
    // Whichever ends first releases the place: the service's answer, the client, or an error.
    response.once('close', () => releasePlace(response));
    // Without a listener an error of this stream would end the process; the library destroys it.
    response.on('error', ignoreError);
    // The headers must be complete before the event `proxyReq`: by then they may already have been sent.
    rewriteHeaders(request, response);
    request.url = request.originalUrl.replace(/\?$/, '');
    const { method, url } = request;
    const identity = signIdentity(key, identityOf(response), {
      service,
      request: { method, url, body: bodyOf(response) },
    });
    request.headers[IDENTITY_HEADER] = identity;
    void forward(request, response, next);
  };
}

const ignoreError = (): void => undefined;

function handleEvents(proxy: Parameters<Plugin<Request, Response>>[0], { log }: ProxyContext): void {
  proxy.on('proxyReq', (upstream, _request, response) => {
    upstream.once('close', () => {
      releasePlace(response);
      releaseBody(response);
    });
    const body = bodyOf(response);
    if (body) upstream.end(body);
  });
  proxy.on('proxyRes', (answer, request, response) => {
    compressAnswer(answer, request, response);
    if (!response.shouldKeepAlive) answer.headers.connection = 'close';
  });
  proxy.on('error', (error, request, response) => {
    if (!request || !response || !('req' in response)) return void response?.destroy();
    releasePlace(response);
    if (!response.destroyed) sendError(response, unavailable(error), { path: request.originalUrl, log });
  });
}

/** Lets the service read these cookies of its route; the session's is none of them. */
export function forwardCookies({ cookies = [] }: RouteDefinition): RequestHandler {
  return (_request, response, next) => {
    response.locals['cookies'] = cookies;
    next();
  };
}

const cookiesOf = (response: Response): readonly string[] => (response.locals['cookies'] as string[] | undefined) ?? [];

function keepCookies(headers: IncomingHttpHeaders, names: readonly string[]): void {
  const kept = names.flatMap((name) => {
    const value = readCookie(headers.cookie, name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  if (kept.length > 0) headers.cookie = kept.join('; ');
  else delete headers.cookie;
}

const releasePlace = (response: Response): void => (response.locals['releasePlace'] as () => void)();

/** Sockets are unlimited here: `RequestPlaces` limits the requests. */
function agentFor(target: string): Agent {
  const options = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS_MAX, timeout: IDLE_TIMEOUT_MS };
  return target.startsWith('https:') ? new TlsAgent(options) : new Agent(options);
}

/**
 * Removes credentials, every header that only the gateway may set, and the hop-by-hop headers, including those that the
 * client names in `Connection` (RFC 9110, 7.6.1).
 */
function rewriteHeaders({ headers }: Request, response: Response): void {
  const body = bodyOf(response);
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const name of named) if (!KEPT.has(name)) delete headers[name];
  for (const name of HOP_BY_HOP) delete headers[name];
  for (const name of Object.keys(headers)) if (/^x[-_]waymark[-_]/.test(name)) delete headers[name];
  delete headers.authorization;
  keepCookies(headers, cookiesOf(response));
  if (body) headers['content-length'] = String(body.length);
  const context = currentContext()!;
  headers['x-request-id'] = context.requestId;
  headers['traceparent'] = context.traceparent;
}
