import { connect, type ConfirmChannel, type GetMessage } from 'amqplib';
import { PRODUCER_HEADER } from './producer.js';
import { Topology } from './topology.js';

export interface ParkedMessage {
  queue: string;
  id: string;
  type: string;
  reason: string;
  parked_at: string | null;
  bytes: number;
}

interface Address {
  url: string;
  namespace: string;
}

/** Lists the parked messages of these queues, and leaves them there. */
export function listParked(address: Address, queues: readonly string[], limit: number): Promise<ParkedMessage[]> {
  return withParked(address, { queues, limit }, (taken) => {
    for (const { channel, message } of taken) channel.nack(message, false, true);
    return Promise.resolve(taken.map(({ queue, message }) => describe(queue, message)));
  });
}

export interface ReplaySelection {
  queue: string;
  limit: number;
  /** Replays this message alone. */
  id?: string;
}

/**
 * Moves parked messages (all, or the one with this id) back to their work queue, as if they were new. One that the
 * broker does not take there stays parked. By its id the operator vouches for a message of a foreign producer.
 * @throws when the broker did not take one of them
 */
export function replayParked(address: Address, { queue, limit, id }: ReplaySelection): Promise<ParkedMessage[]> {
  const topology = new Topology(address.namespace);
  // The broker vouches for it: consumers believe the operator.
  const userId = decodeURIComponent(new URL(firstOf(address.url)).username) || undefined;
  return withParked(address, { queues: [queue], limit }, async (taken) => {
    const chosen = taken.filter(({ message }) => id === undefined || idOf(message) === id);
    for (const { channel, message } of taken) {
      if (!chosen.some((each) => each.message === message)) channel.nack(message, false, true);
    }
    for (const { channel, message } of chosen) {
      const keepsProducer = id === undefined;
      await publishToQueue(channel, { exchange: topology.queues, queue, message, userId, keepsProducer });
      channel.ack(message);
    }
    return chosen.map(({ message }) => describe(queue, message));
  });
}

interface Replay {
  exchange: string;
  queue: string;
  message: GetMessage;
  userId: string | undefined;
  keepsProducer: boolean;
}

/** The broker returns a message that no queue is bound for before it confirms it. */
async function publishToQueue(
  channel: ConfirmChannel,
  { exchange, queue, message: { content, properties }, userId, keepsProducer }: Replay,
): Promise<void> {
  let isReturned = false;
  const onReturn = () => (isReturned = true);
  const producer: unknown = properties.headers?.[PRODUCER_HEADER] ?? properties.userId;
  channel.once('return', onReturn);
  channel.publish(exchange, queue, content, {
    userId,
    messageId: properties.messageId as string,
    contentType: properties.contentType as string,
    headers: keepsProducer && producer !== undefined ? { [PRODUCER_HEADER]: producer } : {},
    persistent: true,
    mandatory: true,
  });
  await channel.waitForConfirms();
  channel.off('return', onReturn);
  if (isReturned)
    throw new Error(`no queue is bound for ${queue}: its consumer, or an import of the definitions, declares it`);
}

/** Of several nodes of a cluster, any one does. */
const firstOf = (urls: string): string => urls.split(',')[0]!;

interface Taken {
  queue: string;
  channel: ConfirmChannel;
  message: GetMessage;
}

async function withParked<T>(
  { url, namespace }: Address,
  { queues, limit }: { queues: readonly string[]; limit: number },
  work: (taken: Taken[]) => Promise<T>,
): Promise<T> {
  const topology = new Topology(namespace);
  const connection = await connect(firstOf(url), { timeout: 5000 });
  try {
    const taken: Taken[] = [];
    const channel = await connection.createConfirmChannel();
    for (const queue of queues) {
      for (let count = 0; count < limit; count += 1) {
        const message = await channel.get(topology.parked(queue));
        if (!message) break;
        taken.push({ queue, channel, message });
      }
    }
    const result = await work(taken);
    await channel.close();
    return result;
  } finally {
    await connection.close();
  }
}

function describe(queue: string, message: GetMessage): ParkedMessage {
  const headers = message.properties.headers ?? {};
  return {
    queue,
    id: idOf(message),
    type: message.fields.routingKey,
    reason: String(headers['x-error'] ?? headers['x-first-death-reason'] ?? 'unknown'),
    parked_at: (headers['x-parked-at'] as string | undefined) ?? null,
    bytes: message.content.length,
  };
}

function idOf(message: GetMessage): string {
  return (message.properties.messageId as string | undefined) ?? 'unknown';
}
