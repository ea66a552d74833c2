import { isUtf8 } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import { checkAccess } from './access.js';
import type { Deployment } from '../../contract/deployments.js';
import type { EventContext } from '../../contract/event.js';
import type { Identity, WorkspaceAccess } from '../../contract/identity.js';
import { bodyLimitOf, bodyTypesOf, isVersioned, type RouteDefinition, type ServiceName } from '../../contract/route.js';
import { ROUTES, type RouteName, type Routes } from '../../contract/routes.js';
import { AppError } from '../errors.js';
import { IDENTITY_HEADER, verifyIdentity } from '../identity.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import { listen } from '../ops-server.js';
import { currentContext } from '../request-context.js';
import { sendStream } from './content.js';
import { sendError } from './envelope.js';
import { IDEMPOTENCY_HEADER, readIdempotencyKey, type Idempotency, type IdempotentCall } from './idempotency.js';
import { parseInput, type Check, type FieldOf, type Input } from './input.js';
import type { Reply } from './reply.js';
import { requestLog } from './request-log.js';
import { routeTable } from './router.js';
import { refuseUnreadable } from './unreadable.js';

const HEADERS_TIMEOUT_MS = 10_000;
/** Of a whole request; a body that stalls behind the gateway is cut off earlier there. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How often what is overdue is looked for; Node's own 30 s would add themselves to every limit. */
const OVERDUE_CHECK_MS = 2000;
/** Longer than the gateway's, so that it is never us who close a connection it is about to use. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
/** The bytes own their memory: they can be transferred to a worker thread. */
type BodyOf<R> = R extends { rawBody: true } ? Buffer<ArrayBuffer> : Parsed<FieldOf<R, 'body'>>;

/** A request as a handler sees it: parsed, authorized, typed by its row of the route table. */
export interface ApiRequest<R = unknown> {
  params: Record<string, string>;
  query: Parsed<FieldOf<R, 'query'>>;
  body: BodyOf<R>;
  identity: Identity;
  /** Present on every workspace route. */
  workspace: WorkspaceAccess;
  /** As the client called it, with its query. */
  url: URL;
  versioned: boolean;
  /**
   * Answers with what `effect` brought about. Where the caller sent an idempotency key, the effect must be one transaction
   * that returns its result, and `present` is part of it.
   */
  once: <T>(present: (result: T) => Reply, effect: () => Promise<T>) => Promise<Reply>;
  /** For the events that this request causes. */
  eventContext: EventContext;
}

export type Handler<R = unknown> = (request: ApiRequest<R>, response: Response) => Promise<Reply>;

export type RoutesOf<S extends ServiceName> = {
  [N in RouteName as Routes[N]['service'] extends S ? N : never]: Routes[N];
};
/** One handler for every route that the table gives to this service. */
export type Handlers<S extends ServiceName> = { [N in keyof RoutesOf<S>]: Handler<RoutesOf<S>[N]> };

export type Checks<S extends ServiceName> = { [N in keyof RoutesOf<S>]?: Check<RoutesOf<S>[N]> };

export interface ApiOptions<S extends ServiceName> {
  service: S;
  deployment: Deployment;
  handlers: Handlers<S>;
  identityPublicKeys: readonly KeyObject[];
  apiBaseUrl: string;
  log: Log;
  metrics: Metrics;
  /** Needed by a service with idempotent routes. */
  idempotency?: Idempotency;
  /** What a schema cannot know: problems of single fields that depend on the configuration, or on two fields. */
  checks?: Checks<S>;
  /** Routes for other processes, mounted before the table; they check their caller themselves. */
  internal?: (app: Express) => void;
}

/** The HTTP side of a service: its rows of the route table, for requests that the gateway has signed. */
export function createApi<S extends ServiceName>(options: ApiOptions<S>): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(requestLog(options.log, options.metrics));
  options.internal?.(app);

  const routes = Object.fromEntries(
    Object.entries(ROUTES).filter(([, route]) => route.service === options.service),
  ) as Record<string, RouteDefinition>;
  const handlers = options.handlers as Record<string, Handler>;
  const checks = (options.checks ?? {}) as Record<string, Check<unknown> | undefined>;
  app.use(
    routeTable(routes, options.deployment, (name, route) => [
      markRoute(route),
      identify(options),
      readBody(route),
      answer({ name, route, handler: handlers[name]!, check: checks[name], options }),
    ]),
  );
  app.use(errorHandler(options.log));
  return app;
}

export function errorHandler(log: Log): express.ErrorRequestHandler {
  return (error, request, response, _next) => sendError(response, request.path, error, log);
}

/** Serves until the lifecycle stops: then no new connection, what is in flight is answered. */
export async function serveHttp(
  handler: RequestHandler | Express,
  options: { host: string; port: number; lifecycle: Lifecycle },
): Promise<Server> {
  const server = createServer({ connectionsCheckingInterval: OVERDUE_CHECK_MS }, handler as Express);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  refuseUnreadable(server);
  await listen(server, options.host, options.port);
  options.lifecycle.onStop('http', () => drain(server));
  return server;
}

const DRAIN_TIMEOUT_MS = 15_000;

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(deadline);
      resolve();
    });
  });
}

function markRoute(route: RouteDefinition): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = route.path;
    next();
  };
}

function identify(options: { service: string; identityPublicKeys: readonly KeyObject[] }): RequestHandler {
  return (request, response, next) => {
    const header = request.headers[IDENTITY_HEADER];
    const signed = { method: request.method, url: request.originalUrl };
    const identity = verifyIdentity(options.identityPublicKeys, options.service, header, signed);
    response.locals['identity'] = identity;
    response.locals['workspace'] = identity.workspace?.slug;
    next();
  };
}

function readBody(route: RouteDefinition): RequestHandler {
  const limit = bodyLimitOf(route);
  const type = bodyTypesOf(route);
  const shared = { type, limit, inflate: true, verify: refuseOtherThanUtf8 };
  const parse = route.rawBody ? express.raw(shared) : express.json({ ...shared, strict: false });
  return (request, response, next) => {
    // Where none is needed too: what was sent by mistake is told.
    if (!hasBody(request)) return next();
    if (!request.is(type)) {
      throw new AppError('unsupported_media_type', 'The body must be JSON (Content-Type: application/json).');
    }
    // RFC 8259, 8.1. The parser would take other forms of Unicode too.
    if (/charset="?(?!utf-?8\b)/i.test(request.headers['content-type']!)) {
      throw new AppError('unsupported_media_type', 'The body must be JSON in UTF-8.');
    }
    parse(request, response, next);
  };
}

/** RFC 8259, 8.1. Decoding would put marks in place of what cannot be read, and nobody would notice. */
function refuseOtherThanUtf8(_request: unknown, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw Object.assign(new Error('not UTF-8'), { type: 'entity.parse.failed' });
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

interface Served {
  name: string;
  route: RouteDefinition;
  handler: Handler;
  check: Check<unknown> | undefined;
  options: { apiBaseUrl: string; idempotency?: Idempotency };
}

function answer(served: Served): RequestHandler {
  const { route, handler, check } = served;
  return async (request, response) => {
    const identity = response.locals['identity'] as Identity;
    checkAccess(route, identity, request.params['workspace'] as string | undefined);
    const repeatable = repeatableCall(served, request, identity);
    const handle = async () => {
      const input = await parseInput(route, request, check);
      return handler(toApiRequest(served, request, input, identity, onceFor(repeatable)), response);
    };
    // An answer that was given once is not asked again whether it was allowed to be.
    const reply = (await repeatable?.idempotency.replay(repeatable.call)) ?? (await handle());
    if (response.headersSent) return;
    response.status(reply.status ?? route.response.status);
    await sendReply(response, reply);
  };
}

async function sendReply(response: Response, { body, content, headers = {} }: Reply): Promise<void> {
  const isStream = typeof content === 'object' && !Buffer.isBuffer(content);
  if (isStream && response.req.method !== 'HEAD') return sendStream(response, content, headers);
  response.set(headers);
  if (content !== undefined) response.end(isStream ? undefined : content);
  else if (body === undefined) response.end();
  else response.json(body);
}

function toApiRequest(
  served: Served,
  raw: Request,
  { query, body }: Input,
  identity: Identity,
  once: ApiRequest['once'],
): ApiRequest {
  return {
    params: raw.params as Record<string, string>,
    query: query as never,
    body: body as never,
    identity,
    workspace: identity.workspace!,
    url: new URL(served.options.apiBaseUrl + raw.originalUrl),
    versioned: isVersioned(raw.path),
    once,
    eventContext: {
      workspace: identity.workspace?.slug ?? null,
      actor: identity.actor,
      ipAddress: identity.ip_address,
      requestId: identity.request_id,
      traceparent: currentContext()?.traceparent ?? null,
    },
  };
}

interface RepeatableCall {
  idempotency: Idempotency;
  call: IdempotentCall;
}

function repeatableCall(
  { name, route, options }: Served,
  raw: Request,
  identity: Identity,
): RepeatableCall | undefined {
  const isAsked = route.idempotent && isVersioned(raw.path);
  const key = isAsked ? readIdempotencyKey(raw.get(IDEMPOTENCY_HEADER)) : undefined;
  if (key === undefined) return undefined;
  const { idempotency } = options;
  if (!idempotency) throw new Error(`${name} is idempotent, but the service keeps no keys`);
  const scope = `${identity.actor.id}\n${identity.workspace?.slug}\n${name}`;
  return { idempotency, call: { key, scope, body: (raw.body as unknown) ?? null } };
}

function onceFor(repeatable: RepeatableCall | undefined): ApiRequest['once'] {
  if (!repeatable) return async (present, effect) => present(await effect());
  const { idempotency, call } = repeatable;
  return (present, effect) => idempotency.run(call, present, effect);
}
