import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib';
import { backoffMs } from '../async/backoff.js';
import type { Log } from '../process/log.js';
import {
  confirmChannel,
  ManagedChannel,
  plainChannel,
  type ManagedChannelOptions,
  type SetUp,
} from './managed-channel.js';

const HEARTBEAT_SECONDS = 5;
const CONNECT_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;
const BACKOFF_MIN_MS = 400;
const BACKOFF_MAX_MS = 5000;

export interface ManagedConnectionOptions {
  /** Addresses of the nodes of one cluster; the next one is tried after each failure. */
  urls: readonly string[];
  /** The name under which the broker lists the connection. */
  name: string;
  log: Log;
}

export type KeepOptions = Pick<ManagedChannelOptions<Channel>, 'setUpTimeoutMs' | 'until'>;

/** A connection that reconnects automatically and reopens its channels. */
export class ManagedConnection {
  private readonly channels: Pick<ManagedChannel, 'name' | 'isOpen' | 'keepOpen'>[] = [];
  private current?: ChannelModel;
  /** Connected, and each channel has been tried once. */
  private isSetUp = false;
  private blockedSince?: number;
  private unblockedAt = 0;
  private readonly blockedListeners: (() => void)[] = [];
  private closing = false;
  private running?: Promise<void>;
  private pausing?: AbortController;

  constructor(private readonly options: ManagedConnectionOptions) {}

  get isUp(): boolean {
    return this.isSetUp && this.current !== undefined;
  }

  /** True while an alarm stops the broker from reading this connection's messages. */
  get isBlocked(): boolean {
    return this.blockedSince !== undefined;
  }

  /** When the last alarm ended; nothing that was published before it can have been confirmed earlier. */
  get lastUnblockedAt(): number {
    return this.unblockedAt;
  }

  get closedChannels(): string[] {
    return this.channels.filter(({ isOpen }) => !isOpen).map(({ name }) => name);
  }

  /** Call it before `start`. */
  keepChannel(name: string, setUp: SetUp, options: KeepOptions = {}): void {
    const { log } = this.options;
    this.channels.push(new ManagedChannel<Channel>({ name, log, create: plainChannel, setUp, ...options }));
  }

  /** Call it before `start`. */
  keepConfirmChannel(name: string, setUp: SetUp<ConfirmChannel>): void {
    const options = { name, log: this.options.log, create: confirmChannel, setUp };
    this.channels.push(new ManagedChannel<ConfirmChannel>(options));
  }

  /** Calls the listener each time an alarm begins. */
  onBlocked(listener: () => void): void {
    this.blockedListeners.push(listener);
  }

  start(): void {
    this.running ??= this.connectForever();
  }

  /** Drops a connection that no longer answers, without waiting for the heartbeat to notice. */
  drop(reason: string): void {
    const connection = this.current;
    if (!connection || this.closing) return;
    this.options.log.warn({ reason, connection: this.options.name }, 'broker connection dropped');
    this.current = undefined;
    socketOf(connection)?.destroy(new Error(reason));
  }

  async close(): Promise<void> {
    this.closing = true;
    this.pausing?.abort();
    const connection = this.current;
    if (connection)
      await Promise.race([
        connection.close().catch(() => undefined),
        sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
    await this.running;
  }

  private async connectForever(): Promise<void> {
    const { log, name, urls } = this.options;
    for (let failures = 0, next = 0; !this.closing; next += 1) {
      const ending = new AbortController();
      try {
        const connection = await this.connectTo(urls[next % urls.length]!);
        const lost = new Promise<void>((resolve) => connection.once('close', () => resolve()));
        this.current = connection;
        // `stop` was called while the connection was being opened.
        if (this.closing) void connection.close().catch(() => undefined);
        const setUp = Promise.all(this.channels.map((channel) => channel.keepOpen(connection, ending.signal)));
        void setUp.then(() => this.settle(connection));
        await lost;
        failures = 0;
        if (!this.closing) log.warn({ connection: name }, 'broker connection lost');
      } catch (error) {
        log.warn({ err: error, connection: name }, 'broker not reachable, trying again');
      }
      ending.abort();
      this.current = undefined;
      this.isSetUp = false;
      this.blockedSince = undefined;
      if (this.closing) return;
      await this.pause(backoffMs(failures, BACKOFF_MIN_MS, BACKOFF_MAX_MS));
      failures += 1;
    }
  }

  private settle(connection: ChannelModel): void {
    if (this.current !== connection) return;
    this.isSetUp = true;
    this.options.log.info({ connection: this.options.name }, 'broker connected');
  }

  private async connectTo(address: string): Promise<ChannelModel> {
    const url = new URL(address);
    url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
    const connection = await connect(url.href, {
      timeout: CONNECT_TIMEOUT_MS,
      noDelay: true,
      clientProperties: { connection_name: this.options.name },
    });
    // amqplib emits 'error' and then 'close'; without a listener the process would end.
    connection.on('error', (error: Error) => this.options.log.debug({ err: error }, 'broker connection error'));
    connection.on('blocked', (reason: string) => {
      this.options.log.warn({ reason, connection: this.options.name }, 'the broker accepts no messages');
      this.blockedSince = Date.now();
      for (const listener of this.blockedListeners) listener();
    });
    connection.on('unblocked', () => {
      this.blockedSince = undefined;
      this.unblockedAt = Date.now();
    });
    return connection;
  }

  private async pause(pauseMs: number): Promise<void> {
    this.pausing = new AbortController();
    await sleep(pauseMs, undefined, { signal: this.pausing.signal }).catch(() => undefined);
  }
}

/** Returns the socket, to be destroyed with an error: amqplib does not notice a socket that just ends. */
function socketOf(connection: ChannelModel): { destroy(error?: Error): void } | undefined {
  return (connection as unknown as { connection?: { stream?: { destroy(error?: Error): void } } }).connection?.stream;
}
