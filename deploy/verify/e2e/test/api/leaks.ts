import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type ChannelModel } from 'amqplib';
import mongoose from 'mongoose';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { backing, PROCESS_NAMES, type SystemSettings } from '@waymark/launcher/process-table';

/** Records every message between the services from now on. */
export async function listenIn({ amqpUrl, namespace }: SystemSettings) {
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, `${namespace}.events`, '#');
  const heard: string[] = [];
  await channel.consume(queue, (message) => message && heard.push(message.content.toString()), { noAck: true });
  return { heard, stop: () => connection.close() };
}

/** Yields everything an installation stores, with its place: every document, log line and waiting message. */
export async function* everythingKept(settings: SystemSettings): AsyncGenerator<[where: string, text: string]> {
  for (const name of PROCESS_NAMES) yield* documentsOf(name, backing(settings, name)['MONGODB_URI']!);
  const logs = join(settings.folder, 'logs');
  for (const name of readdirSync(logs)) yield [name, readFileSync(join(logs, name), 'utf8')];
  const connection = await connect(settings.amqpUrl);
  try {
    for (const queue of WORK_QUEUES) {
      for (const kind of ['', '.retry', '.parked'])
        yield* messagesOf(connection, `${settings.namespace}.${queue}${kind}`);
    }
  } finally {
    await connection.close();
  }
}

async function* documentsOf(name: string, uri: string): AsyncGenerator<[string, string]> {
  const database = await mongoose.createConnection(uri).asPromise();
  try {
    for (const { name: collection } of await database.listCollections()) {
      for await (const document of database.collection(collection).find({})) {
        yield [`${name}.${collection}`, JSON.stringify(document)];
      }
    }
  } finally {
    await database.close();
  }
}

async function* messagesOf(connection: ChannelModel, queue: string): AsyncGenerator<[string, string]> {
  // A channel of its own: messages it has read are requeued when it closes, and a missing queue closes only this
  // channel.
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    for (let message = await channel.get(queue); message; message = await channel.get(queue)) {
      yield [queue, message.content.toString()];
    }
    await channel.close();
  } catch {
    return;
  }
}

/** Returns the secrets that the text contains, plain or encoded. */
export function secretsIn(text: string, secrets: Iterable<string>): string[] {
  const formsOf = (secret: string) => {
    const bytes = Buffer.from(secret);
    const [, key] = /^whsec_(.+)$/.exec(secret) ?? [];
    return [secret, key ?? secret, bytes.toString('base64'), bytes.toString('hex'), encodeURIComponent(secret)];
  };
  return [...secrets].filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}
