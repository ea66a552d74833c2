import type { Connection } from 'mongoose';
import type { Publisher } from '@waymark/kernel/broker/publisher';
import { Database } from '@waymark/kernel/mongo/database';
import { ServiceCaller } from '@waymark/testing/service-caller';
import type { ManagedProcess } from '@waymark/launcher/managed-process';
import { backing } from '@waymark/launcher/process-table';
import { identityKeyOf, loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { waitFor } from '@waymark/testing/wait-for';
import { openEnvironment, type Stoppable } from './install.js';
import { consumeEveryEvent } from './join-broker.js';

/** An installation of the analytics service only. */
export interface AnalyticsInstallation extends Stoppable {
  analytics: ManagedProcess;
  /** Its database, bypassing the service. */
  database: Connection;
  /** The processes that a scan passes, by name; without servers that run elsewhere. */
  pidsOf: Record<string, () => number[]>;
  publisher: Publisher;
  caller: ServiceCaller;
  /** The environment of its operator's commands. */
  env: Record<string, string>;
}

export function installAnalytics(): Promise<AnalyticsInstallation> {
  return openEnvironment(async ({ stack, settings, lifecycle, log, start }) => {
    const system = await start(['analytics']);
    const publisher = consumeEveryEvent(settings, lifecycle);
    const env = backing(settings, 'analytics');
    const db = new Database(env['MONGODB_URI']!, { log, lifecycle });
    await db.start();
    const analytics = system.process('analytics');
    await waitFor('analytics to be on the broker', async () => (await analytics.metric('waymark_broker_up')) === 1);
    await waitFor('the broker', () => Promise.resolve(publisher.isUp));
    const secrets = loadOrCreateSecrets(`${settings.folder}/secrets.json`);
    const caller = new ServiceCaller('analytics', () => analytics.url, identityKeyOf(secrets, 'analytics'));
    const answersFigures = async () => (await caller.call('GET', '/analytics/summary')).status === 200;
    await waitFor('the tables of the warehouse', answersFigures);
    const pidsOf = {
      analytics: () => [analytics.pid],
      database: () => stack.database?.pids() ?? [],
      broker: () => stack.broker?.pids() ?? [],
      clickhouse: () => stack.clickHouse?.pids() ?? [],
    };
    return { analytics, pidsOf, database: db.connection, publisher, caller, env };
  });
}
