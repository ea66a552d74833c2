import type { Metrics } from '@waymark/kernel/process/metrics';
import type { EndpointLeases } from './endpoint-leases.js';
import type { Engine } from './engine.js';
import type { ReadAhead } from './read-ahead.js';
import type { ConcurrencyPools } from './concurrency-pools.js';

export type SendingMetrics = ReturnType<typeof sendingMetrics>;

export function sendingMetrics(metrics: Metrics) {
  return {
    attempts: metrics.counter('webhook_attempts_total', 'Attempts by outcome', ['outcome']),
    startDelay: metrics.histogram('webhook_start_delay_seconds', 'From the event to its first attempt'),
  };
}

interface Sending {
  pools: ConcurrencyPools;
  readAhead: ReadAhead;
  leases: EndpointLeases;
  engine: Engine;
}

export function sendingGauges(metrics: Metrics, { pools, readAhead, leases, engine }: Sending): void {
  metrics.gauge('webhook_in_flight', 'Deliveries being sent', () => pools.inFlight);
  metrics.gauge('webhook_read_ahead_bytes', 'Bodies read and not sent yet', () => readAhead.bytes);
  metrics.gauge(
    'webhook_oldest_due_seconds',
    'How long an attempt for an endpoint that does not fail has been due',
    async () => {
      const now = Date.now();
      const since = [engine.waitingSince, await leases.unclaimedSince(new Date(now))];
      return Math.max(0, ...since.map((time) => (time ? (now - time.getTime()) / 1000 : 0)));
    },
  );
}
