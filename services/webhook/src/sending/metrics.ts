import type { Metrics } from '@waymark/shared/kernel/metrics';
import type { DeliveryStore } from '../deliveries/delivery-store.js';
import type { Lanes } from './lane.js';

export type SendingMetrics = ReturnType<typeof sendingMetrics>;

export function sendingMetrics(metrics: Metrics, deliveries: DeliveryStore, lanes: Lanes) {
  metrics.gauge('webhook_in_flight', 'Deliveries being sent', () => lanes.inFlight);
  metrics.gauge('webhook_oldest_due_seconds', 'How long the longest waiting attempt has been due', async () => {
    const now = new Date();
    const oldest = await deliveries.oldestDueAt(now);
    return oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0;
  });
  return {
    attempts: metrics.counter('webhook_attempts_total', 'Attempts by outcome', ['outcome']),
    startDelay: metrics.histogram('webhook_start_delay_seconds', 'From the event to its first attempt'),
  };
}
