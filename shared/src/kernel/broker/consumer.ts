import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { envelope, type Event, type EventDefinition } from '../../contract/event.js';
import type { WorkQueue } from '../../contract/queues.js';
import { isOutage } from '../errors.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import { newContext, runInContext } from '../request-context.js';
import type { Broker } from './connection.js';
import type { Publisher } from './publisher.js';
import { assertExchanges, assertWorkQueue } from './topology.js';

const ATTEMPTS_MAX = 8;
/** A message this often delivered without an end kills its consumers, or is unlucky in a crash loop: an operator decides. */
const DELIVERIES_MAX = 50;
const OUTAGE_BACKOFF_MAX_MS = 5000;
const DRAIN_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2000;

/** The message can never be handled: it is parked with the reason, not tried again. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';
}

/**
 * Something is in the way that only an operator can take away: these messages are tried again until then, and never parked.
 * The others of their batch have been handled.
 */
export class HeldBack extends Error {
  override readonly name = 'HeldBack';
  constructor(
    message: string,
    readonly events: readonly Event[],
  ) {
    super(message);
  }
}

export interface ConsumerOptions<Data> {
  /** Without the namespace. */
  queue: WorkQueue | `test.${string}`;
  events: readonly EventDefinition<Data>[];
  /** Messages handled together; 1 unless told. */
  batchMax?: number;
  /** One replica at a time, so that messages are handled in the order of the queue; if it goes away another takes over. */
  singleActive?: boolean;
  /** How long an incomplete batch waits for more. */
  batchWaitMs?: number;
  /** Takes out of a message what must not be kept in a parked queue. */
  beforeParking?: (body: Buffer) => Buffer;
  /**
   * Its return acknowledges the batch. A throw is the other verdict: an outage holds the batch until the server is back,
   * `Unprocessable` parks, anything else is tried again a few times, each message of a failed batch alone. `HeldBack` names
   * those that are tried again until they go.
   */
  handle: (events: Event<Data>[]) => Promise<void>;
}

export interface ConsumerParts {
  broker: Broker;
  publisher: Publisher;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

interface Delivery<Data> {
  message: ConsumeMessage;
  event: Event<Data>;
}

/** Consumes one durable queue. At least once: `handle` must be idempotent by event id. */
export class Consumer<Data> {
  private channel?: Channel;
  private consumerTag?: string;
  private buffer: ConsumeMessage[] = [];
  private opening?: Promise<void>;
  private working?: Promise<void>;
  private stopping = false;
  private readonly outcomes;

  constructor(
    private readonly parts: ConsumerParts,
    private readonly options: ConsumerOptions<Data>,
  ) {
    this.outcomes = parts.metrics.messagesConsumed;
    parts.broker.onConnected((connection) => (this.opening = this.open(connection)));
    parts.lifecycle.onStop(`consumer ${options.queue}`, () => this.stop());
  }

  private get batchMax(): number {
    return this.options.batchMax ?? 1;
  }

  private async open(connection: ChannelModel): Promise<void> {
    const { topology } = this.parts.broker;
    const channel = await connection.createChannel();
    channel.on('error', (error) => this.parts.log.warn({ err: error, queue: this.options.queue }, 'channel error'));
    channel.on('close', () => {
      if (this.channel !== channel) return;
      this.channel = undefined;
      this.parts.broker.drop(`channel of ${this.options.queue} closed`);
    });
    await assertExchanges(channel, topology);
    const { queue, singleActive } = this.options;
    const types = this.options.events.map((event) => event.type);
    await assertWorkQueue(channel, topology, queue, types, { singleActive });
    await channel.prefetch(this.batchMax * 2);
    // Tags belong to one channel: what an earlier one left is delivered again.
    this.buffer = [];
    this.channel = channel;
    if (this.stopping) return;
    const { consumerTag } = await channel.consume(topology.queue(this.options.queue), (message) => {
      if (message === null) this.parts.broker.drop(`consumer of ${this.options.queue} cancelled by the broker`);
      else this.take(message);
    });
    this.consumerTag = consumerTag;
  }

  private take(message: ConsumeMessage): void {
    this.buffer.push(message);
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private async work(): Promise<void> {
    while (this.buffer.length > 0) {
      if (this.buffer.length < this.batchMax) await sleep(this.options.batchWaitMs ?? 0);
      const { channel } = this;
      if (!channel) return;
      const messages = this.buffer.splice(0, this.batchMax);
      try {
        await this.settle(channel, messages);
      } catch (error) {
        // Acknowledging failed with its channel: the broker delivers these messages again.
        this.parts.log.debug({ err: error, queue: this.options.queue }, 'batch given back');
      }
    }
  }

  private async settle(channel: Channel, messages: ConsumeMessage[]): Promise<void> {
    const deliveries: Delivery<Data>[] = [];
    for (const message of messages) {
      try {
        deliveries.push({ message, event: this.parse(message) });
      } catch (error) {
        await this.park(channel, message, error as Error);
      }
    }
    if (deliveries.length > 0) await this.handle(channel, deliveries);
  }

  private async handle(channel: Channel, deliveries: Delivery<Data>[]): Promise<void> {
    const first = deliveries[0]!;
    const context = newContext(first.event.request_id, first.event.traceparent);
    const startedAt = Date.now();
    const error = await runInContext(context, () => this.handleThroughOutages(channel, deliveries));
    const info = { queue: this.options.queue, messages: deliveries.length, duration_ms: Date.now() - startedAt };

    if (error === undefined || error instanceof HeldBack) {
      const isHeld = ({ event }: Delivery<Data>) => error?.events.includes(event);
      const [held, done] = [deliveries.filter(isHeld), deliveries.filter((delivery) => !isHeld(delivery))];
      for (const { message } of done) channel.ack(message);
      this.outcomes.inc({ queue: this.options.queue, outcome: 'done' }, done.length);
      this.parts.log.debug({ ...info, event_id: first.event.id, held: held.length, outcome: 'done' }, 'message');
      await Promise.all(held.map(({ message }) => this.giveBack(channel, message, error!)));
    } else if (deliveries.length > 1) {
      for (const delivery of deliveries) await this.handle(channel, [delivery]);
    } else {
      this.parts.log.warn({ ...info, event_id: first.event.id, err: error, outcome: 'failed' }, 'message');
      await this.giveBack(channel, first.message, error);
    }
  }

  /** While a server is away the batch is held unacknowledged, so that no delivery is used up. */
  private async handleThroughOutages(channel: Channel, deliveries: Delivery<Data>[]): Promise<Error | undefined> {
    for (let backoffMs = 100; ; backoffMs = Math.min(backoffMs * 2, OUTAGE_BACKOFF_MAX_MS)) {
      try {
        await this.options.handle(deliveries.map((delivery) => delivery.event));
        return undefined;
      } catch (error) {
        if (!isOutage(error)) return error as Error;
        if (this.stopping || this.channel !== channel) throw error;
        this.parts.log.debug({ err: error, queue: this.options.queue }, 'held during an outage');
        await sleep(backoffMs);
      }
    }
  }

  private parse(message: ConsumeMessage): Event<Data> {
    const deliveries = Number(message.properties.headers?.['x-delivery-count'] ?? 0);
    if (deliveries >= DELIVERIES_MAX) throw new Unprocessable(`delivered ${deliveries} times`);
    let json: unknown;
    try {
      json = JSON.parse(message.content.toString('utf8'));
    } catch {
      throw new Unprocessable('not JSON');
    }
    const event = envelope.safeParse(json);
    if (!event.success) throw new Unprocessable(`not an event: ${z.prettifyError(event.error)}`);
    const { type, version } = event.data;
    const definition = this.options.events.find((known) => known.type === type && known.version === version);
    if (!definition) throw new Unprocessable(`unknown event ${type} version ${version}`);
    const data = definition.schema.safeParse(event.data.data);
    if (!data.success) throw new Unprocessable(`bad ${type}: ${z.prettifyError(data.error)}`);
    return { ...event.data, data: data.data };
  }

  private async giveBack(channel: Channel, message: ConsumeMessage, error: Error): Promise<void> {
    const attempt = Number(message.properties.headers?.['x-attempt'] ?? 0) + (error instanceof HeldBack ? 0 : 1);
    if (error instanceof Unprocessable || attempt >= ATTEMPTS_MAX) return this.park(channel, message, error);
    const { publisher, broker } = this.parts;
    await publisher.sendToQueue(broker.topology.retry(this.options.queue), idOf(message), message.content, {
      'x-attempt': attempt,
      'x-error': error.message.slice(0, 500),
    });
    channel.ack(message);
    this.outcomes.inc({ queue: this.options.queue, outcome: 'retried' });
  }

  private async park(channel: Channel, message: ConsumeMessage, error: Error): Promise<void> {
    const { publisher, broker, log } = this.parts;
    const body = this.options.beforeParking?.(message.content) ?? message.content;
    await publisher.sendToQueue(broker.topology.parked(this.options.queue), idOf(message), body, {
      'x-error': error.message.slice(0, 500),
      'x-parked-at': new Date().toISOString(),
    });
    channel.ack(message);
    this.outcomes.inc({ queue: this.options.queue, outcome: 'parked' });
    log.error({ queue: this.options.queue, message_id: idOf(message), reason: error.message }, 'message parked');
  }

  private async stop(): Promise<void> {
    this.stopping = true;
    await this.opening?.catch(() => undefined);
    const { channel, consumerTag } = this;
    if (channel && consumerTag) await channel.cancel(consumerTag).catch(() => undefined);
    await Promise.race([this.working, sleep(DRAIN_TIMEOUT_MS, undefined, { ref: false })]);
    // Closing the connection would overtake acknowledgements that were just written; closing the channel does not.
    const last = this.channel;
    this.channel = undefined;
    await Promise.race([last?.close().catch(() => undefined), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

function idOf(message: ConsumeMessage): string {
  return (message.properties.messageId as string | undefined) ?? 'unknown';
}
