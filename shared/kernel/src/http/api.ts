import type { KeyObject } from 'node:crypto';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { z } from 'zod';
import { abortSignalOf } from './abort-signal.js';
import { checkAccess } from './access.js';
import type { Deployment } from '@waymark/contract/deployments';
import type { EventContext } from '@waymark/contract/event';
import type { Identity, WorkspaceAccess } from '@waymark/contract/identity';
import { bodyLimitOf, bodyTypesOf, isVersioned, type RouteDefinition, type ServiceName } from '@waymark/contract/route';
import { ROUTES, type RouteName, type Routes } from '@waymark/contract/routes';
import { checkBodyDigest, IDENTITY_HEADER, verifyIdentity } from './identity.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import { currentContext } from '../process/request-context.js';
import { checkOf, isKnown, refuseUncheckedCondition, withEntityTag, type CheckCurrent } from './conditional.js';
import { sendError } from './envelope.js';
import {
  fingerprintOf,
  IDEMPOTENCY_HEADER,
  readIdempotencyKey,
  refuseUnusedKey,
  type Idempotency,
  type IdempotentCall,
} from './idempotency.js';
import { confirmHandling, readHandling, type Handling } from './handling.js';
import { parseInput, type Check, type FieldOf, type Input } from './input.js';
import { readBody, type BodyOptions } from './read-body.js';
import type { Reply } from './reply.js';
import { requestLog } from './request-log.js';
import { routeTable } from './router.js';
import { newStreamLimits, sendReply, type StreamLimits } from './send-reply.js';

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;
type BodyOf<R> = R extends { rawBody: true } ? Buffer : Parsed<FieldOf<R, 'body'>>;

/** A request as a handler sees it: parsed, authorized, typed by its row of the route table. */
export interface ApiRequest<R = unknown> {
  params: Record<string, string>;
  query: Parsed<FieldOf<R, 'query'>>;
  body: BodyOf<R>;
  identity: Identity;
  /** Present on every workspace route. */
  workspace: WorkspaceAccess;
  /** As the client called it, with the parameters that the operation knows. */
  url: URL;
  versioned: boolean;
  handling: Handling;
  /**
   * Answers with the result of `effect`. If the caller sent an idempotency key, the effect must be one transaction that
   * returns its result, and `present` runs within it.
   */
  once: <T>(effect: () => Promise<T>, present: (result: T) => Reply) => Promise<Reply>;
  /**
   * The conditions of a change (`If-Match`), for its use case to check with the current item, in the transaction that
   * writes. `undefined` without a condition. @param present the item as its answer shows it
   */
  condition: <T>(present: (current: T) => object) => CheckCurrent<T> | undefined;
  /** Aborted when the client disconnects before it is answered: work that has not begun then is not done. */
  signal: AbortSignal;
  /** Whether the client has the representation with this tag already. */
  isKnown: (tag: string) => boolean;
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
  identityKeys: readonly KeyObject[];
  apiBaseUrl: string;
  log: Log;
  metrics: Metrics;
  /** Needed by a service with idempotent routes. */
  idempotency?: Idempotency;
  /** Problems that a schema cannot check, because they depend on the configuration or on two fields. */
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
  const limits = newStreamLimits();
  app.use(
    routeTable({ routes, deployment: options.deployment }, (name, route) => [
      markRoute(route),
      identify(options),
      answer({ name, route, handler: handlers[name]!, check: checks[name], limits, options }),
    ]),
  );
  app.use(errorHandler(options.log));
  return app;
}

export function errorHandler(log: Log): express.ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  // oxlint-disable-next-line max-params
  return (error, request, response, _next) => sendError(response, error, { path: request.path, log });
}

function markRoute(route: RouteDefinition): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = route.path;
    next();
  };
}

function identify(options: { service: string; identityKeys: readonly KeyObject[] }): RequestHandler {
  return (request, response, next) => {
    const header = request.headers[IDENTITY_HEADER];
    const signed = { method: request.method, url: request.originalUrl };
    const { identity, bodyDigest } = verifyIdentity(options.identityKeys, header, {
      service: options.service,
      request: signed,
    });
    response.locals['identity'] = identity;
    response.locals['bodyDigest'] = bodyDigest;
    response.locals['workspace'] = identity.workspace?.slug;
    next();
  };
}

function bodyOptionsOf(route: RouteDefinition): BodyOptions {
  return {
    limitBytes: bodyLimitOf(route),
    format: route.rawBody ? 'raw' : route.method === 'GET' ? 'none' : 'json',
    types: bodyTypesOf(route),
  };
}

interface Served {
  name: string;
  route: RouteDefinition;
  handler: Handler;
  check: Check<unknown> | undefined;
  limits: StreamLimits;
  options: { apiBaseUrl: string; idempotency?: Idempotency };
}

function answer(served: Served): RequestHandler {
  const { route, limits } = served;
  const bodyOptions = bodyOptionsOf(route);
  return async (request, response) => {
    const identity = response.locals['identity'] as Identity;
    checkAccess(route, identity, request.params['workspace'] as string | undefined);
    refuseUncheckedCondition(route, request);
    refuseUnusedKey(route, request);
    const onBytes = (bytes: Buffer) => checkBodyDigest(bytes, response.locals['bodyDigest']);
    request.body = await readBody(request, { ...bodyOptions, onBytes });
    const reply = withEntityTag(route, request, await handle(served, { request, response, identity }));
    if (response.headersSent) return;
    response.status(reply.status ?? route.response.status);
    await sendReply(response, reply, { limits, workspace: identity.workspace?.slug ?? identity.actor.id ?? '' });
  };
}

interface IdentifiedRequest {
  request: Request;
  response: Response;
  identity: Identity;
}

async function handle(served: Served, { request, response, identity }: IdentifiedRequest): Promise<Reply> {
  const { route, handler, check } = served;
  const handling = readHandling(request);
  confirmHandling(response, handling);
  const repeatable = await repeatableCall(served, request, identity);
  // A repeated request gets its first answer without a new validation.
  const first = await repeatable?.idempotency.replay(repeatable.call);
  if (first) return first;
  const input = await parseInput(route, request, { handling, check });
  const apiRequest = toApiRequest(urlOf(served, request), { request, response, identity, input });
  return handler({ ...apiRequest, handling, once: onceFor(repeatable) }, response);
}

interface ParsedRequest extends IdentifiedRequest {
  input: Input;
}

function toApiRequest(
  url: URL,
  { request, response, identity, input }: ParsedRequest,
): Omit<ApiRequest, 'handling' | 'once'> {
  return {
    params: request.params as Record<string, string>,
    query: input.query as never,
    body: input.body as never,
    identity,
    workspace: identity.workspace!,
    url,
    versioned: isVersioned(request.path),
    signal: abortSignalOf(response),
    condition: (present) => checkOf(request, present),
    isKnown: (tag) => isKnown(request, tag),
    eventContext: {
      workspace: identity.workspace?.slug ?? null,
      actor: identity.actor,
      ipAddress: identity.ip_address,
      requestId: identity.request_id,
      traceparent: currentContext()?.traceparent ?? null,
    },
  };
}

/** Removes ignored parameters: links to further pages would repeat them as if they had an effect. */
function urlOf({ route, options }: Served, raw: Request): URL {
  const url = new URL(options.apiBaseUrl + raw.originalUrl);
  const known = route.query?.shape ?? {};
  const isKnownName = (name: string): boolean => Object.hasOwn(known, name);
  // Each removal by `delete` would write the whole query again.
  if (!Object.keys(raw.query).every(isKnownName))
    url.search = new URLSearchParams([...url.searchParams].filter(([name]) => isKnownName(name))).toString();
  return url;
}

interface RepeatableCall {
  idempotency: Idempotency;
  call: IdempotentCall;
}

async function repeatableCall(
  { name, route, options }: Served,
  raw: Request,
  identity: Identity,
): Promise<RepeatableCall | undefined> {
  const key = readIdempotencyKey(raw.get(IDEMPOTENCY_HEADER));
  if (key === undefined) return undefined;
  const { idempotency } = options;
  if (!idempotency) throw new Error(`${name} is idempotent, but the service keeps no keys`);
  const { workspace: _slug, ...ids } = raw.params;
  const scope = [identity.actor.id, identity.workspace?.slug, name, ...Object.values(ids)].join('\n');
  const fingerprint = await fingerprintOf(raw.body ?? null);
  const workspace = identity.workspace?.slug ?? null;
  return { idempotency, call: { key, scope, workspace, fingerprint, hasSecret: route.idempotent === 'secret' } };
}

function onceFor(repeatable: RepeatableCall | undefined): ApiRequest['once'] {
  if (!repeatable) return async (effect, present) => present(await effect());
  const { idempotency, call } = repeatable;
  return (effect, present) => idempotency.run(call, effect, present);
}
