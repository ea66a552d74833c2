import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { Event, EventDefinition } from '@waymark/contract/event';
import { WORK_QUEUE_DEFINITIONS, type WorkQueue } from '@waymark/contract/queues';
import { isOutage, needsOperator } from '../errors.js';
import type { Lifecycle } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import { newContext, runInContext } from '../process/request-context.js';
import type { Broker } from './connection.js';
import { ensureQueues } from './declare.js';
import { closeChannel } from './managed-channel.js';
import { OutageHold, type Pingable } from './outage-hold.js';
import { deliveryCount, MessageParser } from './parse-message.js';
import { BrokerUnavailable, type Publisher } from './publisher.js';
import { MessageReturner } from './message-returner.js';
import { workQueue } from './topology.js';
import { RetryLater } from './message-errors.js';

export { UnprocessableMessage } from './message-errors.js';

/** After these deliveries a message is handled alone: it may crash its consumers, and must not take others along. */
const ALONE_AFTER_DELIVERIES = 5;
/** A batch of full messages takes longer than one turn of the event loop may. */
const PARSED_AT_ONCE_BYTES = 512 * 1024;
const DRAIN_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2000;

export interface ConsumerOptions<Data> {
  /** The queue's name without the namespace. */
  queue: WorkQueue | `test.${string}`;
  events: readonly EventDefinition<Data>[];
  /** Messages handled together; 1 by default. */
  batchMax?: number;
  /** One replica consumes at a time, so that messages are handled in order; if it ends another takes over. */
  singleActive?: boolean;
  /** How long an incomplete batch waits for more. */
  batchWaitMs?: number;
  /** Removes from a message the data that must not be kept in a parked queue. */
  beforeParking?: (body: Buffer) => Buffer;
  /** For messages that carry data of several workspaces; see `dropErased`. */
  parts?: MessageParts<Data>;
  /** How long a batch is held through an apparent outage while the servers answer. */
  holdMaxMs?: number;
  /**
   * Its return acknowledges the batch. On a throw: an outage holds the batch until the server is back, `UnprocessableMessage`
   * parks, any other error is retried a few times, each message of a failed batch alone.
   */
  handle: (events: Event<Data>[]) => Promise<void>;
}

/** The parts of a message that belong to different workspaces. */
export interface MessageParts<Data> {
  workspacesOf: (event: Event<Data>) => string[];
  /** Returns the event without the parts of these workspaces. */
  without: (event: Event<Data>, workspaces: ReadonlySet<string>) => Event<Data>;
}

export interface ConsumerContext {
  broker: Broker;
  publisher: Publisher;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
  /** The handler's database, which is pinged during an outage; without it every outage is taken for real. */
  db?: Pingable;
  /** Messages of erased workspaces are dropped, however late they arrive. */
  erasures?: { findErased: (kind: 'workspace', slugs: readonly string[]) => Promise<ReadonlySet<string>> };
}

interface Delivery<Data> {
  message: ConsumeMessage;
  event: Event<Data>;
}

/** Consumes one durable queue. At least once: `handle` must be idempotent by event id. */
export function startConsumer<Data>(context: ConsumerContext, options: ConsumerOptions<Data>): void {
  checkRouting(options);
  new Consumer(context, options).start();
}

class Consumer<Data> {
  private channel?: Channel;
  private consumerTag?: string;
  private buffer: ConsumeMessage[] = [];
  private opening?: Promise<void>;
  private working?: Promise<void>;
  private stopping = false;
  private readonly outcomes;
  private readonly ages;
  private readonly parser: MessageParser<Data>;
  private readonly returner: MessageReturner;

  constructor(
    private readonly context: ConsumerContext,
    private readonly options: ConsumerOptions<Data>,
  ) {
    this.outcomes = context.metrics.messagesConsumed;
    this.ages = context.metrics.messageAge.labels(options.queue);
    this.parser = new MessageParser(context.broker, options.events);
    this.returner = new MessageReturner(context, options);
  }

  start(): void {
    const name = `consumer ${this.options.queue}`;
    const open = (channel: Channel, connection: ChannelModel) => (this.opening = this.open(channel, connection));
    const { broker, lifecycle } = this.context;
    // The consumer closes its channel when it stops.
    broker.keepChannel(name, open, { until: lifecycle.signal });
    lifecycle.onStop(name, () => this.stop());
  }

  private get batchMax(): number {
    return this.options.batchMax ?? 1;
  }

  private async open(channel: Channel, connection: ChannelModel): Promise<void> {
    const { broker } = this.context;
    const { queue, singleActive, events } = this.options;
    const types = events.map((event) => event.type);
    await ensureQueues(connection, broker, workQueue(broker.topology, queue, { types, singleActive }));
    broker.depths.watch(queue);
    await channel.prefetch(this.batchMax * 2);
    // Delivery tags belong to one channel: messages that an earlier one left are delivered again.
    this.buffer = [];
    this.channel = channel;
    channel.once('close', () => {
      if (this.channel === channel) this.channel = undefined;
    });
    await this.consume(channel);
  }

  private async consume(channel: Channel): Promise<void> {
    if (this.stopping) return;
    const { consumerTag } = await channel.consume(this.context.broker.topology.queue(this.options.queue), (message) => {
      if (message) return this.take(message);
      this.context.log.warn({ queue: this.options.queue }, 'consumer cancelled by the broker');
      void closeChannel(channel);
    });
    this.consumerTag = consumerTag;
  }

  private take(message: ConsumeMessage): void {
    this.buffer.push(message);
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private async work(): Promise<void> {
    while (this.buffer.length > 0) {
      if (this.stopping && this.options.singleActive) return;
      if (this.buffer.length < this.batchMax) await sleep(this.options.batchWaitMs ?? 0);
      const { channel } = this;
      if (!channel) return;
      try {
        if (this.buffer[0] && isSuspect(this.buffer[0])) await this.handleAlone(channel, this.buffer.shift()!);
        else await this.parseAndHandle(channel, this.nextBatch());
      } catch (error) {
        // Acknowledging failed with its channel: the broker delivers these messages again.
        this.context.log.debug({ err: error, queue: this.options.queue }, 'batch delivered again');
      }
    }
  }

  private nextBatch(): ConsumeMessage[] {
    const suspect = this.buffer.findIndex(isSuspect);
    return this.buffer.splice(0, suspect === -1 ? this.batchMax : Math.min(this.batchMax, suspect));
  }

  /**
   * When a process ends or loses its connection, the broker counts a delivery for each message the process held. If
   * this consumer holds no other message, the count of the others does not grow; `nack` adds nothing to it.
   */
  private async handleAlone(channel: Channel, message: ConsumeMessage): Promise<void> {
    if (this.consumerTag) await channel.cancel(this.consumerTag);
    this.consumerTag = undefined;
    for (const other of this.buffer.splice(0)) channel.nack(other, false, true);
    // A `nack` has no answer, but the broker works in order: once it has answered this, it holds the others again.
    await channel.prefetch(this.batchMax * 2);
    try {
      await this.parseAndHandle(channel, [message]);
    } finally {
      if (this.channel === channel) await this.consume(channel);
    }
  }

  private async parseAndHandle(channel: Channel, messages: ConsumeMessage[]): Promise<void> {
    const deliveries: Delivery<Data>[] = [];
    let parsedBytes = 0;
    for (const message of messages) {
      parsedBytes += message.content.length;
      if (parsedBytes > PARSED_AT_ONCE_BYTES) {
        parsedBytes = message.content.length;
        await nextTurn();
      }
      try {
        deliveries.push({ message, event: this.parser.parse(message) });
      } catch (error) {
        await this.returner.park({ channel, message }, error as Error);
      }
    }
    if (deliveries.length > 0) await this.handle(channel, deliveries);
  }

  private async handle(channel: Channel, deliveries: Delivery<Data>[]): Promise<void> {
    const first = deliveries[0]!;
    const context = newContext(first.event.request_id, first.event.traceparent);
    const startedAt = Date.now();
    const error = await runInContext(context, () => this.handleThroughOutages(channel, deliveries));
    // Lost with its channel: the broker delivers these messages again, and a copy would be one too many.
    if (this.channel !== channel) return;
    const info = { queue: this.options.queue, messages: deliveries.length, duration_ms: Date.now() - startedAt };

    if (error === undefined) {
      for (const { message } of deliveries) channel.ack(message);
      this.outcomes.inc({ queue: this.options.queue, outcome: 'done' }, deliveries.length);
      for (const { event } of deliveries) this.ages.observe(ageSeconds(event));
      this.context.log.debug({ ...info, event_id: first.event.id, outcome: 'done' }, 'message');
    } else if (error instanceof RetryLater) {
      await Promise.all(deliveries.map(({ message }) => this.returner.retry({ channel, message }, error)));
    } else if (deliveries.length > 1) {
      for (const delivery of deliveries) await this.handle(channel, [delivery]);
    } else {
      this.context.log.warn({ ...info, event_id: first.event.id, err: error, outcome: 'failed' }, 'message');
      await this.returner.retry({ channel, message: first.message }, error);
    }
  }

  /** While a server is unavailable the batch is held unacknowledged, so that no delivery and no attempt is used up. */
  private async handleThroughOutages(channel: Channel, deliveries: Delivery<Data>[]): Promise<Error | undefined> {
    const hold = new OutageHold(this.context, this.options.holdMaxMs);
    const events = deliveries.map((delivery) => delivery.event);
    const { lifecycle } = this.context;
    for (;;) {
      try {
        await lifecycle.work.run(`queue ${this.options.queue}`, () => this.handleUnerased(events));
        return undefined;
      } catch (error) {
        if (!isOutage(error)) return error as Error;
        if (this.stopping || this.channel !== channel) throw error;
        this.context.log.debug({ err: error, queue: this.options.queue }, 'held during an outage');
        if (!(await hold.isOver())) continue;
        // A full queue or disk elsewhere says nothing about the message: it waits and keeps its attempts.
        const isOfAll = error instanceof BrokerUnavailable || needsOperator(error);
        return isOfAll ? new RetryLater((error as Error).message) : (error as Error);
      }
    }
  }

  private async handleUnerased(events: Event<Data>[]): Promise<void> {
    const kept = await this.dropErased(events);
    if (kept.length > 0) await this.options.handle(kept);
  }

  /** Returns the events without those of erased workspaces, which would be stored again. */
  private async dropErased(events: Event<Data>[]): Promise<Event<Data>[]> {
    const { erasures } = this.context;
    const { parts } = this.options;
    const slugs = events.flatMap((event) => parts?.workspacesOf(event) ?? event.workspace ?? []);
    if (!erasures || slugs.length === 0) return events;
    const erased = await erasures.findErased('workspace', slugs);
    if (erased.size === 0) return events;
    const kept = events.filter(({ workspace }) => workspace === null || !erased.has(workspace));
    return parts ? kept.map((event) => parts.without(event, erased)) : kept;
  }

  /**
   * Handles the messages it has received. A single active consumer handles its batch and returns the rest by closing
   * its channel: once it is cancelled, the broker would let the next consumer start behind them.
   */
  private async stop(): Promise<void> {
    this.stopping = true;
    await this.opening?.catch(() => undefined);
    const { channel, consumerTag } = this;
    if (channel && consumerTag && !this.options.singleActive) await channel.cancel(consumerTag).catch(() => undefined);
    await Promise.race([this.working, sleep(DRAIN_TIMEOUT_MS, undefined, { ref: false })]);
    this.returner.stop();
    // Closing the connection would overtake acknowledgements that were just written; closing the channel does not.
    const last = this.channel;
    this.channel = undefined;
    if (last) await Promise.race([closeChannel(last), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

/** Clocks differ between machines: an event from the future is new. */
const ageSeconds = ({ occurred_at }: Event): number => Math.max(0, Date.now() - Date.parse(occurred_at)) / 1000;

const isSuspect = (message: ConsumeMessage): boolean => deliveryCount(message) >= ALONE_AFTER_DELIVERIES;

/** Publishers declare the queues by `WORK_QUEUE_DEFINITIONS`: an event type that is missing there would be lost. */
function checkRouting<Data>({ queue, events, singleActive = false }: ConsumerOptions<Data>): void {
  const definition = WORK_QUEUE_DEFINITIONS[queue as WorkQueue];
  if (!definition && queue.startsWith('test.')) return;
  const missing = events.filter(({ type }) => !definition?.types.includes(type)).map(({ type }) => type);
  if (missing.length > 0) throw new Error(`WORK_QUEUE_DEFINITIONS: ${queue} lacks ${missing.join(', ')}`);
  if (singleActive !== (definition.singleActive ?? false))
    throw new Error(`WORK_QUEUE_DEFINITIONS: singleActive of ${queue} differs`);
}
