import { connect } from 'amqplib';
import { assertExchanges, assertQueue, Topology, workQueue } from '@waymark/kernel/broker/topology';

/**
 * Declares the retry queue of a work queue with a short delay. The service that starts afterwards uses the queue as it is,
 * and a test does not wait ten seconds for each retry.
 */
export async function shortenRetries(
  { AMQP_URL, AMQP_NAMESPACE }: { AMQP_URL: string; AMQP_NAMESPACE: string },
  name: string,
  delayMs = 500,
): Promise<void> {
  const topology = new Topology(AMQP_NAMESPACE);
  const retry = workQueue(topology, name, { types: [] }).find((queue) => queue.name === topology.retry(name))!;
  const connection = await connect(AMQP_URL);
  try {
    const channel = await connection.createChannel();
    await assertExchanges(channel, topology);
    await assertQueue(channel, { ...retry, arguments: { ...retry.arguments, 'x-message-ttl': delayMs } });
  } finally {
    await connection.close();
  }
}
