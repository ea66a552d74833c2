import type { Server } from 'node:http';
import { createApi, serveHttp } from '@waymark/shared/kernel/http/api';
import type { ProcessParts } from '@waymark/shared/kernel/lifecycle';
import { openParts, startParts } from '@waymark/shared/kernel/parts';
import type { WebhookConfig } from './config.js';
import type { WebhookContext } from './context.js';
import { DeliveryStore } from './deliveries/delivery-store.js';
import { EndpointStore } from './endpoints/endpoint-store.js';
import { webhookChecks, webhookHandlers } from './endpoints/routes.js';
import { SecretBox } from './endpoints/secret-box.js';
import { SecretCheck } from './endpoints/secret-check.js';
import { fanOut } from './events/fan-out.js';
import { AddressPolicy } from './outbound/address-policy.js';
import { guardedAgent } from './outbound/guard.js';
import { post, type Message } from './outbound/post.js';
import { createResolver } from './outbound/resolver.js';
import { EndpointLeases } from './sending/endpoint-leases.js';
import { Engine } from './sending/engine.js';
import { GroupCommit } from './sending/group-commit.js';
import { Lanes } from './sending/lane.js';
import { sendingMetrics } from './sending/metrics.js';

export async function startWebhook(processParts: ProcessParts<WebhookConfig>): Promise<Server> {
  const parts = openParts('webhook', processParts);
  const { config, log, lifecycle, metrics, db } = parts;

  const ctx: WebhookContext = {
    config,
    db,
    endpoints: new EndpointStore(db),
    deliveries: new DeliveryStore(db),
    secrets: new SecretBox(config.WEBHOOK_SECRET_KEY),
    policy: new AddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS),
    resolve: createResolver(config.WEBHOOK_DNS_SERVERS),
  };

  const agent = guardedAgent(ctx.policy, ctx.resolve);
  lifecycle.onStop('webhook connections', () => agent.destroy());
  const outbound = { agent, policy: ctx.policy, timeoutMs: config.WEBHOOK_TIMEOUT_MS };
  const lanes = new Lanes(config.WEBHOOK_IN_FLIGHT_MAX);
  const sending = {
    ...ctx,
    log,
    leases: new EndpointLeases(db, config.WEBHOOK_LEASE_MS),
    lanes,
    successes: new GroupCommit(ctx.deliveries.succeed.bind(ctx.deliveries)),
    metrics: sendingMetrics(metrics, ctx.deliveries, lanes),
    post: (message: Message) => post(outbound, message),
  };
  const engine = new Engine(sending, lifecycle);
  fanOut(parts, { ...sending, engine });

  const app = createApi({
    service: 'webhook',
    deployment: config.DEPLOYMENT,
    identityPublicKey: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    handlers: webhookHandlers(ctx),
    checks: webhookChecks(ctx),
  });
  const secretCheck = new SecretCheck(ctx.endpoints, ctx.secrets, log);
  await startParts(parts, { secret_key: () => secretCheck.isPassed });
  void db.start().then(() => secretCheck.run());
  engine.start();
  return serveHttp(app, { host: config.HOST, port: config.PORT, lifecycle });
}
