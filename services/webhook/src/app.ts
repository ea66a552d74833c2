import type { Server } from 'node:http';
import { createApi } from '@waymark/kernel/http/api';
import type { Database } from '@waymark/kernel/mongo/database';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import type { WebhookConfig } from './config.js';
import type { WebhookContext } from './context.js';
import { AttemptStore, type Success } from './deliveries/attempt-store.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { Purger } from './deliveries/purger.js';
import { ReplayStore } from './deliveries/replay-store.js';
import { Replayer } from './deliveries/replayer.js';
import { EndpointStore } from './endpoints/endpoint-store.js';
import { webhookChecks, webhookHandlers } from './endpoints/routes.js';
import { SecretBox } from './endpoints/secret-box.js';
import { SecretKeeper } from './endpoints/secret-keeper.js';
import { fanOut } from './events/fan-out.js';
import { AddressPolicy } from './outbound/address-policy.js';
import { guardedAgent } from './outbound/guard.js';
import { post, type Message } from './outbound/post.js';
import { proxyAgent } from './outbound/proxy.js';
import { createResolver } from './outbound/resolver.js';
import { Batcher } from './sending/batcher.js';
import { EndpointLeases } from './sending/endpoint-leases.js';
import type { SendingContext } from './sending/courier.js';
import { Engine } from './sending/engine.js';
import { ConcurrencyPools } from './sending/concurrency-pools.js';
import { ReadAhead } from './sending/read-ahead.js';
import { sendingGauges, sendingMetrics } from './sending/metrics.js';

const SUCCESSES_GATHERED_MS = 10;
const READ_AHEAD_BYTES_MAX = 32 * 1024 * 1024;

export async function startWebhook(processParts: ProcessContext<WebhookConfig>): Promise<Server> {
  const parts = createRuntime('webhook', processParts);
  const { config, log, lifecycle, metrics, db } = parts;

  const endpoints = new EndpointStore(db);
  const attempts = new AttemptStore(db);
  const leases = new EndpointLeases(db, config.WEBHOOK_LEASE_MS);
  const secrets = new SecretBox(config.WEBHOOK_SECRET_KEY);
  const policy = new AddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS, config.WEBHOOK_DENIED_NETWORKS);
  const resolve = createResolver(config.WEBHOOK_DNS_SERVERS);

  const proxy = config.WEBHOOK_PROXY_URL;
  const agent = proxy ? proxyAgent(proxy) : guardedAgent(policy, resolve);
  const freshAgent = proxy ? undefined : guardedAgent(policy, resolve, false);
  lifecycle.onStop('webhook connections', () => agent.destroy());
  lifecycle.onStop('webhook connections made anew', () => freshAgent?.destroy());
  const outbound = { agent, freshAgent, policy, timeoutMs: config.WEBHOOK_TIMEOUT_MS };
  const secretKeeper = new SecretKeeper(db, endpoints, secrets, log);
  metrics.gauge('webhook_endpoints_under_old_keys', 'Endpoints with secrets that the first key does not open', () =>
    endpoints.underOldKeys(secrets.currentKeyId),
  );
  const pools = new ConcurrencyPools({
    inFlightMax: config.WEBHOOK_IN_FLIGHT_MAX,
    hostMax: config.WEBHOOK_HOST_CONCURRENCY,
  });
  const readAhead = new ReadAhead(READ_AHEAD_BYTES_MAX);
  const sending: SendingContext = {
    ...{ config, log, db, attempts, leases, secrets, pools, readAhead },
    mayStart: () => db.isReady && secretKeeper.hasEveryKey && hasRightTime(db),
    successes: new Batcher(
      (successes: Success[]) => attempts.succeed(successes).then(() => () => undefined),
      SUCCESSES_GATHERED_MS,
    ),
    metrics: sendingMetrics(metrics),
    post: (message: Message) => post(outbound, message),
  };
  const engine = new Engine(sending);
  sendingGauges(metrics, { pools, readAhead, leases, engine });
  const purger = new Purger(db, attempts);
  const replays = new ReplayStore(db);
  const replayer = new Replayer({ db, endpoints, attempts, leases, replays, engine });
  const ctx: WebhookContext = {
    ...{ config, db, endpoints, attempts, leases, engine, purger, secretKeeper, policy },
    ...{ deliveryLog: new DeliveryLog(db), replays, replayer },
  };
  fanOut(parts, ctx);

  const app = createApi({
    service: 'webhook',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: webhookHandlers(ctx),
    checks: webhookChecks(ctx),
  });
  await startRuntime(parts, { secret_key: () => secretKeeper.hasEveryKey, clock: () => hasRightTime(db) });
  secretKeeper.start(parts);
  engine.start(parts);
  purger.start(parts);
  replayer.start(parts);
  return serveHttp(app, { config, lifecycle, log });
}

/** Receivers reject a signature with a wrong time, and due times are compared with this clock. */
const CLOCK_SKEW_MAX_MS = 60_000;
const hasRightTime = ({ clockSkewMs }: Database): boolean => Math.abs(clockSkewMs ?? Infinity) < CLOCK_SKEW_MAX_MS;
