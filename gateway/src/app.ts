import type { Server } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { ServiceName } from '@waymark/shared/contract/route';
import { ROUTES } from '@waymark/shared/contract/routes';
import { errorHandler, serveHttp } from '@waymark/shared/kernel/http/api';
import { requestLog } from '@waymark/shared/kernel/http/request-log';
import { routeTable } from '@waymark/shared/kernel/http/router';
import type { ProcessParts } from '@waymark/shared/kernel/lifecycle';
import { Metrics } from '@waymark/shared/kernel/metrics';
import { startOpsServer } from '@waymark/shared/kernel/ops-server';
import { AuthClient } from './authorize/auth-client.js';
import { QuestionQueue } from './authorize/question-queue.js';
import type { GatewayConfig } from './config.js';
import type { GatewayContext } from './context.js';
import { docsPage } from './docs/docs-page.js';
import { openApiDocument } from './openapi/document.js';
import { crossOrigin, securityHeaders } from './pipeline/browsers.js';
import { BadBearers } from './pipeline/bad-bearers.js';
import { deprecation } from './pipeline/deprecation.js';
import { refuseAmbiguous, refuseTooLarge } from './pipeline/framing.js';
import { guard } from './pipeline/guard.js';
import { proxyTo } from './proxy/proxy.js';

export async function startGateway({ config, log, lifecycle }: ProcessParts<GatewayConfig>): Promise<Server> {
  const metrics = new Metrics('gateway');
  const client = new AuthClient(config);
  lifecycle.onStop('auth client', () => client.close());
  const ctx: GatewayContext = {
    config,
    log,
    auth: new QuestionQueue((questions) => client.ask(questions), config.AUTHORIZE_TIMEOUT_MS, metrics),
    badBearers: new BadBearers(config.BAD_BEARERS_PER_MINUTE),
  };
  const handlers: Record<ServiceName | 'gateway', RequestHandler[]> = {
    gateway: [sendJson(openApiDocument(config.DEPLOYMENT))],
    auth: proxyTo(ctx, 'auth', config.AUTH_URL),
    resource: proxyTo(ctx, 'resource', config.RESOURCE_URL),
    analytics: proxyTo(ctx, 'analytics', config.ANALYTICS_URL),
    webhook: proxyTo(ctx, 'webhook', config.WEBHOOK_URL),
    domain: config.DOMAIN_URL === undefined ? [] : proxyTo(ctx, 'domain', config.DOMAIN_URL),
    audit: proxyTo(ctx, 'audit', config.AUDIT_URL),
  };

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple').set('trust proxy', config.TRUSTED_PROXIES);
  app.use(requestLog(log, metrics), ...securityHeaders(), crossOrigin(config.CORS_ORIGINS), refuseAmbiguous);
  app.use('/docs', docsPage());
  app.use(
    routeTable(ROUTES, config.DEPLOYMENT, (_name, route) => [
      deprecation(config.UNVERSIONED_SUNSET),
      guard(ctx, route),
      refuseTooLarge(route),
      ...handlers[route.service],
    ]),
  );
  app.use(errorHandler(log));

  await startOpsServer({ host: config.HOST, port: config.OPS_PORT, metrics, lifecycle, checks: {} });
  const server = await serveHttp(app, { host: config.HOST, port: config.PORT, lifecycle });
  // A client that waits with its body is told to go on once it is known that somebody wants it.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  return server;
}

function sendJson(body: object): RequestHandler {
  const text = JSON.stringify(body);
  return (_request, response) => void response.type('json').send(text);
}
