import type { RequestListener, Server } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { RouteDefinition, ServiceName } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { notFound } from '@waymark/kernel/errors';
import { errorHandler } from '@waymark/kernel/http/api';
import { confirmHandling, readHandling } from '@waymark/kernel/http/handling';
import { refuseUnusedKey } from '@waymark/kernel/http/idempotency';
import { parseInput } from '@waymark/kernel/http/input';
import { requestLog } from '@waymark/kernel/http/request-log';
import { optionsTable, routeTable } from '@waymark/kernel/http/router';
import { EDGE_HEADERS, serveHttp } from '@waymark/kernel/http/serve-http';
import { LeakyBuckets } from '@waymark/kernel/http/leaky-buckets';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { Metrics } from '@waymark/kernel/process/metrics';
import { startOpsServer } from '@waymark/kernel/process/ops-server';
import { AuthClient } from './authorize/auth-client.js';
import { QuestionQueue } from './authorize/question-queue.js';
import type { GatewayConfig } from './config.js';
import type { GatewayContext } from './context.js';
import { AddressLimiter } from './limits/address-limiter.js';
import { exchangeAddressCounts } from './limits/address-exchange.js';
import { limitConnections } from './limits/connections.js';
import { KnownCredentials } from './limits/known-credentials.js';
import { Shares } from './limits/shares.js';
import { docsPage } from './docs/docs-page.js';
import { openApiDocument } from './openapi/document.js';
import { crossOrigin, securityHeaders } from './pipeline/browsers.js';
import { admit, admitKnown } from './pipeline/admit.js';
import { compressAnswers } from './pipeline/compress.js';
import { tellCsrfToken } from './pipeline/csrf-token.js';
import { ClientAddresses, type IsTrusted } from './pipeline/client-address.js';
import { deprecation } from './pipeline/deprecation.js';
import { originForm, refuseAmbiguous, refuseTooLarge } from './pipeline/framing.js';
import { countOtherMethod, guard } from './pipeline/guard.js';
import { proxyTo } from './proxy/proxy.js';
import { readBody } from './proxy/read-body.js';

/** Added to the slowest answer or body that is allowed, so that their own time-outs fire first. */
const SILENCE_MARGIN_MS = 5000;

export async function startGateway({ config, log, lifecycle }: ProcessContext<GatewayConfig>): Promise<Server> {
  const metrics = new Metrics('gateway');
  const client = new AuthClient(config);
  lifecycle.onStop('auth client', () => client.close());
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', config.TRUSTED_PROXIES);
  const addressLimiter = new AddressLimiter(config.UNAUTHENTICATED_REQUESTS_PER_MINUTE);
  const ctx: GatewayContext = {
    config,
    log,
    auth: new QuestionQueue((questions) => client.ask(questions), config.AUTHORIZE_TIMEOUT_MS, metrics),
    addresses: new ClientAddresses(app.get('trust proxy fn') as IsTrusted, log, metrics),
    addressLimiter,
    knownCredentials: new KnownCredentials(),
    refusedRequests: new LeakyBuckets(config.REFUSED_REQUESTS_PER_MINUTE),
    bodyBytes: new Shares(config.BODY_BYTES_MAX),
  };
  exchangeAddressCounts(addressLimiter, (counts) => client.report(counts), { log, lifecycle });
  metrics.gauge('body_bytes', 'Memory of request bodies that have not been answered', () => ctx.bodyBytes.used);
  const handlers: Record<ServiceName | 'gateway', RequestHandler> = {
    gateway: sendDocument(openApiDocument(config.DEPLOYMENT)),
    auth: proxyTo(ctx, 'auth', config.AUTH_URL),
    resource: proxyTo(ctx, 'resource', config.RESOURCE_URL),
    analytics: proxyTo(ctx, 'analytics', config.ANALYTICS_URL),
    webhook: proxyTo(ctx, 'webhook', config.WEBHOOK_URL),
    domain: config.DOMAIN_URL === undefined ? notServed : proxyTo(ctx, 'domain', config.DOMAIN_URL),
    audit: proxyTo(ctx, 'audit', config.AUDIT_URL),
  };

  app.use(
    requestLog(log, metrics),
    ...compressAnswers(),
    ...securityHeaders(),
    crossOrigin(config.CORS_ORIGINS),
    optionsTable({ routes: ROUTES, deployment: config.DEPLOYMENT }),
    admit(ctx),
    refuseAmbiguous,
  );
  app.use('/docs', admitKnown(ctx), docsPage());
  const handlersOf = (name: string, route: RouteDefinition) => [
    guard(ctx, route),
    ...(name === 'user.show' ? [tellCsrfToken] : []),
    refuseTooLarge(route),
    readBody(ctx, route),
    handlers[route.service],
  ];
  const isDeprecated = deprecation(config.UNVERSIONED_SUNSET);
  const hooks = { onPath: isDeprecated, onOtherMethod: countOtherMethod(ctx), onOtherPath: admitKnown(ctx) };
  app.use(routeTable({ routes: ROUTES, deployment: config.DEPLOYMENT }, handlersOf, hooks));
  app.use(errorHandler(log));

  await startOpsServer({ host: config.HOST, port: config.OPS_PORT, metrics, lifecycle, checks: {} });
  const handle: RequestListener = (request, response) => {
    request.url = originForm(request.url!);
    app(request, response);
  };
  const server = await serveHttp(handle, { config, lifecycle, log, headers: EDGE_HEADERS });
  // Leaves `Expect: 100-continue` to `readBody`, which lets the client send its body once the request is allowed.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  limitConnections(server, ctx);
  // Ends a connection whose client does not read the response.
  server.timeout = longestSilenceMs(config) + SILENCE_MARGIN_MS;
  return server;
}

const longestSilenceMs = (config: GatewayConfig): number =>
  Math.max(config.LARGE_BODY_TIMEOUT_MS, config.AUTHORIZE_TIMEOUT_MS + config.UPSTREAM_TIMEOUT_MS);

/** The QR deployment serves no routes of the domain service. */
const notServed: RequestHandler = () => {
  throw notFound();
};

function sendDocument(document: object): RequestHandler {
  // Express would encode a string again for every request.
  const bytes = Buffer.from(JSON.stringify(document));
  return async (request, response) => {
    const handling = readHandling(request);
    refuseUnusedKey(ROUTES['openapi.show'], request);
    confirmHandling(response, handling);
    await parseInput(ROUTES['openapi.show'], request, { handling });
    response.type('json').send(bytes);
  };
}
