import type { Batcher } from '@waymark/kernel/async/batcher';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { WebhookConfig } from '../config.js';
import type { AttemptStore, EndedAttempt } from '../deliveries/attempt-store.js';
import type { SigningSecretBox } from '../endpoints/secret-box.js';
import type { Sender } from '../http/sender.js';
import type { ConcurrencyPools } from './concurrency-pools.js';
import type { LeaseStore } from './lease-store.js';
import type { DispatchMetrics } from './metrics.js';
import type { PendingCounter } from './pending-counter.js';
import type { ReadAhead } from './read-ahead.js';

export type DispatchConfig = Pick<
  WebhookConfig,
  | 'WEBHOOK_POLL_MS'
  | 'WEBHOOK_LEASE_MS'
  | 'WEBHOOK_IN_FLIGHT_MAX'
  | 'WEBHOOK_ENDPOINT_CONCURRENCY'
  | 'WEBHOOK_PENDING_MAX'
  | 'WEBHOOK_RETRY_SCHEDULE'
  | 'WEBHOOK_DISABLE_AFTER_SECONDS'
>;

export interface DispatchContext {
  config: DispatchConfig;
  log: Log;
  db: Database;
  /** True if this process can send: database, keys, clock and sender are in order. */
  canSend: () => boolean;
  attempts: AttemptStore;
  leases: LeaseStore;
  secrets: SigningSecretBox;
  concurrencyPools: ConcurrencyPools;
  readAhead: ReadAhead;
  pendingCounter: PendingCounter;
  successes: Batcher<EndedAttempt, void>;
  metrics: DispatchMetrics;
  sender: Pick<Sender, 'postMessage'>;
}
