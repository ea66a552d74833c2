import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { connect, type ChannelModel } from 'amqplib';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import { backing, type SystemSettings } from '@waymark/launcher/process-table';

const QUEUE_TIMEOUT_MS = 30_000;
const STANDSTILL_MS = 120_000;
const SCAN_QUEUES = ['analytics.scans', 'resource.scans'];

interface ScanDocument {
  _id: string;
  referrer: string;
}

/** Counted only when the queues are empty: it reads every link. */
interface Counts {
  scans: number;
  loaded: number;
  links: number;
}

interface DrainState {
  queued: number;
  counts: Counts | null;
}

/** Reads the actual state from the databases and the broker, bypassing every service. */
export class StateReader {
  private constructor(
    private readonly settings: SystemSettings,
    private readonly analytics: Connection,
    private readonly resource: Connection,
    private readonly warehouse: ClickHouseClient,
  ) {}

  static async open(settings: SystemSettings): Promise<StateReader> {
    const open = (name: 'analytics' | 'resource') =>
      mongoose.createConnection(backing(settings, name)['MONGODB_URI']!, { maxPoolSize: 2 }).asPromise();
    const warehouse = createClient({ url: warehouseUrlOf(settings) });
    return new StateReader(settings, await open('analytics'), await open('resource'), warehouse);
  }

  async close(): Promise<void> {
    await this.analytics.close();
    await this.resource.close();
    await this.warehouse.close();
  }

  /** Returns how often each marked request is stored. */
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

  /** Batches of scans that the warehouse does not have yet. */
  pendingScans(): Promise<number> {
    return this.analytics.collection('pending_scans').countDocuments();
  }

  /** Scans in the warehouse, each once. */
  async scansLoaded(): Promise<number> {
    return Number((await this.warehouseRow('SELECT count() AS scans FROM scans FINAL'))['scans']);
  }

  /** Whether a table of the warehouse has a row with this id. */
  async isLoaded(table: 'scans' | 'conversions', id: string): Promise<boolean> {
    const query = `SELECT count() AS rows FROM ${table} WHERE id = '${id}'`;
    return Number((await this.warehouseRow(query))['rows']) > 0;
  }

  /** Adds a scan to the warehouse alone. */
  async insertScan(workspace: string, id: string, at: Date): Promise<void> {
    await this.warehouse.insert({
      table: 'scans',
      values: [{ workspace, id, at: at.getTime(), version: 1 }],
      format: 'JSONEachRow',
    });
  }

  /** Returns a digest of the warehouse's rows that does not depend on their order. */
  async warehouseDigest(): Promise<string> {
    const query =
      'SELECT count() AS scans, groupBitXor(cityHash64(toString(tuple(* EXCEPT version)))) AS digest FROM scans FINAL';
    return JSON.stringify(await this.warehouseRow(query));
  }

  /** Removes the warehouse with all its tables. */
  async wipeWarehouse(): Promise<void> {
    await this.warehouse.command({
      query: `DROP DATABASE \`${new URL(warehouseUrlOf(this.settings)).pathname.slice(1)}\` SYNC`,
    });
  }

  private async warehouseRow(query: string): Promise<Record<string, string>> {
    const result = await this.warehouse.query({ query, format: 'JSONEachRow' });
    return (await result.json<Record<string, string>>())[0]!;
  }

  linkCount(): Promise<number> {
    return this.resource.collection('links').countDocuments();
  }

  /** Returns the number of links for each destination with this beginning. */
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

  /** Returns the sum of the links' own scan counts. */
  async linkScans(): Promise<number> {
    const [sum] = await this.resource
      .collection('links')
      .aggregate<{ scans: number }>([{ $group: { _id: null, scans: { $sum: '$scansCount' } } }])
      .toArray();
    return sum?.scans ?? 0;
  }

  /** Messages of one queue, by its name without the namespace. */
  async queueDepth(queue: string): Promise<number> {
    let connection: ChannelModel | undefined;
    try {
      connection = await connect(this.settings.amqpUrl.split(',')[0]!);
      const channel = await connection.createChannel();
      // A missing queue fails the check below, and closes the channel.
      channel.on('error', () => undefined);
      const { messageCount } = await channel.checkQueue(`${this.settings.namespace}.${queue}`);
      return messageCount;
    } finally {
      await connection?.close();
    }
  }

  /** Waits for a queue to be declared. */
  async waitForQueue(queue: string): Promise<void> {
    const deadline = Date.now() + QUEUE_TIMEOUT_MS;
    while (
      !(await this.queueDepth(queue).then(
        () => true,
        () => false,
      ))
    ) {
      if (Date.now() > deadline) throw new Error(`there is no queue ${queue}`);
      await sleep(200);
    }
  }

  /**
   * Waits until at least `atLeast` scans are stored and in the warehouse, for as long as there is progress: fails after
   * two minutes without a change.
   * @returns seconds waited
   */
  async waitUntilDrained(atLeast: number): Promise<number> {
    const startedAt = Date.now();
    let changedAt = startedAt;
    let before = '';
    while (Date.now() - changedAt < STANDSTILL_MS) {
      await sleep(500);
      const now = await this.state();
      const readDrainState = JSON.stringify(now);
      if (readDrainState === before && isAtRest(now, atLeast)) break;
      if (readDrainState !== before) changedAt = Date.now();
      before = readDrainState;
    }
    return (Date.now() - startedAt) / 1000;
  }

  private async state(): Promise<DrainState> {
    const depths = await Promise.all(SCAN_QUEUES.map((queue) => this.queueDepth(queue).catch(() => -1)));
    const queued = depths.reduce((sum, depth) => sum + depth, 0);
    if (queued !== 0) return { queued, counts: null };
    const [scans, loaded, links] = await Promise.all([
      this.scansStored(),
      this.scansLoaded().catch(() => -1),
      this.linkScans(),
    ]);
    return { queued, counts: { scans, loaded, links } };
  }
}

const warehouseUrlOf = (settings: SystemSettings): string => backing(settings, 'analytics')['CLICKHOUSE_URL']!;

function isAtRest({ counts }: DrainState, atLeast: number): boolean {
  return counts !== null && counts.scans >= atLeast && counts.scans === counts.loaded && counts.scans === counts.links;
}
