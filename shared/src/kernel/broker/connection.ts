import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type ChannelModel } from 'amqplib';
import type { Lifecycle } from '../lifecycle.js';
import type { Log } from '../log.js';
import { Topology } from './topology.js';

const HEARTBEAT_SECONDS = 5;
const CONNECT_TIMEOUT_MS = 5000;
const SETUP_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2000;
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 5000;

/** Declares what a part needs on a fresh connection: channels, queues, consumers. */
export type Setup = (connection: ChannelModel) => Promise<void>;

/**
 * A connection that comes back by itself. Everything that lives on it is made by a setup, which runs again after every
 * reconnect; between two connections `isUp` is false.
 */
export class Broker {
  readonly topology: Topology;
  private readonly setups: Setup[] = [];
  private current?: ChannelModel;
  private closing = false;
  private running?: Promise<void>;
  private wakeUp?: AbortController;

  constructor(
    private readonly url: string,
    namespace: string,
    private readonly name: string,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onStop('broker', () => this.close());
    this.topology = new Topology(namespace);
  }

  get isUp(): boolean {
    return this.current !== undefined;
  }

  /** To be called before `start`. */
  onConnected(setup: Setup): void {
    this.setups.push(setup);
  }

  start(): void {
    this.running ??= this.connectForever();
  }

  /** Gives a connection up that no longer answers, without waiting for the heartbeat to notice. */
  drop(reason: string): void {
    const connection = this.current;
    if (!connection || this.closing) return;
    this.log.warn({ reason }, 'broker connection dropped');
    this.current = undefined;
    socketOf(connection)?.destroy(new Error(reason));
  }

  private async close(): Promise<void> {
    this.closing = true;
    this.wakeUp?.abort();
    const connection = this.current;
    if (connection)
      await Promise.race([
        connection.close().catch(() => undefined),
        sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
    await this.running;
  }

  private async connectForever(): Promise<void> {
    let attempt = 0;
    while (!this.closing) {
      try {
        const connection = await this.connectOnce();
        attempt = 0;
        // Stopped while it was being opened.
        if (this.closing) void connection.close().catch(() => undefined);
        await closed(connection);
        if (!this.closing) this.log.warn('broker connection lost');
      } catch (error) {
        this.log.warn({ err: error }, 'broker not reachable, trying again');
      }
      this.current = undefined;
      if (this.closing) return;
      attempt += 1;
      const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** attempt);
      this.wakeUp = new AbortController();
      await sleep(backoffMs * (0.5 + Math.random() / 2), undefined, { signal: this.wakeUp.signal }).catch(
        () => undefined,
      );
    }
  }

  private async connectOnce(): Promise<ChannelModel> {
    const url = new URL(this.url);
    url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
    const connection = await connect(url.href, {
      timeout: CONNECT_TIMEOUT_MS,
      noDelay: true,
      clientProperties: { connection_name: this.name },
    });
    // amqplib emits 'error' and then 'close'; without a listener the process would end.
    connection.on('error', (error: Error) => this.log.debug({ err: error }, 'broker connection error'));
    // With an error: amqplib does not notice a socket that just ends.
    const giveUp = () => socketOf(connection)?.destroy(new Error('connection setup failed'));
    const deadline = setTimeout(giveUp, SETUP_TIMEOUT_MS);
    try {
      const lost = closed(connection).then(() => {
        throw new Error('connection closed during setup');
      });
      await Promise.race([this.setUp(connection), lost]);
    } catch (error) {
      giveUp();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
    this.current = connection;
    this.log.info('broker connected');
    return connection;
  }

  private async setUp(connection: ChannelModel): Promise<void> {
    for (const setup of this.setups) await setup(connection);
  }
}

function closed(connection: ChannelModel): Promise<void> {
  return new Promise((resolve) => connection.once('close', () => resolve()));
}

function socketOf(connection: ChannelModel): { destroy(error?: Error): void } | undefined {
  return (connection as unknown as { connection?: { stream?: { destroy(error?: Error): void } } }).connection?.stream;
}
