import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import { backoffMs } from '../async/backoff.js';
import type { Log } from '../process/log.js';
import { withTimeout } from '../with-timeout.js';

/** A setup that hangs, e.g. on a queue without a leader, is abandoned and restarted. */
const SETUP_TIMEOUT_MS = 30_000;
const BACKOFF_MIN_MS = 200;
const BACKOFF_MAX_MS = 10_000;
/** A channel that lived this long was set up correctly: its loss resets the backoff. */
const STABLE_AFTER_MS = 10_000;

/** Declares queues and starts consumers on a fresh channel. */
export type SetUp<C extends Channel = Channel> = (channel: C, connection: ChannelModel) => Promise<void>;

export interface ManagedChannelOptions<C extends Channel> {
  name: string;
  log: Log;
  create: (connection: ChannelModel) => Promise<C>;
  setUp: SetUp<C>;
  setUpTimeoutMs?: number;
  /** Once it is aborted, a closed channel stays closed. */
  until?: AbortSignal;
}

export const plainChannel = (connection: ChannelModel): Promise<Channel> => connection.createChannel();
export const confirmChannel = (connection: ChannelModel): Promise<ConfirmChannel> => connection.createConfirmChannel();

/**
 * A channel that is opened again whenever it closes or its setup fails, for as long as the connection lives. The
 * failure of one channel leaves the connection and its other channels alone.
 */
export class ManagedChannel<C extends Channel = Channel> {
  isOpen = false;

  constructor(private readonly options: ManagedChannelOptions<C>) {}

  get name(): string {
    return this.options.name;
  }

  /** Resolves after the first attempt, whether it succeeded or not. */
  keepOpen(connection: ChannelModel, signal: AbortSignal): Promise<void> {
    return new Promise((tried) => void this.openUntilAborted(connection, signal, tried));
  }

  private async openUntilAborted(connection: ChannelModel, signal: AbortSignal, tried: () => void): Promise<void> {
    const { name, log, until } = this.options;
    const isOver = () => signal.aborted || until?.aborted;
    let failures = 0;
    while (!isOver()) {
      try {
        const { lost } = await this.open(connection);
        const openedAt = Date.now();
        this.isOpen = true;
        tried();
        await lost;
        // The channels of a connection close before it does.
        await new Promise(setImmediate);
        if (Date.now() - openedAt > STABLE_AFTER_MS) failures = 0;
        if (!isOver()) log.warn({ channel: name }, 'broker channel lost, opening it again');
      } catch (error) {
        if (!isOver()) log.warn({ channel: name, err: error }, 'broker channel not set up, trying again');
      }
      this.isOpen = false;
      tried();
      const pauseMs = backoffMs(failures, BACKOFF_MIN_MS, BACKOFF_MAX_MS);
      failures += 1;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    tried();
  }

  private async open(connection: ChannelModel): Promise<{ lost: Promise<void> }> {
    const { name, log, create, setUp, setUpTimeoutMs = SETUP_TIMEOUT_MS } = this.options;
    const channel = await create(connection);
    channel.on('error', (error: Error) => log.warn({ channel: name, err: error }, 'channel error'));
    const lost = new Promise<void>((resolve) => channel.once('close', () => resolve()));
    const lostDuringSetup = lost.then(() => {
      throw new Error('channel closed during its setup');
    });
    try {
      const done = Promise.race([setUp(channel, connection), lostDuringSetup]);
      await withTimeout(setUpTimeoutMs, done, () => new Error('channel setup timed out'));
    } catch (error) {
      // Not awaited: a channel whose setup hangs answers no close either.
      void closeChannel(channel);
      throw error;
    } finally {
      lostDuringSetup.catch(() => undefined);
    }
    return { lost };
  }
}

/** Closes a channel, which may be closed already. */
export async function closeChannel(channel: Channel): Promise<void> {
  try {
    await channel.close();
  } catch {
    // It was closed before.
  }
}
