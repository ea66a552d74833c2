import { BROKER_SERVICES, type BrokerService } from '@waymark/contract/broker-services';
import { ERASURE_REPORTS } from '@waymark/contract/erasures';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { OrderStore } from './order-store.js';

const SERVICE_OF = new Map<string, BrokerService>(
  BROKER_SERVICES.map((service) => [ERASURE_REPORTS[service].type, service]),
);

/** Stores what each service has erased, for the operator. */
export function followReports(runtime: ConsumerContext, orders: OrderStore): void {
  runtime.metrics.gauge('erasure_open_seconds', 'Age of the oldest erasure that a service has not completed', () =>
    orders.findOldestOpenSeconds(),
  );
  startConsumer(runtime, {
    queue: 'auth.erasures',
    events: Object.values(ERASURE_REPORTS),
    handle: async (events) => {
      for (const { type, data } of events) await orders.storeReport(SERVICE_OF.get(type)!, data);
    },
  });
}
