import { connect } from 'amqplib';
import type { WorkQueue } from '@waymark/contract/queues';
import type { Environment } from '../harness/environment.js';

/** Publishes bodies to a work queue, including invalid ones. */
export const publishToQueue = (environment: Environment, queue: WorkQueue, bodies: string[]): Promise<void> =>
  publishRaw(environment, { exchange: 'queues', key: queue }, bodies);

/** Publishes bodies as questions of one kind, without waiting for answers. */
export const publishQuestions = (environment: Environment, name: string, bodies: string[]): Promise<void> =>
  publishRaw(environment, { exchange: 'questions', key: name }, bodies);

async function publishRaw(
  { system }: Environment,
  { exchange, key }: { exchange: string; key: string },
  bodies: string[],
): Promise<void> {
  const { amqpUrl, namespace } = system.settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  for (const body of bodies) channel.publish(`${namespace}.${exchange}`, key, Buffer.from(body));
  await channel.waitForConfirms();
  await connection.close();
}
