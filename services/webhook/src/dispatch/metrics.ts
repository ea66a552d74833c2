import type { Metrics } from '@waymark/kernel/process/metrics';
import type { ConcurrencyPools } from './concurrency-pools.js';
import type { LeaseStore } from './lease-store.js';
import type { ReadAhead } from './read-ahead.js';

export type DispatchMetrics = ReturnType<typeof createDispatchMetrics>;

export function createDispatchMetrics(metrics: Metrics) {
  return {
    attempts: metrics.counter('webhook_attempts_total', 'Attempts by outcome', ['outcome']),
    startDelay: metrics.histogram('webhook_start_delay_seconds', 'From the event to its first attempt'),
  };
}

interface GaugeSources {
  concurrencyPools: ConcurrencyPools;
  readAhead: ReadAhead;
  leases: LeaseStore;
  dispatcher: { readonly oldestDueAt: Date | null };
}

export function registerDispatchGauges(metrics: Metrics, sources: GaugeSources): void {
  const { concurrencyPools, readAhead, leases, dispatcher } = sources;
  metrics.gauge('webhook_in_flight', 'Deliveries being sent', () => concurrencyPools.inFlight);
  metrics.gauge('webhook_read_ahead_bytes', 'Bodies read and not sent yet', () => readAhead.bytes);
  metrics.gauge(
    'webhook_oldest_due_seconds',
    'How long an attempt for an endpoint that does not fail has been due',
    async () => {
      const now = Date.now();
      const since = [dispatcher.oldestDueAt, await leases.findOldestUnclaimedDueAt(new Date(now))];
      return Math.max(0, ...since.map((time) => (time ? (now - time.getTime()) / 1000 : 0)));
    },
  );
}
