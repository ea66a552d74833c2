import { Batcher } from '@waymark/kernel/async/batcher';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Runtime } from '@waymark/kernel/runtime';
import type { WebhookConfig } from '../config.js';
import type { AttemptStore, EndedAttempt } from '../deliveries/attempt-store.js';
import { ENDPOINTS_MAX } from '../endpoints/endpoint-store.js';
import type { SigningSecretBox } from '../endpoints/secret-box.js';
import type { HttpClient } from '../http/http-client.js';
import { LeaseStore } from './lease-store.js';

/** Deliveries of this process at a time. A connection over TLS takes 0.14 MB, through a proxy over TLS 0.22 MB. */
export const IN_FLIGHT_MAX = 400;
/** Deliveries to one endpoint at a time, over all processes. */
export const ENDPOINT_CONCURRENCY = 10;
/** Deliveries of one workspace at a time: as many as all its endpoints get, so that it never waits for itself. */
const WORKSPACE_CONCURRENCY = ENDPOINTS_MAX * ENDPOINT_CONCURRENCY;
/** A delivery waits for its place as long as it takes; no timer of Node waits longer. */
const WAITING = { waitMaxMs: 2 ** 31 - 1, waitingMax: Infinity };
/** Under a moderate load several outcomes share a write; a process that is killed in this time sends them again. */
const SUCCESSES_GATHERED_MS = 25;

export interface DispatchContext {
  config: WebhookConfig;
  log: Log;
  db: Database;
  /** True if this process can send: database, keys and clock are in order. */
  canSend: () => boolean;
  attempts: AttemptStore;
  leases: LeaseStore;
  secrets: SigningSecretBox;
  client: HttpClient;
  endpointConcurrency: number;
  pendingMax: number;
  disableAfterMs: number;
  /** Limits the deliveries at a time to one host, over all workspaces. */
  hostLimit: KeyedLimit;
  /** Limits the deliveries at a time in all, and for one workspace. */
  workspaceLimit: KeyedLimit;
  successWriter: Batcher<EndedAttempt, void>;
  metrics: DispatchMetrics;
}

type Sending = Pick<
  DispatchContext,
  'attempts' | 'secrets' | 'client' | 'canSend' | 'endpointConcurrency' | 'pendingMax' | 'disableAfterMs'
>;

export function createDispatchContext(runtime: Runtime<WebhookConfig>, sending: Sending): DispatchContext {
  const { config, log, metrics, db } = runtime;
  const { attempts } = sending;
  return {
    ...{ config, log, db, ...sending },
    leases: new LeaseStore(db),
    hostLimit: new KeyedLimit({ ...WAITING, total: Infinity, perKey: config.WEBHOOK_HOST_CONCURRENCY }),
    workspaceLimit: new KeyedLimit({ ...WAITING, total: IN_FLIGHT_MAX, perKey: WORKSPACE_CONCURRENCY }),
    successWriter: new Batcher(
      (successes: EndedAttempt[]) => attempts.markSucceeded(successes).then(() => () => undefined),
      { gatherMs: SUCCESSES_GATHERED_MS },
    ),
    metrics: createDispatchMetrics(metrics),
  };
}

type DispatchMetrics = ReturnType<typeof createDispatchMetrics>;

function createDispatchMetrics(metrics: Metrics) {
  return {
    attempts: metrics.counter('webhook_attempts_total', 'Attempts by outcome', ['outcome']),
    startDelay: metrics.histogram('webhook_start_delay_seconds', 'From the event to its first attempt'),
  };
}
