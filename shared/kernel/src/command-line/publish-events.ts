import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '../broker/connection.js';
import { BrokerUnavailable, openPublisher, type EventPublisher } from '../broker/publisher.js';
import type { Database } from '../mongo/database.js';
import { openOutbox } from '../broker/outbox.js';
import { brokerConfig, loadConfig } from '../process/config.js';
import type { Lifecycle } from '../process/lifecycle.js';
import { createLog } from '../process/log.js';
import { Metrics } from '../process/metrics.js';

/** Afterwards the running service publishes the events from the outbox. */
const CONNECT_TIMEOUT_MS = 4000;
const CHECK_EVERY_MS = 20;

export interface PublishedEvents {
  /** Waits for the events so far. @returns whether the broker has confirmed all of them; otherwise the service publishes them */
  areConfirmed(): Promise<boolean>;
}

/**
 * Has the command itself publish the events that it emits: the service would do so 3 to 5 s later. It connects only
 * for a command that emits one.
 */
export function publishEvents(
  service: string,
  env: NodeJS.ProcessEnv,
  { db, lifecycle }: { db: Database; lifecycle: Lifecycle },
): PublishedEvents {
  const log = createLog('admin', 'silent');
  // Created before the outbox, which stops before it.
  const broker = openBroker(service, { config: loadConfig(brokerConfig, env), log, lifecycle });
  const publisher = openPublisher(broker);
  let connecting: Promise<void> | undefined;
  let hasFailed = false;

  async function connect(): Promise<void> {
    broker.start();
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    while (!publisher.isUp) {
      if (performance.now() > deadline) throw new BrokerUnavailable('the broker does not answer');
      await sleep(CHECK_EVERY_MS);
    }
  }

  const connected: EventPublisher = {
    isUp: true,
    publish: async (type, id, body) => {
      try {
        await (connecting ??= connect());
        await publisher.publish(type, id, body);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
  };
  const outbox = openOutbox({ db, publisher: connected, log, metrics: new Metrics('admin'), lifecycle });
  return {
    areConfirmed: async () => {
      await outbox.flush();
      return !hasFailed;
    },
  };
}
