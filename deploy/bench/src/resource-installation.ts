import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import { Broker } from '@waymark/shared/kernel/broker/connection';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { ServiceCaller } from '@waymark/shared/testing/service-caller';
import { openStack } from '@waymark/local/stack';
import { backing, type SystemSettings } from '@waymark/local/system/process-table';
import { loadOrCreateSecrets } from '@waymark/local/system/secrets';
import { System } from '@waymark/local/system/system';
import { freshSettings } from './fresh-settings.js';

/** Servers and one resource service, whose events somebody takes. */
export interface ResourceInstallation {
  caller: ServiceCaller;
  /** The service's own database. */
  database: Connection;
  stop(): Promise<void>;
}

export async function installResource(): Promise<ResourceInstallation> {
  const lifecycle = new Lifecycle(createLog('bench', 'silent'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop().then(() => process.exit(1)));
  }
  const stack = await openStack({ name: 'bench', fresh: true, progress: (line) => console.error(line) });
  lifecycle.onStop('stack', () => stack.stop());
  try {
    const settings = await freshSettings(stack, lifecycle);
    await takeEvents(settings, lifecycle);
    const system = await System.start(settings, { only: ['resource'] });
    lifecycle.onStop('system', () => system.stop());
    const database = await mongoose.createConnection(backing(settings, 'resource')['MONGODB_URI']!).asPromise();
    lifecycle.onStop('database', () => database.close());
    const keys = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
    const caller = new ServiceCaller('resource', () => system.process('resource').url, keys);
    return { caller, database, stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

/** Stands for the services that are not here: what nobody takes would be published over and over. */
async function takeEvents(settings: SystemSettings, lifecycle: Lifecycle): Promise<void> {
  const broker = new Broker(
    settings.amqpUrl,
    settings.namespace,
    'waymark-bench',
    createLog('bench', 'silent'),
    lifecycle,
  );
  broker.onConnected(async (connection) => {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertExchange(broker.topology.events, 'topic', { durable: true });
    const { queue } = await channel.assertQueue('', { exclusive: true, arguments: { 'x-max-length': 1 } });
    await channel.bindQueue(queue, broker.topology.events, '#');
  });
  broker.start();
  while (!broker.isUp) await sleep(50);
}
