import type { ConfirmChannel, Options } from 'amqplib';
import { currentContext } from '../process/request-context.js';
import type { Broker } from './connection.js';
import { closeChannel } from './managed-channel.js';

const CONFIRM_TIMEOUT_MS = 5000;
const CONFIRM_CHECK_EVERY_MS = 500;
const IN_FLIGHT_MAX = 2000;
const IN_FLIGHT_BYTES_MAX = 32 * 1024 * 1024;
/** The broker closes the channel over a message above its own limit (16 MiB), and with it all that is in flight. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

/** The broker is unavailable or did not confirm: keep the message and publish it again later. */
export class BrokerUnavailable extends Error {
  override readonly name: string = 'BrokerUnavailable';
}

/** The broker answers but refuses this message: no queue is bound, a queue is full, or the message is too large. */
export class PublishRefused extends BrokerUnavailable {
  override readonly name: string = 'PublishRefused';
}

export interface EventPublisher {
  readonly isUp: boolean;
  /** Resolves once the broker has taken the event into every bound queue, or the outbox has stored it. @throws BrokerUnavailable */
  publish(type: string, id: string, body: string): Promise<void>;
}

interface Address {
  exchange: string;
  key: string;
}

export interface OutgoingMessage {
  id: string;
  body: string | Buffer;
  headers?: Record<string, unknown>;
}

interface Pending {
  settle: (error?: BrokerUnavailable) => void;
  sentAt: number;
  /** Whether it fails as soon as an alarm begins, because its publisher can store it. */
  failsInAlarm: boolean;
}

/**
 * Publishes with confirms over one channel. A message counts as published when the broker confirmed it and did not
 * return it as unroutable. A nack, a return, a lost channel or no answer for 5 s all fail it: heartbeats alone would
 * notice a frozen broker after 15 s. During an alarm the broker owes no answer: events fail at once, so that a consumer
 * that publishes can store them and acknowledge its message; messages to one queue (retries) in flight wait for the alarm
 * to end.
 */
export class Publisher implements EventPublisher {
  private channel?: ConfirmChannel;
  /** Oldest first. */
  private readonly pending = new Set<Pending>();
  private pendingBytes = 0;
  private publicationCount = 0;
  /** The correlation ids of messages that the broker returned. */
  private readonly returned = new Set<string>();
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly broker: Broker) {}

  keepChannel(): void {
    const { publishing } = this.broker;
    publishing.keepConfirmChannel('publisher', (channel) => this.open(channel));
    publishing.onBlocked(() => this.failEvents());
    setInterval(() => this.expire(), CONFIRM_CHECK_EVERY_MS).unref();
  }

  get isUp(): boolean {
    return this.channel !== undefined && this.broker.isReadyToPublish;
  }

  publish(type: string, id: string, body: string | Buffer): Promise<void> {
    return this.send({ exchange: this.broker.topology.events, key: type }, { id, body });
  }

  /** Sends to one queue, by its name without the namespace. */
  sendToQueue(queue: string, message: OutgoingMessage): Promise<void> {
    return this.send({ exchange: this.broker.topology.queues, key: queue }, message);
  }

  private async send({ exchange, key }: Address, { id, body, headers }: OutgoingMessage): Promise<void> {
    const content = typeof body === 'string' ? Buffer.from(body) : body;
    if (content.length > MESSAGE_BYTES_MAX)
      throw new PublishRefused(`${key}: ${content.length} bytes are more than a message may have`);
    while (this.isFull && this.isUp) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const { channel } = this;
    if (!channel || !this.isUp) {
      // This message was never in flight, so no confirm of it will wake the next one that waits.
      this.waiting.shift()?.();
      throw new BrokerUnavailable('the broker is not connected or accepts no messages');
    }
    // Two messages in flight may have one id, e.g. an event that failed in an alarm and is published again.
    this.publicationCount += 1;
    const correlationId = String(this.publicationCount);
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        if (!this.pending.delete(publication)) return;
        this.pendingBytes -= content.length;
        this.waiting.shift()?.();
        if (error) reject(error);
        else resolve();
      };
      const publication: Pending = {
        settle,
        sentAt: Date.now(),
        failsInAlarm: exchange === this.broker.topology.events,
      };
      this.pending.add(publication);
      this.pendingBytes += content.length;
      const properties: Options.Publish = {
        messageId: id,
        correlationId,
        userId: this.broker.user,
        persistent: true,
        mandatory: true,
        contentType: 'application/json',
        headers: { traceparent: currentContext()?.traceparent, ...headers },
      };
      const confirmed = (error: unknown) => {
        // The broker sends the return of an unroutable message before its confirm.
        if (this.returned.delete(correlationId)) settle(new PublishRefused(`no queue is bound for ${key}`));
        else settle(error ? failureOf(error) : undefined);
      };
      try {
        channel.publish(exchange, key, content, properties, confirmed);
      } catch (error) {
        // It was not sent, e.g. with a damaged id: a confirm that never comes would drop the connection.
        settle(error as Error);
      }
    });
  }

  private get isFull(): boolean {
    return this.pending.size >= IN_FLIGHT_MAX || this.pendingBytes >= IN_FLIGHT_BYTES_MAX;
  }

  private open(channel: ConfirmChannel): Promise<void> {
    channel.on('return', (message) => {
      this.returned.add(message.properties.correlationId as string);
    });
    channel.once('close', () => {
      if (this.channel === channel) this.lose('channel closed');
    });
    this.channel = channel;
    return Promise.resolve();
  }

  private lose(reason: string): void {
    this.channel = undefined;
    for (const { settle } of [...this.pending]) settle(new BrokerUnavailable(reason));
    this.returned.clear();
    this.resumeAll();
  }

  private failEvents(): void {
    for (const { settle, failsInAlarm } of [...this.pending])
      if (failsInAlarm) settle(new BrokerUnavailable('the broker accepts no messages'));
    this.resumeAll();
  }

  /** Lets every message that waits for room see whether the broker still takes it. */
  private resumeAll(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** An alarm delays confirms for as long as it lasts: their timeout counts only from its end. */
  private expire(): void {
    const { publishing } = this.broker;
    const [oldest] = this.pending;
    if (!oldest || publishing.isBlocked) return;
    const waitingSince = Math.max(oldest.sentAt, publishing.lastUnblockedAt);
    if (Date.now() - waitingSince < CONFIRM_TIMEOUT_MS) return;
    const { channel } = this;
    this.lose('no confirm in time');
    publishing.drop('no confirm in time');
    if (channel) void closeChannel(channel);
  }
}

/** Opens the publisher of a process. Call it before the broker starts. */
export function openPublisher(broker: Broker): Publisher {
  const publisher = new Publisher(broker);
  publisher.keepChannel();
  return publisher;
}

/** amqplib also calls back when the channel closes: then it is unknown whether the broker took the message. */
function failureOf(error: unknown): BrokerUnavailable {
  const isNack = error instanceof Error && error.message === 'message nacked';
  if (isNack) return new PublishRefused('the broker refused the message', { cause: error });
  return new BrokerUnavailable('the channel closed before the confirm', { cause: error });
}
