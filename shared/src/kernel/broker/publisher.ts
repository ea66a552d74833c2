import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { currentContext } from '../request-context.js';
import type { Broker } from './connection.js';
import { assertExchanges } from './topology.js';

const CONFIRM_TIMEOUT_MS = 5000;
const IN_FLIGHT_MAX = 2000;

/** The broker did not take the message, or nobody knows whether it did: keep it and publish it again later. */
export class BrokerUnavailable extends Error {
  override readonly name = 'BrokerUnavailable';
}

export interface EventPublisher {
  readonly isUp: boolean;
  /** Resolves once the broker has taken the event into every bound queue. @throws BrokerUnavailable */
  publish(type: string, id: string, body: string): Promise<void>;
}

interface Pending {
  settle: (error?: BrokerUnavailable) => void;
  sentAt: number;
}

/**
 * Publishes with confirms over one channel. A message counts as published when the broker confirmed it and did not
 * return it as unroutable. A nack, a return, a lost channel or no answer for 5 s all fail it: heartbeats alone would
 * notice a frozen broker after 15 s.
 */
export class Publisher implements EventPublisher {
  private channel?: ConfirmChannel;
  private blocked = false;
  private readonly pending = new Map<string, Pending>();
  private readonly returned = new Set<string>();
  private readonly waiting: (() => void)[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly broker: Broker) {
    broker.onConnected((connection) => this.open(connection));
    this.timer = setInterval(() => this.expire(), 500);
    this.timer.unref();
  }

  get isUp(): boolean {
    return this.channel !== undefined && !this.blocked && this.broker.isUp;
  }

  publish(type: string, id: string, body: string | Buffer): Promise<void> {
    return this.send(this.broker.topology.events, type, id, body);
  }

  /** To one queue, by its full name. */
  sendToQueue(queue: string, id: string, body: Buffer, headers: Record<string, unknown>): Promise<void> {
    return this.send('', queue, id, body, { headers });
  }

  private async send(exchange: string, key: string, id: string, body: string | Buffer, options?: Options.Publish) {
    while (this.pending.size >= IN_FLIGHT_MAX && this.isUp) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    const { channel } = this;
    if (!channel || !this.isUp) throw new BrokerUnavailable('broker is not connected');
    const messageId = this.pending.has(id) ? `${id}#${this.pending.size}` : id;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: BrokerUnavailable) => {
        if (!this.pending.delete(messageId)) return;
        this.waiting.shift()?.();
        if (error) reject(error);
        else resolve();
      };
      this.pending.set(messageId, { settle, sentAt: Date.now() });
      const properties: Options.Publish = {
        ...options,
        messageId,
        persistent: true,
        mandatory: true,
        contentType: 'application/json',
        headers: { traceparent: currentContext()?.traceparent, ...(options?.headers as object | undefined) },
      };
      const content = typeof body === 'string' ? Buffer.from(body) : body;
      channel.publish(exchange, key, content, properties, (error: unknown) => {
        // The broker sends the return of an unroutable message before its confirm.
        if (this.returned.delete(messageId)) settle(new BrokerUnavailable(`no queue is bound for ${key}`));
        else settle(error ? new BrokerUnavailable('the broker refused the message', { cause: error }) : undefined);
      });
    });
  }

  private async open(connection: ChannelModel): Promise<void> {
    const channel = await connection.createConfirmChannel();
    await assertExchanges(channel, this.broker.topology);
    channel.on('return', (message) => {
      if (message.properties.messageId) this.returned.add(message.properties.messageId as string);
    });
    channel.on('error', () => undefined);
    channel.on('close', () => {
      if (this.channel !== channel) return;
      this.lose('channel closed');
      this.broker.drop('publisher channel closed');
    });
    connection.on('blocked', () => (this.blocked = true));
    connection.on('unblocked', () => (this.blocked = false));
    this.blocked = false;
    this.channel = channel;
  }

  private lose(reason: string): void {
    this.channel = undefined;
    for (const { settle } of [...this.pending.values()]) settle(new BrokerUnavailable(reason));
    this.returned.clear();
    for (const resume of this.waiting.splice(0)) resume();
  }

  private expire(): void {
    const [oldest] = this.pending.values();
    if (!oldest || Date.now() - oldest.sentAt < CONFIRM_TIMEOUT_MS) return;
    this.lose('no confirm in time');
    this.broker.drop('no confirm in time');
  }
}
