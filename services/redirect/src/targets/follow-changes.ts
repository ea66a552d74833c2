import { envelope } from '@waymark/shared/contract/event';
import { CONTENT_EVENTS } from '@waymark/shared/contract/events';
import type { Broker } from '@waymark/shared/kernel/broker/connection';
import { assertExchanges } from '@waymark/shared/kernel/broker/topology';
import type { Log } from '@waymark/shared/kernel/log';
import { recordOf, type TargetRecord } from './record.js';

export interface ChangeListener {
  onChange(record: TargetRecord): void;
  /** From now on every change is told; what happened before was missed. */
  onFollowing(): void;
}

/**
 * Tells this process of every change as it happens, through a queue of its own that lives no longer than its
 * connection. A message that makes no sense is left to the durable consumer, which parks it.
 */
export function followChanges(broker: Broker, log: Log, listener: ChangeListener): void {
  broker.onConnected(async (connection) => {
    const channel = await connection.createChannel();
    channel.on('error', (error) => log.warn({ err: error }, 'channel error'));
    channel.on('close', () => broker.drop('channel of target changes closed'));
    await assertExchanges(channel, broker.topology);
    const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false });
    for (const { type } of CONTENT_EVENTS) await channel.bindQueue(queue, broker.topology.events, type);
    await channel.consume(
      queue,
      (message) => {
        if (!message) return broker.drop('consumer of target changes cancelled by the broker');
        const record = read(message.content);
        if (record) listener.onChange(record);
        else log.warn({ type: message.fields.routingKey }, 'change not understood');
      },
      { noAck: true },
    );
    listener.onFollowing();
  });
}

function read(body: Buffer): TargetRecord | undefined {
  try {
    const event = envelope.parse(JSON.parse(body.toString('utf8')));
    const definition = CONTENT_EVENTS.find(({ type, version }) => type === event.type && version === event.version);
    const data = definition?.schema.parse(event.data);
    return data && recordOf({ ...event, data });
  } catch {
    return undefined;
  }
}
