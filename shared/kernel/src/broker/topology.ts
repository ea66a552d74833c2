import { hash } from 'node:crypto';
import type { Channel } from 'amqplib';
import { REQUESTERS, WORK_QUEUE_DEFINITIONS, WORK_QUEUES } from '@waymark/contract/queues';

/** How long a message that failed waits before it is tried again. */
const RETRY_AFTER_MS = 10_000;
/**
 * The broker dead-letters a message after this many deliveries. Consumers park a message long before that (see
 * `consumer.ts`); this is the last resort against a message that ends every process before it looks at the count.
 */
const DELIVERIES_MAX = 100;

/** The names of an installation's exchanges and queues on the broker. */
export class Topology {
  constructor(readonly namespace: string) {}

  /** Events, by their type. */
  get events(): string {
    return `${this.namespace}.events`;
  }
  /** Messages that the broker dead-lettered, by the name of their queue. */
  get dead(): string {
    return `${this.namespace}.dead`;
  }
  /** Messages for one queue, by name without the namespace: a topic exchange, so that permissions depend on the key. */
  get queues(): string {
    return `${this.namespace}.queues`;
  }
  /** Questions, by the name of the request. */
  get questions(): string {
    return `${this.namespace}.questions`;
  }
  /** Answers, by the name of the queue of the process that asked. */
  get answers(): string {
    return `${this.namespace}.answers`;
  }
  get exchanges(): string[] {
    return [this.events, this.dead, this.queues, this.questions, this.answers];
  }
  /**
   * Exists once all of `installationQueues` were declared. A service without rights on other services' queues can check
   * nothing but this; its name changes with the queues and their bindings.
   */
  get marker(): string {
    const installation = JSON.stringify(installationQueues(new Topology('')));
    return `${this.namespace}.topology.${hash('sha256', installation, 'hex').slice(0, 12)}`;
  }
  /** A queue of the process that declares the installation; the others wait. */
  get lock(): string {
    return `${this.namespace}.topology.lock`;
  }
  /** `dead` alone is direct: only the broker publishes there. */
  typeOf(exchange: string): 'direct' | 'topic' {
    return exchange === this.dead ? 'direct' : 'topic';
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
  /** Differs from the name in 0.1.0, whose queue lived on one node of the cluster. */
  question(name: string): string {
    return `${this.queue(name)}.questions`;
  }
}

/** A durable queue as every process declares it. */
export interface QueueDeclaration {
  name: string;
  arguments: Record<string, unknown>;
  bindings: { exchange: string; key: string }[];
}

export interface WorkQueueDefinition {
  /** The types of the events that it receives. */
  types: readonly string[];
  /** One consumer at a time receives messages. */
  singleActive?: boolean;
}

const QUORUM = { 'x-queue-type': 'quorum' };
const AT_LEAST_ONCE = { ...QUORUM, 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' };

/**
 * A work queue with its two companions: `.retry` requeues a message after a delay, `.parked` keeps messages that an
 * operator must inspect. The arguments of a queue cannot change while it exists: put new limits into a policy
 * (`policies.ts`).
 */
export function workQueue(
  topology: Topology,
  name: string,
  { types, singleActive = false }: WorkQueueDefinition,
): QueueDeclaration[] {
  const queue = topology.queue(name);
  return [
    {
      name: topology.parked(name),
      // Inspecting a parked message counts as a delivery and must never drop it: no limit.
      arguments: { ...QUORUM, 'x-delivery-limit': -1 },
      bindings: [
        { exchange: topology.dead, key: queue },
        { exchange: topology.queues, key: `${name}.parked` },
      ],
    },
    {
      name: topology.retry(name),
      arguments: {
        ...AT_LEAST_ONCE,
        'x-message-ttl': RETRY_AFTER_MS,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': queue,
      },
      bindings: [{ exchange: topology.queues, key: `${name}.retry` }],
    },
    {
      name: queue,
      arguments: {
        ...AT_LEAST_ONCE,
        'x-dead-letter-exchange': topology.dead,
        'x-dead-letter-routing-key': queue,
        'x-delivery-limit': DELIVERIES_MAX,
        ...(singleActive && { 'x-single-active-consumer': true }),
      },
      bindings: [{ exchange: topology.queues, key: name }, ...types.map((key) => ({ exchange: topology.events, key }))],
    },
  ];
}

/** A quorum queue, so that questions are answered whichever node of the cluster is down. */
export function requestQueue(topology: Topology, name: string): QueueDeclaration {
  return {
    name: topology.question(name),
    arguments: QUORUM,
    bindings: [{ exchange: topology.questions, key: name }],
  };
}

/** Returns every durable queue of an installation, whichever of its services run. */
export function installationQueues(topology: Topology): QueueDeclaration[] {
  return [
    ...WORK_QUEUES.flatMap((name) => workQueue(topology, name, WORK_QUEUE_DEFINITIONS[name])),
    ...Object.keys(REQUESTERS).map((name) => requestQueue(topology, name)),
  ];
}

export async function assertExchanges(channel: Channel, topology: Topology): Promise<void> {
  for (const exchange of topology.exchanges) {
    await channel.assertExchange(exchange, topology.typeOf(exchange), { durable: true });
  }
}

export async function assertQueue(channel: Channel, queue: QueueDeclaration): Promise<void> {
  await channel.assertQueue(queue.name, { durable: true, arguments: queue.arguments });
  await bindQueue(channel, queue);
}

export async function bindQueue(channel: Channel, { name, bindings }: QueueDeclaration): Promise<void> {
  await Promise.all(bindings.map(({ exchange, key }) => channel.bindQueue(name, exchange, key)));
}
