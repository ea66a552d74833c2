import { connect } from 'amqplib';
import { scanRecorded, type RawScan } from '@waymark/contract/events';
import { Topology } from '@waymark/kernel/broker/topology';
import { waitFor } from '@waymark/testing/wait-for';
import type { Environment } from './environment.js';
import type { EventSource } from './event-source.js';

const MESSAGES_AT_ONCE = 10;

/**
 * A backlog of scans that are stored already, of any size: as from a redirect that publishes its messages again.
 * Analytics handles them like others and stores nothing new.
 */
export class RepeatedScans {
  private constructor(
    private readonly source: EventSource,
    private readonly scans: RawScan[],
  ) {}

  /** Records at least this many scans of the visits that are going on. */
  static async record({ system }: Environment, source: EventSource, count: number): Promise<RepeatedScans> {
    const connection = await connect(system.settings.amqpUrl);
    const channel = await connection.createChannel();
    const scans: RawScan[] = [];
    const { queue } = await channel.assertQueue('', { exclusive: true });
    await channel.bindQueue(queue, new Topology(system.settings.namespace).events, scanRecorded.type);
    const record = (content: Buffer): void => {
      scans.push(...(JSON.parse(content.toString()) as { data: { scans: RawScan[] } }).data.scans);
    };
    await channel.consume(queue, (message) => record(message!.content), { noAck: true });
    await waitFor('scans to repeat', () => scans.length >= count);
    await connection.close();
    return new RepeatedScans(source, scans);
  }

  /**
   * Publishes until the broker takes no more.
   * @returns the bytes that it has taken
   * @throws Error when it takes `bytesMax`
   */
  async publishUntilRefused(bytesMax: number): Promise<number> {
    const messageBytes = JSON.stringify(this.message()).length;
    for (let bytes = 0; bytes < bytesMax;) {
      const taken = await Promise.all(Array.from({ length: MESSAGES_AT_ONCE }, () => this.publish()));
      bytes += taken.filter(Boolean).length * messageBytes;
      if (taken.includes(false)) return bytes;
    }
    throw new Error(`the broker has taken ${bytesMax} bytes without an alarm`);
  }

  publish(): Promise<boolean> {
    return this.source.trySend(this.message());
  }

  private message() {
    return scanRecorded.create({ workspace: null }, { scans: this.scans });
  }
}
