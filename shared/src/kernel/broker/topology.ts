import type { Channel, Options } from 'amqplib';

/** How long a message that failed waits before it is tried again. */
const RETRY_AFTER_MS = 10_000;
/**
 * The broker gives a message up after this many deliveries. Consumers park a message long before that (see
 * `consumer.ts`); this is the last resort against a message that nobody lives long enough to look at.
 */
const DELIVERIES_MAX = 100;

/** Names of everything an installation has on the broker. */
export class Topology {
  constructor(readonly namespace: string) {}

  get events(): string {
    return `${this.namespace}.events`;
  }
  get dead(): string {
    return `${this.namespace}.dead`;
  }
  queue(name: string): string {
    return `${this.namespace}.${name}`;
  }
  retry(name: string): string {
    return `${this.queue(name)}.retry`;
  }
  parked(name: string): string {
    return `${this.queue(name)}.parked`;
  }
}

const AT_LEAST_ONCE = {
  'x-queue-type': 'quorum',
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
};

export async function assertExchanges(channel: Channel, topology: Topology): Promise<void> {
  await channel.assertExchange(topology.events, 'topic', { durable: true });
  await channel.assertExchange(topology.dead, 'direct', { durable: true });
}

/**
 * A work queue with its two companions: `.retry` gives a message back after a delay, `.parked` keeps what an operator
 * must look at. Declaring is idempotent and repeated on every connect, so a lost queue comes back by itself.
 */
export async function assertWorkQueue(
  channel: Channel,
  topology: Topology,
  name: string,
  types: readonly string[],
  { singleActive }: { singleActive?: boolean } = {},
) {
  const queue = topology.queue(name);
  // Looking at a parked message counts as a delivery and must never be the end of it: no limit.
  await channel.assertQueue(topology.parked(name), {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 },
  });
  await channel.bindQueue(topology.parked(name), topology.dead, queue);
  await channel.assertQueue(topology.retry(name), {
    durable: true,
    arguments: {
      ...AT_LEAST_ONCE,
      'x-message-ttl': RETRY_AFTER_MS,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
    },
  });
  const work: Options.AssertQueue = {
    durable: true,
    arguments: {
      ...AT_LEAST_ONCE,
      'x-dead-letter-exchange': topology.dead,
      'x-dead-letter-routing-key': queue,
      'x-delivery-limit': DELIVERIES_MAX,
      ...(singleActive && { 'x-single-active-consumer': true }),
    },
  };
  await channel.assertQueue(queue, work);
  for (const type of types) await channel.bindQueue(queue, topology.events, type);
}
