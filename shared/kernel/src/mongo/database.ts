import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type ClientSession, type Connection, type Model, type mongo, type Schema } from 'mongoose';
import type { Event } from '@waymark/contract/event';
import { beforeCommit } from './before-commit.js';
import { endTransactionsAfter } from './command-deadline.js';
import { databaseJournal, type DatabaseMigration } from './database-journal.js';
import { isOutage, needsOperator, unavailable } from '../errors.js';
import { Lease } from './lease.js';
import type { WorkerContext } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import type { RunningWork } from '../process/running-work.js';
import { KeyedLimit } from '../limits/keyed-limit.js';
import { migrate, StoreIsNewer } from './migrations.js';
import { withTimeout } from '../with-timeout.js';

/**
 * A command without a reply for this long is abandoned, also when the driver waits for something else than the reply: a
 * frozen database must not block the service longer. MongoDB ends the command when its connection closes.
 */
const COMMAND_MAX_MS = 10_000;
/** The driver alone would repeat a transaction, or its commit, for two minutes. */
const TRANSACTION_MAX_MS = 20_000;
/**
 * For indexes, migrations, recounts and an operator's commands. The driver's heartbeat detects a frozen database long
 * before, and closes the connections to it.
 */
const LONG_OPERATION_MAX_MS = 24 * 60 * 60_000;
const POOL_SIZE = 20;
/**
 * A new index needs minutes on a large collection; while its builder lives the others wait. One that is killed delays
 * them by no more than this.
 */
const PREPARE_LEASE_MS = 3_000;
const PREPARE_RETRY_MS = 200;
const RECONNECT_MS = 1000;
const CLOCK_FRESH_MS = 10_000;
/** Shorter than a gauge may take. */
const PING_TIMEOUT_MS = 1000;

/**
 * Overrides the server's defaults and the URI on every installation: an acknowledged write survives the loss of the
 * primary, and no read returns data that could be rolled back.
 */
const DURABILITY = { w: 'majority', journal: true, readConcernLevel: 'majority' } as const;
const CONNECTION = {
  ...DURABILITY,
  serverSelectionTimeoutMS: 3000,
  waitQueueTimeoutMS: 5000,
  autoIndex: false,
  autoCreate: false,
} as const;
/** `socketTimeoutMS` is the limit of each command; see `command-deadline.ts`. */
const REQUESTS = { ...CONNECTION, socketTimeoutMS: COMMAND_MAX_MS, maxPoolSize: POOL_SIZE } as const;
const LONG_OPERATIONS = {
  ...CONNECTION,
  socketTimeoutMS: LONG_OPERATION_MAX_MS,
  maxPoolSize: 5,
  maxIdleTimeMS: 60_000,
  connectTimeoutMS: 5000,
  heartbeatFrequencyMS: 5000,
} as const;
/**
 * A transaction holds its resources, here and in the database, until it ends: more of them would only delay each other,
 * and keep reads waiting for a connection.
 */
const TRANSACTIONS = { total: POOL_SIZE / 2, waitingMax: 1000, waitMaxMs: 10_000 };

/** One transaction: its writes and the events it emits become visible together, or not at all. */
export interface Transaction {
  session: ClientSession;
  emit(...events: Event[]): void;
}

/** Stores the emitted events inside the transaction, and sends them on once it has committed. Implemented by `Outbox`. */
export interface EventSink {
  store(events: Event[], session: ClientSession): Promise<void>;
  onCommitted(events: Event[]): void;
}

/**
 * A service's own database. It connects in the background, for as long as that takes: until then every
 * operation fails as an outage (see `isOutage`).
 */
export class Database {
  /** For requests and messages. It opens when collections and indexes exist. */
  readonly connection: Connection;
  /** For operations that may take minutes: indexes, migrations, comparisons. */
  private readonly longConnection: Connection;
  private sink?: EventSink;
  /** On the connection for long operations. */
  private readonly models: Model<never>[] = [];
  private readonly upgrades = new Map<string, () => Promise<void>>();
  private migrations?: readonly DatabaseMigration[];
  private closing = false;
  private connecting?: Promise<void>;
  /** The time on the database's clock, and when it was read by `performance.now()`. */
  private measured?: { time: number; at: number };
  private readonly transactions = new KeyedLimit(TRANSACTIONS);

  private readonly log: Log;
  private readonly work: RunningWork;

  constructor(
    private readonly uri: string,
    { log, lifecycle }: WorkerContext,
    /** For an operator's command, which may read a whole collection in a transaction. */
    private readonly options: { hasLongTransactions?: boolean } = {},
  ) {
    this.log = log;
    this.work = lifecycle.work;
    // An operation without a connection fails at once instead of waiting in memory.
    const client = new mongoose.Mongoose({ bufferCommands: false, strictQuery: true });
    this.connection = client.createConnection();
    this.longConnection = client.createConnection();
    lifecycle.onStop('database', () => this.close());
  }

  get isReady(): boolean {
    return isConnected(this.connection);
  }

  /**
   * Returns the model of a collection, the same one on each call. Call it before `start`: collection and indexes exist
   * before the first operation.
   */
  model<T>(name: string, schema: Schema<T>, collection: string): Model<T> {
    const known = this.connection.models[name] as Model<T> | undefined;
    if (known) return known;
    const model = this.connection.model<T>(name, schema, collection);
    this.models.push(this.longRunning(model) as unknown as Model<never>);
    return model;
  }

  /**
   * Sets the upgrade that brings data of an earlier version into the form that the indexes of the model need. It runs at
   * every start, in one process at a time, as a long operation. Call it before `start`.
   */
  upgradeBy<T>(model: Model<T>, upgrade: (model: Model<T>) => Promise<void>): void {
    this.upgrades.set(model.modelName, () => upgrade(this.longRunning(model)));
  }

  /**
   * Returns the model for operations that may take longer than a request waits, e.g. a scan of a whole collection. At
   * most five run at a time in a process; they end with the database, and take part in no transaction.
   */
  longRunning<T>(model: Model<T>): Model<T> {
    const { modelName: name, schema, collection } = model;
    return modelOn<T>(this.longConnection, { name, schema, collection: collection.name });
  }

  /**
   * Sets the migrations that run before the database opens and before indexes are created, in one process at a time, as
   * long operations. Call it before `start`. A process without them, e.g. a command, leaves stored data unchanged.
   */
  migrateBy(migrations: readonly DatabaseMigration[]): void {
    this.migrations = migrations;
  }

  /**
   * Runs those migrations of a further list that the database lacks.
   * @returns false, without running any, while another process runs them
   * @throws StoreIsNewer
   */
  migrate(list: string, migrations: readonly DatabaseMigration[]): Promise<boolean> {
    const { log, longConnection } = this;
    const store = longConnection.db!;
    const lease = new Lease(this.longModels, `migrate ${list}`);
    return migrate({ store, journal: databaseJournal(store, list), migrations, lease, log });
  }

  /** Starts connecting; resolves once the database has answered and all indexes exist. */
  start(): Promise<void> {
    this.connecting ??= this.connectUntilDone();
    return this.connecting;
  }

  sendEventsTo(sink: EventSink): void {
    this.sink = sink;
  }

  /**
   * Returns the time of the database's clock, which all replicas share. The process reads it every ten seconds;
   * in between its monotonic clock counts on.
   */
  async now(): Promise<Date> {
    const isFresh = this.measured && performance.now() - this.measured.at < CLOCK_FRESH_MS;
    const { time, at } = isFresh ? this.measured! : await this.measureClock();
    return new Date(time + performance.now() - at);
  }

  /** Milliseconds by which the process's clock is ahead of the database's; `null` until it was measured. */
  get clockSkewMs(): number | null {
    if (!this.measured) return null;
    const { time, at } = this.measured;
    return Date.now() - (time + performance.now() - at);
  }

  /** Resolves once the database has answered. */
  async ping(): Promise<void> {
    await this.measureClock();
  }

  reportTo(metrics: Metrics): void {
    const ping = () => withTimeout(PING_TIMEOUT_MS, this.ping(), () => unavailable());
    metrics.gauge('database_up', '1 while the database answers', () =>
      ping().then(
        () => 1,
        () => 0,
      ),
    );
  }

  private async measureClock(): Promise<{ time: number; at: number }> {
    const { localTime } = await this.openedDb().command({ hello: 1 });
    this.measured = { time: (localTime as Date).getTime(), at: performance.now() };
    return this.measured;
  }

  /**
   * Returns the driver's database. After the first connection the driver itself reports an outage.
   * @throws AppError `service_unavailable` before the first connection
   */
  private openedDb(): mongo.Db {
    const { db } = this.connection;
    if (!db) throw unavailable(new Error('the database is not yet connected'));
    return db;
  }

  /**
   * Runs `work` until it commits; it may run more than once, so it must not change anything but the database, and it
   * must begin no other transaction. At most `TRANSACTIONS.total` run at a time, the others wait.
   * @throws AppError `service_unavailable` when it waits too long; an outage (see `isOutage`) when it takes too long, e.g.
   *   since it conflicts with others again and again
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transactions.run('', () => this.work.run('transaction', () => this.runTransaction(work)));
  }

  private async runTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.openedDb();
    const session = await this.connection.startSession();
    // Set by `Idempotency.run`: stores the first answer in this transaction.
    const storeAnswer = beforeCommit.getStore();
    endTransactionsAfter(session, this.options.hasLongTransactions ? LONG_OPERATION_MAX_MS : TRANSACTION_MAX_MS);
    let events: Event[] = [];
    try {
      const result = await session.withTransaction(
        async () => {
          events = [];
          const value = await work({ session, emit: (...emitted) => void events.push(...emitted) });
          if (events.length > 0) await this.eventSink().store(events, session);
          await storeAnswer?.(value, session);
          return value;
        },
        { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } },
      );
      if (events.length > 0) this.eventSink().onCommitted(events);
      return result;
    } finally {
      await session.endSession();
    }
  }

  private async close(): Promise<void> {
    this.closing = true;
    await Promise.all([this.connection.close(true), this.longConnection.close(true)]);
  }

  private eventSink(): EventSink {
    if (!this.sink) throw new Error('events were emitted but no outbox is set');
    return this.sink;
  }

  private async connectUntilDone(): Promise<void> {
    const lease = new Lease(this.longModels, 'prepare');
    while (!this.closing) {
      try {
        if (!isConnected(this.longConnection)) await this.longConnection.openUri(this.uri, LONG_OPERATIONS);
        if (await lease.run(PREPARE_LEASE_MS, () => this.prepare())) {
          const options = this.options.hasLongTransactions ? LONG_OPERATIONS : REQUESTS;
          await this.connection.openUri(this.uri, options);
          return;
        }
        await sleep(PREPARE_RETRY_MS);
      } catch (error) {
        if (this.closing) return;
        if (error instanceof StoreIsNewer) throw error;
        const level = isOutage(error) && !needsOperator(error) ? 'warn' : 'error';
        this.log[level]({ err: error }, 'database not reachable, trying again');
        await sleep(RECONNECT_MS);
      }
    }
  }

  private async prepare(): Promise<void> {
    for (const model of this.models) {
      await model.createCollection();
      await this.upgrades.get(model.modelName)?.();
    }
    if (this.migrations && !(await this.migrate('documents', this.migrations))) {
      throw unavailable(new Error('another process migrates the database'));
    }
    for (const model of this.models) await model.createIndexes();
  }

  private readonly longModels = {
    model: <T>(name: string, schema: Schema<T>, collection: string) =>
      modelOn(this.longConnection, { name, schema, collection }),
  };
}

const isConnected = (connection: Connection): boolean => connection.readyState === mongoose.ConnectionStates.connected;

interface ModelDefinition<T> {
  name: string;
  schema: Schema<T>;
  collection: string;
}

function modelOn<T>(connection: Connection, { name, schema, collection }: ModelDefinition<T>): Model<T> {
  return (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, schema, collection);
}
