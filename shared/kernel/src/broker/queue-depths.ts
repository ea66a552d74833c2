import type { Channel } from 'amqplib';
import { withTimeout } from '../with-timeout.js';
import type { Topology } from './topology.js';

/** A scrape must not wait for a broker that is stuck. */
const READ_TIMEOUT_MS = 1000;

/**
 * Counts the messages in the queues that this process consumes, and in their parked queues. It asks the broker as a client,
 * since an installation need not have the broker's own metrics.
 */
export class QueueDepths {
  /** A channel of its own: the broker closes it when a queue is missing. */
  private channel?: Channel;
  private readonly names = new Set<string>();

  constructor(private readonly topology: Topology) {}

  /** @param name without the namespace */
  watch(name: string): void {
    this.names.add(name).add(`${name}.parked`);
  }

  use(channel: Channel): void {
    this.channel = channel;
  }

  /** @returns the number of waiting messages by queue; rejects while the broker does not answer */
  read(): Promise<Map<string, number>> {
    const counts = Promise.all([...this.names].map(async (name) => [name, await this.count(name)] as const));
    return withTimeout(READ_TIMEOUT_MS, counts, () => new Error('the broker does not answer')).then(
      (entries) => new Map(entries),
    );
  }

  private async count(name: string): Promise<number> {
    if (!this.channel) throw new Error('not connected to the broker');
    return (await this.channel.checkQueue(this.topology.queue(name))).messageCount;
  }
}
