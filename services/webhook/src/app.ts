import type { Server } from 'node:http';
import { findWebhookUsage } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { createApi } from '@waymark/kernel/http/api';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { Database } from '@waymark/kernel/mongo/database';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/runtime';
import type { WebhookConfig } from './config.js';
import { AttemptStore, PENDING_MAX } from './deliveries/attempt-store.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { DeliveryPurger } from './deliveries/delivery-purger.js';
import { ReplayStore } from './deliveries/replay-store.js';
import { Replayer } from './deliveries/replayer.js';
import { deliveryChecks, deliveryHandlers } from './deliveries/routes.js';
import { createDispatchContext, ENDPOINT_CONCURRENCY } from './dispatch/context.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { DISABLE_AFTER_MS } from './dispatch/outcome-writer.js';
import { ENDPOINTS_MAX, EndpointStore } from './endpoints/endpoint-store.js';
import { endpointChecks, endpointHandlers } from './endpoints/routes.js';
import { SigningSecretBox } from './endpoints/secret-box.js';
import { SigningSecrets } from './endpoints/signing-secrets.js';
import { SECRET_OVERLAP_MS } from './endpoints/update-webhook.js';
import { erasureSteps } from './erasure-steps.js';
import { startFanOut } from './events/fan-out.js';
import { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { ATTEMPT_TIMEOUT_MS, createHttpClient } from './http/http-client.js';

/** How often the dispatcher looks for retries that have become due. */
const POLL_MS = 500;
/** Receivers reject a signature with a wrong time, and due times are compared with this clock. */
const CLOCK_SKEW_MAX_MS = 60_000;

const DEFAULTS = {
  pollMs: POLL_MS,
  timeoutMs: ATTEMPT_TIMEOUT_MS,
  endpointConcurrency: ENDPOINT_CONCURRENCY,
  pendingMax: PENDING_MAX,
  secretOverlapMs: SECRET_OVERLAP_MS,
  disableAfterMs: DISABLE_AFTER_MS,
};
export type WebhookOptions = typeof DEFAULTS;

/** @param options for tests, in place of the documented times and limits */
export async function startWebhook(
  processContext: ProcessContext<WebhookConfig>,
  options: Partial<WebhookOptions> = {},
): Promise<Server> {
  const runtime = createRuntime('webhook', processContext);
  const { config, log, lifecycle, metrics, db } = runtime;
  const { pollMs, timeoutMs, secretOverlapMs, endpointConcurrency, pendingMax, disableAfterMs } = withDefaults(options);

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
  const client = createHttpClient({
    policy,
    nameServers: config.WEBHOOK_DNS_SERVERS,
    proxyUrl: config.WEBHOOK_PROXY_URL,
    timeoutMs,
  });
  const canSend = () => db.isReady && signingSecrets.isUsable && isClockRight(db);
  const sending = { attempts, secrets, client, canSend, endpointConcurrency, pendingMax, disableAfterMs };
  const dispatcher = new Dispatcher(createDispatchContext(runtime, sending));
  dispatcher.registerGauges(metrics);
  const purger = new DeliveryPurger(db, attempts);
  const replays = new ReplayStore(db);
  const replayer = new Replayer({ db, endpoints, attempts, replays, dispatcher });
  const deliveryLog = new DeliveryLog(db);
  const ctx = {
    ...{ config, db, policy, endpoints, signingSecrets, attempts },
    ...{ deliveryLog, purger, replays, replayer, dispatcher, secretOverlapMs, pendingMax },
  };
  startFanOut(runtime, ctx);
  serveRequests(runtime.broker, findWebhookUsage, async ({ workspace }) => ({
    usage: { webhooks: { used: await endpoints.countEndpoints(workspace), limit: ENDPOINTS_MAX } },
  }));
  startErasures(runtime, { service: 'webhook', steps: erasureSteps(ctx) });

  const app = createApi({
    service: 'webhook',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: { ...endpointHandlers(ctx), ...deliveryHandlers(ctx) },
    checks: { ...endpointChecks(ctx), ...deliveryChecks(ctx) },
  });
  await startRuntime(runtime, { secret_key: () => signingSecrets.isUsable, clock: () => isClockRight(db) });
  signingSecrets.startResealing(runtime);
  // Stops in reverse order: the deliveries in progress have ended by then.
  lifecycle.onStop('webhook connections', () => client.close());
  dispatcher.start(runtime, pollMs);
  purger.start(runtime);
  replayer.start(runtime);
  return serveHttp(app, { config, lifecycle, log, metrics });
}

const withDefaults = (options: Partial<WebhookOptions>): WebhookOptions => ({ ...DEFAULTS, ...options });

const isClockRight = ({ clockSkewMs }: Database): boolean => Math.abs(clockSkewMs ?? Infinity) < CLOCK_SKEW_MAX_MS;
