import type { Server } from 'node:http';
import { findWebhookUsage } from '@waymark/contract/requests';
import { Batcher } from '@waymark/kernel/async/batcher';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { createApi } from '@waymark/kernel/http/api';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { Database } from '@waymark/kernel/mongo/database';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime, type Runtime } from '@waymark/kernel/process/runtime';
import type { WebhookConfig } from './config.js';
import { AttemptStore, type EndedAttempt } from './deliveries/attempt-store.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { DeliveryPurger } from './deliveries/delivery-purger.js';
import { ReplayStore } from './deliveries/replay-store.js';
import { Replayer } from './deliveries/replayer.js';
import { deliveryChecks, deliveryHandlers } from './deliveries/routes.js';
import { ConcurrencyPools } from './dispatch/concurrency-pools.js';
import type { DispatchContext } from './dispatch/context.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { LeaseStore } from './dispatch/lease-store.js';
import { createDispatchMetrics, registerDispatchGauges } from './dispatch/metrics.js';
import { PendingCounter } from './dispatch/pending-counter.js';
import { ReadAhead } from './dispatch/read-ahead.js';
import { ENDPOINTS_MAX, EndpointStore } from './endpoints/endpoint-store.js';
import { endpointChecks, endpointHandlers } from './endpoints/routes.js';
import { SigningSecretBox } from './endpoints/secret-box.js';
import { SigningSecrets } from './endpoints/signing-secrets.js';
import { erasureSteps } from './erasure-steps.js';
import { startFanOut } from './events/fan-out.js';
import { AddressPolicy } from './http/address-policy.js';
import { Sender } from './http/sender.js';

/** Under a moderate load several outcomes share a write; a process that is killed in this time sends them again. */
const SUCCESSES_GATHERED_MS = 25;
const READ_AHEAD_BYTES_MAX = 32 * 1024 * 1024;
/** Receivers reject a signature with a wrong time, and due times are compared with this clock. */
const CLOCK_SKEW_MAX_MS = 60_000;

export async function startWebhook(processContext: ProcessContext<WebhookConfig>): Promise<Server> {
  const runtime = createRuntime('webhook', processContext);
  const { config, log, lifecycle, metrics, db } = runtime;

  const endpoints = new EndpointStore(db);
  const attempts = new AttemptStore(db);
  const secrets = new SigningSecretBox(config.WEBHOOK_SECRET_KEY);
  const signingSecrets = new SigningSecrets({ db, endpoints, secrets, log });
  metrics.gauge('webhook_endpoints_under_old_keys', 'Endpoints with secrets that the first key does not open', () =>
    endpoints.countUnderOldKeys(secrets.currentKeyId),
  );
  metrics.gauge('webhook_endpoints_under_missing_keys', 'Endpoints whose deliveries wait for a missing key', () =>
    signingSecrets.countWaitingEndpoints(),
  );
  const policy = new AddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS, config.WEBHOOK_DENIED_NETWORKS);
  const sender = createSender(config);
  const canSend = () => db.isReady && signingSecrets.isUsable && isClockRight(db) && sender.isReady;
  const dispatcher = createDispatcher(runtime, { attempts, secrets, sender, canSend });
  const purger = new DeliveryPurger(db, attempts);
  const replays = new ReplayStore(db);
  const replayer = new Replayer({ db, endpoints, attempts, replays, dispatcher });
  const deliveryLog = new DeliveryLog(db);
  const ctx = {
    ...{ config, db, policy, endpoints, signingSecrets, attempts },
    ...{ deliveryLog, purger, replays, replayer, dispatcher },
  };
  startFanOut(runtime, ctx);
  serveRequests(runtime.broker, findWebhookUsage, async ({ workspace }) => ({
    usage: { webhooks: { used: await endpoints.countEndpoints(workspace), limit: ENDPOINTS_MAX } },
  }));
  startErasures(runtime, { service: 'webhook', steps: erasureSteps(ctx) });

  const app = createApi({
    service: 'webhook',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: { ...endpointHandlers(ctx), ...deliveryHandlers(ctx) },
    checks: { ...endpointChecks(ctx), ...deliveryChecks(ctx) },
  });
  await startRuntime(runtime, { secret_key: () => signingSecrets.isUsable, clock: () => isClockRight(db) });
  signingSecrets.startResealing(runtime);
  sender.start(runtime);
  dispatcher.start(runtime);
  purger.start(runtime);
  replayer.start(runtime);
  return serveHttp(app, { config, lifecycle, log, metrics });
}

const createSender = (config: WebhookConfig): Sender =>
  new Sender({
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    deniedNetworks: config.WEBHOOK_DENIED_NETWORKS,
    nameServers: config.WEBHOOK_DNS_SERVERS,
    proxyUrl: config.WEBHOOK_PROXY_URL,
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
  });

type Sending = Pick<DispatchContext, 'attempts' | 'secrets' | 'sender' | 'canSend'>;

function createDispatcher(runtime: Runtime<WebhookConfig>, sending: Sending): Dispatcher {
  const { config, log, metrics, db } = runtime;
  const { attempts } = sending;
  const leases = new LeaseStore(db, config.WEBHOOK_LEASE_MS);
  const readAhead = new ReadAhead(READ_AHEAD_BYTES_MAX);
  const concurrencyPools = new ConcurrencyPools({
    inFlightMax: config.WEBHOOK_IN_FLIGHT_MAX,
    hostMax: config.WEBHOOK_HOST_CONCURRENCY,
  });
  const dispatcher = new Dispatcher({
    ...{ config, log, db, leases, concurrencyPools, readAhead },
    pendingCounter: new PendingCounter({ config, log, attempts, leases }),
    ...sending,
    successes: new Batcher(
      (successes: EndedAttempt[]) => attempts.markSucceeded(successes).then(() => () => undefined),
      { gatherMs: SUCCESSES_GATHERED_MS },
    ),
    metrics: createDispatchMetrics(metrics),
  });
  registerDispatchGauges(metrics, { concurrencyPools, readAhead, leases, dispatcher });
  return dispatcher;
}

const isClockRight = ({ clockSkewMs }: Database): boolean => Math.abs(clockSkewMs ?? Infinity) < CLOCK_SKEW_MAX_MS;
