import { BrokerUnavailable, type EventPublisher } from './publisher.js';
import type { Database } from '../mongo/database.js';
import type { Lifecycle } from '../process/lifecycle.js';
import { createLog } from '../process/log.js';
import { Metrics } from '../process/metrics.js';
import { openOutbox } from './outbox.js';

const NO_BROKER: EventPublisher = {
  isUp: false,
  publish: () => Promise.reject(new BrokerUnavailable('the command line does not publish')),
};

/** Has the events of a command stored; the outbox of the running service publishes them. */
export function storeEvents(db: Database, lifecycle: Lifecycle): void {
  openOutbox({ db, publisher: NO_BROKER, log: createLog('admin', 'silent'), metrics: new Metrics('admin'), lifecycle });
}
