import type { Connection } from 'mongoose';
import type { Publisher } from '@waymark/shared/kernel/broker/publisher';
import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { openStack } from '@waymark/local/stack';
import type { ManagedProcess } from '@waymark/local/system/managed-process';
import { backing } from '@waymark/local/system/process-table';
import { loadOrCreateSecrets, type Secrets } from '@waymark/local/system/secrets';
import { System } from '@waymark/local/system/system';
import { freshSettings } from './fresh-settings.js';
import { joinBroker } from './join-broker.js';
import { until } from './until.js';

/** Servers and the analytics service alone; everything is gone after `stop`. */
export interface AnalyticsInstallation {
  analytics: ManagedProcess;
  /** Its database, past the service. */
  database: Connection;
  publisher: Publisher;
  secrets: Secrets;
  /** The value of one of its metrics. */
  metric: (name: string, labels?: string) => Promise<number>;
  stop(): Promise<void>;
}

export async function installAnalytics(): Promise<AnalyticsInstallation> {
  const log = createLog('bench', 'silent');
  const lifecycle = new Lifecycle(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop().then(() => process.exit(1)));
  }
  const stack = await openStack({ name: 'bench', fresh: true, progress: (line) => console.error(line) });
  lifecycle.onStop('stack', () => stack.stop());
  try {
    const settings = await freshSettings(stack, lifecycle);
    const system = await System.start(settings, { only: ['analytics'] });
    lifecycle.onStop('system', () => system.stop());
    const publisher = joinBroker(settings, lifecycle);
    const db = new Database(backing(settings, 'analytics')['MONGODB_URI']!, log, lifecycle);
    await db.start();
    const analytics = system.process('analytics');
    const metric = (name: string, labels?: string) => readMetric(analytics.opsUrl, name, labels);
    await until('analytics to be on the broker', async () => (await metric('waymark_broker_up')) === 1);
    await until('the broker', () => Promise.resolve(publisher.isUp));
    const secrets = loadOrCreateSecrets(`${settings.folder}/secrets.json`);
    return { analytics, database: db.connection, publisher, secrets, metric, stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function readMetric(opsUrl: string, name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(labels));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')));
}
