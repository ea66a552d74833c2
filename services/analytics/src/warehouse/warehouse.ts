import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { isOutage } from '@waymark/shared/kernel/errors';
import { Lease, type Models } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { migrate, StoreIsNewer } from '@waymark/shared/kernel/migrations';
import { asOutage, isWiped } from './errors.js';
import { warehouseJournal } from './journal.js';
import { MIGRATIONS, onCluster, quoteName } from './schema.js';

const RECONNECT_MS = 1000;
const MIGRATE_RETRY_MS = 200;
const CONNECTIONS_MAX = 20;
/** A request without an answer for this long is given up. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The same for a question: longer than the server may work on it, and with the wait for a turn shorter than the gateway waits. */
const QUESTION_TIMEOUT_MS = 12_000;

export interface WarehouseConfig {
  /** With the name of the database as its path. */
  CLICKHOUSE_URL: string;
  CLICKHOUSE_CLUSTER?: string;
}

/**
 * The columnar store that answers figures. Connecting goes on in the background for as long as it takes; until then, and
 * whenever the server is away, `isReady` is false or operations fail as outages (see `isOutage`).
 */
export class Warehouse {
  readonly client: ClickHouseClient;
  /** For questions that a user waits for. */
  readonly questions: ClickHouseClient;
  readonly cluster: string | undefined;
  private readonly database: string;
  private readonly lease: Lease;
  private ready = false;
  private creations = 0;
  private closing = false;

  constructor(
    private readonly config: WarehouseConfig,
    models: Models,
    private readonly parts: { log: Log; lifecycle: Lifecycle },
  ) {
    this.cluster = config.CLICKHOUSE_CLUSTER;
    this.database = decodeURIComponent(new URL(config.CLICKHOUSE_URL).pathname.slice(1));
    this.lease = new Lease(models, 'migrate the warehouse');
    this.client = this.open(config.CLICKHOUSE_URL, REQUEST_TIMEOUT_MS);
    this.questions = this.open(config.CLICKHOUSE_URL, QUESTION_TIMEOUT_MS);
    parts.lifecycle.onStop('warehouse', async () => {
      this.closing = true;
      await Promise.all([this.client.close(), this.questions.close()]);
    });
  }

  /** Whether the tables exist, as far as this process has seen. */
  get isReady(): boolean {
    return this.ready;
  }

  /** How often the tables were found missing: what is known of an earlier content no longer holds. */
  get generation(): number {
    return this.creations;
  }

  /** Creates the tables again when an operation has failed because the server has lost them. */
  recreateAfter(error: unknown): void {
    if (!this.ready || !isWiped(error)) return;
    this.parts.log.error({ err: error }, 'the warehouse has lost its tables: creating them again');
    this.ready = false;
    this.creations += 1;
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

  /** Through a connection without a database: one that does not exist cannot be connected to. */
  private async createDatabase(): Promise<void> {
    const url = new URL(this.config.CLICKHOUSE_URL);
    url.pathname = '/';
    const client = this.open(url.href, REQUEST_TIMEOUT_MS);
    try {
      const query = `CREATE DATABASE IF NOT EXISTS ${quoteName(this.database)}${onCluster(this.cluster)}`;
      await client.command({ query });
    } finally {
      await client.close();
    }
  }

  private open(url: string, timeoutMs: number): ClickHouseClient {
    return createClient({
      url,
      application: 'waymark-analytics',
      max_open_connections: CONNECTIONS_MAX,
      request_timeout: timeoutMs,
      // Errors reach our own log with the work that failed.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }
}
