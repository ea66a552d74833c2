import { randomUUID } from 'node:crypto';
import { envelope, type Event, type EventDefinition } from '@waymark/contract/event';
import type { WorkQueue } from '@waymark/contract/queues';
import type { Broker } from '@waymark/kernel/broker/connection';
import { ensureQueues } from '@waymark/kernel/broker/declare';
import { closeChannel } from '@waymark/kernel/broker/managed-channel';
import { workQueue } from '@waymark/kernel/broker/topology';
import type { Log } from '@waymark/kernel/process/log';

/** The events from which records follow. */
interface ChangeSource<R, Data> {
  queue: WorkQueue;
  events: readonly EventDefinition<Data>[];
  recordOf: (event: Event<Data>) => R | undefined;
}

export interface ChangeListener<R> {
  onChange(record: R): void;
  /** From now on the listener gets every change; it missed the earlier ones. */
  onFollowing(): void;
}

/**
 * Notifies this process of every change as it happens, through an exclusive queue that lives no longer than its
 * connection. It skips invalid messages: the durable consumer dead-letters them.
 */
export function followChanges<R, Data>(
  { broker, log }: { broker: Broker; log: Log },
  source: ChangeSource<R, Data>,
  listener: ChangeListener<R>,
): void {
  const types = source.events.map(({ type }) => type);
  const { topology } = broker;
  broker.keepChannel(`changes of ${types[0]}`, async (channel, connection) => {
    // The durable queue first: an event must not count as published because only this queue took it.
    await ensureQueues(connection, broker, workQueue(topology, source.queue, { types }));
    const name = topology.queue(`${broker.service}.live.${randomUUID()}`);
    const { queue } = await channel.assertQueue(name, { exclusive: true, autoDelete: true, durable: false });
    for (const type of types) await channel.bindQueue(queue, topology.events, type);
    await channel.consume(
      queue,
      (message) => {
        if (!message) return void closeChannel(channel);
        const record = parseChange(source, message.content);
        if (record) listener.onChange(record);
        else log.warn({ type: message.fields.routingKey }, 'invalid change skipped');
      },
      { noAck: true },
    );
    listener.onFollowing();
  });
}

function parseChange<R, Data>(source: ChangeSource<R, Data>, body: Buffer): R | undefined {
  try {
    const event = envelope.parse(JSON.parse(body.toString('utf8')));
    const definition = source.events.find(({ type, version }) => type === event.type && version === event.version);
    return definition && source.recordOf({ ...event, data: definition.schema.parse(event.data) });
  } catch {
    return undefined;
  }
}
