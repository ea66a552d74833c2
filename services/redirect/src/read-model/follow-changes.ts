import { envelope } from '@waymark/shared/contract/event';
import type { Broker } from '@waymark/shared/kernel/broker/connection';
import { assertExchanges } from '@waymark/shared/kernel/broker/topology';
import type { Log } from '@waymark/shared/kernel/log';
import type { PlacedRecord, ReadModelDefinition } from './definition.js';

type Told<R extends PlacedRecord, Data> = Pick<ReadModelDefinition<R, never, never, Data>, 'events' | 'recordOf'>;

export interface ChangeListener<R extends PlacedRecord> {
  onChange(record: R): void;
  /** From now on every change is told; what happened before was missed. */
  onFollowing(): void;
}

/**
 * Tells this process of every change as it happens, through a queue of its own that lives no longer than its
 * connection. A message that makes no sense is left to the durable consumer, which parks it.
 */
export function followChanges<R extends PlacedRecord, Data>(
  broker: Broker,
  log: Log,
  told: Told<R, Data>,
  listener: ChangeListener<R>,
): void {
  broker.onConnected(async (connection) => {
    const channel = await connection.createChannel();
    channel.on('error', (error) => log.warn({ err: error }, 'channel error'));
    channel.on('close', () => broker.drop('channel of changes closed'));
    await assertExchanges(channel, broker.topology);
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false });
    for (const { type } of told.events) await channel.bindQueue(queue, broker.topology.events, type);
    await channel.consume(
      queue,
      (message) => {
        if (!message) return broker.drop('consumer of changes cancelled by the broker');
        const record = read(told, message.content);
        if (record) listener.onChange(record);
        else log.warn({ type: message.fields.routingKey }, 'change not understood');
      },
      { noAck: true },
    );
    listener.onFollowing();
  });
}

function read<R extends PlacedRecord, Data>(told: Told<R, Data>, body: Buffer): R | undefined {
  try {
    const event = envelope.parse(JSON.parse(body.toString('utf8')));
    const definition = told.events.find(({ type, version }) => type === event.type && version === event.version);
    return definition && told.recordOf({ ...event, data: definition.schema.parse(event.data) });
  } catch {
    return undefined;
  }
}
