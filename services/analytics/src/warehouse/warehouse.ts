import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { isOutage } from '@waymark/kernel/errors';
import { Lease, type Models } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import { migrate, StoreIsNewer } from '@waymark/kernel/mongo/migrations';
import { asOutage, isTableLoss } from './errors.js';
import { MIGRATIONS, onCluster, quoteName, warehouseJournal } from './schema.js';

const RECONNECT_MS = 1000;
const MIGRATE_RETRY_MS = 200;
const CONNECTIONS_MAX = 20;
/** Time limit of a request. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * Time limit of a query: longer than the server's own limit; with the wait for a place, shorter than the gateway's
 * time-out, unless a figure needs several queries.
 */
const QUERY_TIMEOUT_MS = 12_000;

export interface WarehouseConfig {
  /** The path is the name of the database. */
  CLICKHOUSE_URL: string;
  CLICKHOUSE_CLUSTER?: string;
}

/**
 * The ClickHouse server that computes the figures. Connects in the background and retries until it succeeds; until
 * then, and during outages, `isReady` is false or operations fail as outages (see `isOutage`).
 */
export class Warehouse {
  readonly client: ClickHouseClient;
  /** For queries that a user waits for. */
  readonly queryClient: ClickHouseClient;
  readonly cluster: string | undefined;
  private readonly database: string;
  private readonly lease: Lease;
  private ready = false;
  private lossCount = 0;
  private closing = false;

  constructor(
    private readonly config: WarehouseConfig,
    models: Models,
    private readonly parts: { log: Log; lifecycle: Lifecycle },
  ) {
    this.cluster = config.CLICKHOUSE_CLUSTER;
    this.database = decodeURIComponent(new URL(config.CLICKHOUSE_URL).pathname.slice(1));
    this.lease = new Lease(models, 'migrate the warehouse');
    this.client = this.openClient(config.CLICKHOUSE_URL, REQUEST_TIMEOUT_MS);
    this.queryClient = this.openClient(config.CLICKHOUSE_URL, QUERY_TIMEOUT_MS);
    parts.lifecycle.onStop('warehouse', async () => {
      this.closing = true;
      await Promise.all([this.client.close(), this.queryClient.close()]);
    });
  }

  /** Whether the tables exist, as far as this process knows. */
  get isReady(): boolean {
    return this.ready;
  }

  /** How often the tables were found missing; cached facts about an earlier generation are invalid. */
  get generation(): number {
    return this.lossCount;
  }

  /** Runs an operation; reports an outage as one, and recreates the tables when the server has lost them. */
  async run<Result>(operation: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    try {
      return await operation(this.client);
    } catch (error) {
      this.recreateAfter(error);
      throw asOutage(error);
    }
  }

  /** Recreates the tables when an operation has failed because the server has lost them. */
  recreateAfter(error: unknown): void {
    if (!this.ready || !isTableLoss(error)) return;
    this.parts.log.error({ err: error }, 'the warehouse has lost its tables: creating them again');
    this.ready = false;
    this.lossCount += 1;
    void this.start();
  }

  /** Resolves once the server has answered and all migrations are applied. */
  async start(): Promise<void> {
    const { log } = this.parts;
    while (!this.closing) {
      try {
        await this.createDatabase();
        if (await this.migrate()) {
          this.ready = true;
          return;
        }
        await sleep(MIGRATE_RETRY_MS);
      } catch (error) {
        if (this.closing) return;
        if (error instanceof StoreIsNewer) throw error;
        log[isOutage(asOutage(error)) ? 'warn' : 'error']({ err: error }, 'warehouse not reachable, trying again');
        await sleep(RECONNECT_MS);
      }
    }
  }

  private migrate(): Promise<boolean> {
    const store = { client: this.client, cluster: this.cluster };
    const { lease, parts } = this;
    return migrate({ store, journal: warehouseJournal(store), migrations: MIGRATIONS, lease, log: parts.log });
  }

  /** Uses a connection without a database, because connecting to a missing database fails. */
  private async createDatabase(): Promise<void> {
    const url = new URL(this.config.CLICKHOUSE_URL);
    url.pathname = '/';
    const client = this.openClient(url.href, REQUEST_TIMEOUT_MS);
    try {
      const query = `CREATE DATABASE IF NOT EXISTS ${quoteName(this.database)}${onCluster(this.cluster)}`;
      await client.command({ query });
    } finally {
      await client.close();
    }
  }

  private openClient(url: string, timeoutMs: number): ClickHouseClient {
    return createClient({
      url,
      application: 'waymark-analytics',
      max_open_connections: CONNECTIONS_MAX,
      request_timeout: timeoutMs,
      // The service logs errors itself, with the failed work.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}
