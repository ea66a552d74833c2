import type { RequestListener, Server } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import type { z } from 'zod';
import type { Deployment } from '@waymark/contract/deployments';
import type { RouteDefinition, ServiceName } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { notFound } from '@waymark/kernel/errors';
import { errorHandler } from '@waymark/kernel/http/api';
import { confirmHandling, readHandling } from '@waymark/kernel/http/handling';
import { refuseUnusedKey } from '@waymark/kernel/http/idempotency';
import { parseInput } from '@waymark/kernel/http/input';
import { LARGE_BODY_TIMEOUT_MS } from '@waymark/kernel/http/read-body';
import { requestLog } from '@waymark/kernel/http/request-log';
import { optionsTable, routeTable } from '@waymark/kernel/http/router';
import { EDGE_HEADERS, serveHttp } from '@waymark/kernel/http/serve-http';
import type { Log } from '@waymark/kernel/process/log';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { Metrics } from '@waymark/kernel/process/metrics';
import { startOpsServer } from '@waymark/kernel/process/ops-server';
import { AUTHORIZE_TIMEOUT_MS, AuthClient } from './authorize/auth-client.js';
import { AuthorizeBatcher } from './authorize/authorize-batcher.js';
import { UnservedRequests } from './authorize/unserved-requests.js';
import type { GatewayConfig } from './config.js';
import { consolePage, openConsole } from './pages/console-page.js';
import { docsPage } from './pages/docs-page.js';
import { chooseCoding, encodeText } from './pages/static-files.js';
import { showSignInFailures } from './pages/sign-in-failures.js';
import { openApiDocument } from './openapi/document.js';
import { crossOrigin, securityHeaders } from './pipeline/browsers.js';
import { admit, admitOptions, countWithCredential } from './pipeline/admit.js';
import { sendCsrfToken } from './pipeline/csrf-token.js';
import { ClientAddresses, type IsTrusted } from './pipeline/client-address.js';
import { newCounters } from './pipeline/context.js';
import { deprecation } from './pipeline/deprecation.js';
import { toOriginForm, rejectAmbiguous, rejectTooLarge } from './pipeline/framing.js';
import { countOtherMethod, guard } from './pipeline/guard.js';
import { forwardCookies, proxyTo, UPSTREAM_TIMEOUT_MS } from './proxy/proxy.js';
import { newLargeBodies, readBody } from './proxy/read-body.js';

/** Added to the slowest answer or body that is allowed, so that their own time-outs fire first. */
const SILENCE_MARGIN_MS = 5000;

type GatewayContext = ReturnType<typeof createContext>;

const DEFAULTS = { authorizeTimeoutMs: AUTHORIZE_TIMEOUT_MS, upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS };
export type GatewayOptions = typeof DEFAULTS;

/** @param options for tests, in place of the documented times */
export async function startGateway(
  { config, log, lifecycle }: ProcessContext<GatewayConfig>,
  options: Partial<GatewayOptions> = {},
): Promise<Server> {
  const timeouts = { ...DEFAULTS, ...options };
  const metrics = new Metrics('gateway');
  const client = new AuthClient({ ...config, ...timeouts }, log);
  lifecycle.onStop('auth client', () => client.closeConnections());
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', config.TRUSTED_PROXIES);
  const isTrusted = app.get('trust proxy fn') as IsTrusted;
  const ctx = createContext({ config, log, metrics, client, isTrusted, timeouts });
  mountPipeline(app, ctx);

  await startOpsServer({ host: config.HOST, port: config.OPS_PORT, metrics, lifecycle, checks: {} });
  const handle: RequestListener = (request, response) => {
    request.url = toOriginForm(request.url!);
    app(request, response);
  };
  const stalledTimeoutMs = longestSilenceMs(timeouts) + SILENCE_MARGIN_MS;
  const server = await serveHttp(handle, { config, lifecycle, log, metrics, headers: EDGE_HEADERS, stalledTimeoutMs });
  // Leaves `Expect: 100-continue` to `readBody`, which lets the client send its body once the request is allowed.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  return server;
}

interface GatewayParts {
  config: GatewayConfig;
  log: Log;
  metrics: Metrics;
  client: AuthClient;
  isTrusted: IsTrusted;
  timeouts: GatewayOptions;
}

function createContext({ config, log, metrics, client, isTrusted, timeouts }: GatewayParts) {
  const unserved = new UnservedRequests((entries) => client.noteUnserved(entries), log);
  return {
    config,
    log,
    metrics,
    upstreamTimeoutMs: timeouts.upstreamTimeoutMs,
    authorizer: new AuthorizeBatcher(
      {
        sendBatch: (requests) => client.authorizeBatch(requests),
        timeoutMs: timeouts.authorizeTimeoutMs,
        unserved,
      },
      metrics,
    ),
    unserved,
    addresses: new ClientAddresses(isTrusted, log, metrics),
    ...newCounters(config.UNAUTHENTICATED_REQUESTS_PER_MINUTE),
    largeBodies: newLargeBodies(),
  };
}

/** Mounts the steps of every request, in their order. */
function mountPipeline(app: Express, ctx: GatewayContext): void {
  const { config, log, metrics } = ctx;
  const handlers = createHandlers(ctx);
  app.use(
    requestLog(log, metrics, ctx.unserved.noteEnd),
    securityHeaders(),
    crossOrigin(config.CORS_ORIGINS),
    admitOptions(ctx),
    optionsTable({ routes: ROUTES, deployment: config.DEPLOYMENT }),
    showSignInFailures(config.CONSOLE === 'on'),
    admit(ctx),
    rejectAmbiguous,
  );
  app.use('/docs', countWithCredential(ctx), docsPage());
  if (config.CONSOLE === 'on') {
    app.use(openConsole).use('/console', countWithCredential(ctx), consolePage(config.DEPLOYMENT));
  }
  const handlersOf = (name: string, route: RouteDefinition) => [
    guard(ctx, route),
    ...(name === 'user.show' ? [sendCsrfToken] : []),
    forwardCookies(route),
    rejectTooLarge(route),
    readBody(ctx, route),
    handlers[route.service],
  ];
  const onPath = deprecation(config.UNVERSIONED_SUNSET);
  const hooks = { onPath, onOtherMethod: countOtherMethod(ctx), onOtherPath: countWithCredential(ctx) };
  app.use(routeTable({ routes: ROUTES, deployment: config.DEPLOYMENT }, handlersOf, hooks));
  app.use(errorHandler(log));
}

function createHandlers(ctx: GatewayContext): Record<ServiceName | 'gateway', RequestHandler> {
  const { config } = ctx;
  return {
    gateway: sendDocument(config.DEPLOYMENT),
    auth: proxyTo(ctx, 'auth', config.AUTH_URL),
    resource: proxyTo(ctx, 'resource', config.RESOURCE_URL),
    analytics: proxyTo(ctx, 'analytics', config.ANALYTICS_URL),
    webhook: proxyTo(ctx, 'webhook', config.WEBHOOK_URL),
    domain: config.DOMAIN_URL === undefined ? notServed : proxyTo(ctx, 'domain', config.DOMAIN_URL),
    audit: proxyTo(ctx, 'audit', config.AUDIT_URL),
  };
}

const longestSilenceMs = ({ authorizeTimeoutMs, upstreamTimeoutMs }: GatewayOptions): number =>
  Math.max(LARGE_BODY_TIMEOUT_MS, authorizeTimeoutMs + upstreamTimeoutMs);

/** The QR deployment serves no routes of the domain service. */
const notServed: RequestHandler = () => {
  throw notFound('This deployment has no such route.');
};

function sendDocument(deployment: Deployment): RequestHandler {
  const encode = (deprecated: boolean) => encodeText(JSON.stringify(openApiDocument(deployment, { deprecated })));
  const documents = { current: encode(false), withDeprecated: encode(true) };
  return async (request, response) => {
    const handling = readHandling(request);
    refuseUnusedKey(ROUTES['openapi.show'], request);
    confirmHandling(response, handling);
    const { query } = await parseInput(ROUTES['openapi.show'], request, { handling });
    const { deprecated } = query as z.output<(typeof ROUTES)['openapi.show']['query']>;
    const bytes = deprecated ? documents.withDeprecated : documents.current;
    response.type('json').send(chooseCoding(bytes, request, response));
  };
}
