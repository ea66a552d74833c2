import { connect, type ChannelModel } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import { backing, type SystemSettings } from '@waymark/local/system/process-table';

const QUEUE_TIMEOUT_MS = 30_000;
const STANDSTILL_MS = 120_000;

interface ScanDocument {
  _id: string;
  referrer: string;
}

interface CellDocument {
  _id: string;
  scans: number;
}

interface State {
  scans: number;
  rollups: number;
  links: number;
  queued: number;
}

/** Reads the truth from the databases and the broker, past every service. */
export class Oracle {
  private constructor(
    private readonly settings: SystemSettings,
    private readonly analytics: Connection,
    private readonly resource: Connection,
  ) {}

  static async open(settings: SystemSettings): Promise<Oracle> {
    const open = (name: 'analytics' | 'resource') =>
      mongoose.createConnection(backing(settings, name)['MONGODB_URI']!, { maxPoolSize: 2 }).asPromise();
    return new Oracle(settings, await open('analytics'), await open('resource'));
  }

  async close(): Promise<void> {
    await this.analytics.close();
    await this.resource.close();
  }

  /** How often each marked request is stored. */
  async scansByMark(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    const rows = this.analytics.collection<ScanDocument>('scans').find({}, { projection: { referrer: 1 } });
    for await (const { referrer } of rows) counts.set(referrer, (counts.get(referrer) ?? 0) + 1);
    return counts;
  }

  scansStored(): Promise<number> {
    return this.analytics.collection('scans').countDocuments();
  }

  async scanIds(): Promise<string[]> {
    const rows = await this.analytics
      .collection<ScanDocument>('scans')
      .find({}, { projection: { _id: 1 } })
      .toArray();
    return rows.map(({ _id }) => _id);
  }

  /** Every cell, as it is stored. */
  async cells(): Promise<unknown[]> {
    return this.analytics
      .collection<CellDocument>('cells')
      .find({}, { sort: { _id: 1 } })
      .toArray();
  }

  /** Batches of scans that no cell counts yet. */
  uncounted(): Promise<number> {
    return this.analytics.collection('uncounted').countDocuments();
  }

  /** Batches of scans that the warehouse does not have yet. */
  pendingScans(): Promise<number> {
    return this.analytics.collection('pending_scans').countDocuments();
  }

  /** Scans in the cells of whole days and workspaces, or in one of the parts that a large one goes on in. */
  async rollupTotal(): Promise<number> {
    const ofWorkspaces = /\|workspace\|day\|(country)?$/;
    let total = 0;
    const cells = this.analytics.collection<CellDocument>('cells').find({ _id: ofWorkspaces });
    for await (const { scans } of cells.project<CellDocument>({ scans: 1 })) total += scans;
    return total;
  }

  linkCount(): Promise<number> {
    return this.resource.collection('links').countDocuments();
  }

  /** How many links lead to each destination that begins so. */
  async linksByDestination(beginning: string): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    const where = { destinationUrl: { $regex: `^${beginning}` } };
    const links = this.resource.collection('links').find<{ destinationUrl: string }>(where);
    for await (const { destinationUrl } of links) counts.set(destinationUrl, (counts.get(destinationUrl) ?? 0) + 1);
    return counts;
  }

  /** Events that no queue has taken yet. */
  outboxRows(): Promise<number> {
    return this.resource.collection('outbox').countDocuments();
  }

  /** Sum of what the links say of themselves. */
  async linkScans(): Promise<number> {
    const [sum] = await this.resource
      .collection('links')
      .aggregate<{ scans: number }>([{ $group: { _id: null, scans: { $sum: '$scansCount' } } }])
      .toArray();
    return sum?.scans ?? 0;
  }

  /** Messages of one queue, by its name without the namespace. */
  async depth(queue: string): Promise<number> {
    let connection: ChannelModel | undefined;
    try {
      connection = await connect(this.settings.amqpUrl.split(',')[0]!);
      const channel = await connection.createChannel();
      // A queue that is not there fails the question below, and the channel with it.
      channel.on('error', () => undefined);
      const { messageCount } = await channel.checkQueue(`${this.settings.namespace}.${queue}`);
      return messageCount;
    } finally {
      await connection?.close();
    }
  }

  /** Waits for a queue to be declared. */
  async exists(queue: string): Promise<void> {
    const deadline = Date.now() + QUEUE_TIMEOUT_MS;
    while (
      !(await this.depth(queue).then(
        () => true,
        () => false,
      ))
    ) {
      if (Date.now() > deadline) throw new Error(`there is no queue ${queue}`);
      await sleep(200);
    }
  }

  /**
   * Waits until at least `atLeast` scans are stored and counted, for as long as there is progress: gives up after two
   * minutes without a change.
   * @returns seconds waited
   */
  async drained(atLeast: number): Promise<number> {
    const startedAt = Date.now();
    let changedAt = startedAt;
    let before = '';
    while (Date.now() - changedAt < STANDSTILL_MS) {
      await sleep(500);
      const now = await this.state();
      const state = JSON.stringify(now);
      if (now.scans >= atLeast && state === before && isAtRest(now)) break;
      if (state !== before) changedAt = Date.now();
      before = state;
    }
    return (Date.now() - startedAt) / 1000;
  }

  private async state(): Promise<State> {
    const [scans, rollups, links, queued] = await Promise.all([
      this.scansStored(),
      this.rollupTotal(),
      this.linkScans(),
      this.depth('analytics.scans').catch(() => -1),
    ]);
    return { scans, rollups, links, queued };
  }
}

function isAtRest({ scans, rollups, links, queued }: State): boolean {
  return scans === rollups && scans === links && queued === 0;
}
