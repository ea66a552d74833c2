import type { Server } from 'node:http';
import type { z } from 'zod';
import { openBroker } from './broker/connection.js';
import { openPublisher } from './broker/publisher.js';
import type { brokerConfig, databaseConfig, ProcessConfig } from './process/config.js';
import { ErasureStore } from './erasure/erasure-store.js';
import { Database } from './mongo/database.js';
import type { ProcessContext } from './process/lifecycle.js';
import { Metrics } from './process/metrics.js';
import { startOpsServer, type ReadinessCheck } from './process/ops-server.js';
import { openOutbox } from './broker/outbox.js';

type RuntimeConfig = ProcessConfig & z.output<typeof databaseConfig> & z.output<typeof brokerConfig>;

/** Creates the common parts of services with a database and events. Nothing connects before `startRuntime`. */
export function createRuntime<C extends RuntimeConfig>(name: string, { config, log, lifecycle }: ProcessContext<C>) {
  const metrics = new Metrics(name);
  const db = new Database(config.MONGODB_URI, { log, lifecycle });
  const broker = openBroker(name, { config, log, lifecycle });
  const publisher = openPublisher(broker);
  const outbox = openOutbox({ db, publisher, log, metrics, lifecycle });
  broker.reportTo(metrics);
  db.reportTo(metrics);
  const erasures = new ErasureStore(db);
  return { config, log, lifecycle, metrics, db, broker, publisher, outbox, erasures };
}
export type Runtime<C extends RuntimeConfig = RuntimeConfig> = ReturnType<typeof createRuntime<C>>;

/**
 * Connects in the background and opens the operator's port. A service is ready without the broker:
 * its events then wait in the outbox.
 */
export function startRuntime(parts: Runtime, checks: Record<string, ReadinessCheck> = {}): Promise<Server> {
  const { config, db, broker, outbox, metrics, lifecycle } = parts;
  void db.start();
  broker.start();
  outbox.start();
  const all = { database: () => db.isReady, ...checks };
  return startOpsServer({ host: config.HOST, port: config.OPS_PORT, metrics, lifecycle, checks: all });
}
