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
export async function listParked(address: Address, queues: readonly string[], limit: number): Promise<ParkedMessage[]> {
  const listed: ParkedMessage[] = [];
  await forEachParked(address, { queues, limit }, ({ queue, message }) => {
    listed.push(describe(queue, message));
    return Promise.resolve();
  });
  return listed;
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
export async function replayParked(address: Address, { queue, limit, id }: ReplaySelection): Promise<ParkedMessage[]> {
  const topology = new Topology(address.namespace);
  // The broker vouches for it: consumers believe the operator.
  const userId = decodeURIComponent(new URL(firstOf(address.url)).username) || undefined;
  const keepsProducer = id === undefined;
  const replayed: ParkedMessage[] = [];
  await forEachParked(address, { queues: [queue], limit }, async ({ channel, message }) => {
    if (id !== undefined && idOf(message) !== id) return;
    await publishToQueue(channel, { exchange: topology.queues, queue, message, userId, keepsProducer });
    channel.ack(message);
    replayed.push(describe(queue, message));
  });
  return replayed;
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

/**
 * Visits the messages that are parked now, one at a time, so that only one is in memory. Those that the visitor does not
 * acknowledge stay parked.
 */
async function forEachParked(
  { url, namespace }: Address,
  { queues, limit }: { queues: readonly string[]; limit: number },
  visit: (taken: Taken) => Promise<void>,
): Promise<void> {
  const topology = new Topology(namespace);
  const connection = await connect(firstOf(url), { timeout: 5000 });
  try {
    const channel = await connection.createConfirmChannel();
    for (const queue of queues) {
      let remaining = limit;
      for (let count = 0; remaining > 0; count += 1) {
        const message = await channel.get(topology.parked(queue));
        if (!message) break;
        // Those that fail again meanwhile are parked behind them.
        remaining = count === 0 ? Math.min(limit - 1, message.fields.messageCount) : remaining - 1;
        await visit({ queue, channel, message });
      }
    }
    channel.nackAll(true);
    await channel.close();
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
