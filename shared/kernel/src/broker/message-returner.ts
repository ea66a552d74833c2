import type { Channel, ConsumeMessage } from 'amqplib';
import { backoffMs } from '../async/backoff.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import type { Broker } from './connection.js';
import { PRODUCER_HEADER, producerUser } from './producer.js';
import type { Publisher } from './publisher.js';
import { RetryLater, UnprocessableMessage } from './message-errors.js';

const ATTEMPTS_MAX = 8;
const REASON_MAX = 500;
const REQUEUE_MIN_MS = 1000;
const REQUEUE_MAX_MS = 30_000;

interface ReturnContext {
  broker: Broker;
  publisher: Publisher;
  log: Log;
  metrics: Metrics;
}

interface ReturnOptions {
  queue: string;
  beforeParking?: (body: Buffer) => Buffer;
}

/** A message that was delivered on this channel, and is neither acknowledged nor rejected. */
interface Unsettled {
  channel: Channel;
  message: ConsumeMessage;
}

type Companion = 'retry' | 'parked';

/**
 * Moves messages that were not handled to the retry queue or the parked queue. If the broker refuses one there (the
 * queue is full, or missing), the message is requeued after a growing delay: never lost, never in a hot loop.
 */
export class MessageReturner {
  private readonly requeues = new Map<NodeJS.Timeout, () => void>();
  /** In a row. */
  private refusals = 0;
  private readonly outcomes;

  constructor(
    private readonly context: ReturnContext,
    private readonly options: ReturnOptions,
  ) {
    this.outcomes = context.metrics.messagesConsumed;
  }

  /** To be tried again later; parked when its attempts are used up. */
  async retry(unsettled: Unsettled, error: Error): Promise<void> {
    const { message } = unsettled;
    const attempt = Number(message.properties.headers?.['x-attempt'] ?? 0) + (error instanceof RetryLater ? 0 : 1);
    if (error instanceof UnprocessableMessage || attempt >= ATTEMPTS_MAX) return this.park(unsettled, error);
    const headers = { 'x-attempt': attempt, 'x-error': reasonOf(error) };
    if (await this.move(unsettled, 'retry', { body: () => message.content, headers }))
      this.outcomes.inc({ queue: this.options.queue, outcome: 'retried' });
  }

  async park(unsettled: Unsettled, error: Error): Promise<void> {
    const { message } = unsettled;
    const { queue, beforeParking } = this.options;
    const body = () => beforeParking?.(message.content) ?? message.content;
    const reason = reasonOf(error);
    const headers = { 'x-error': reason, 'x-parked-at': new Date().toISOString() };
    if (!(await this.move(unsettled, 'parked', { body, headers }))) return;
    this.outcomes.inc({ queue, outcome: 'parked' });
    this.context.log.error({ queue, message_id: idOf(message), reason }, 'message parked');
  }

  /** Puts everything that still waits back into the queue at once. */
  stop(): void {
    for (const [timer, requeue] of this.requeues) {
      clearTimeout(timer);
      requeue();
    }
  }

  /** @returns false when the broker did not take it, and the message stays in its queue */
  private async move(
    unsettled: Unsettled,
    companion: Companion,
    { body, headers }: { body: () => Buffer; headers: Record<string, unknown> },
  ): Promise<boolean> {
    const { publisher, broker } = this.context;
    const { channel, message } = unsettled;
    const all = { ...headers, [PRODUCER_HEADER]: producerUser(broker, message) };
    try {
      await publisher.sendToQueue(`${this.options.queue}.${companion}`, {
        id: idOf(message),
        body: body(),
        headers: all,
      });
    } catch (error) {
      this.requeueLater(unsettled, companion, error);
      return false;
    }
    this.refusals = 0;
    channel.ack(message);
    return true;
  }

  private requeueLater({ channel, message }: Unsettled, companion: Companion, error: unknown): void {
    const { queue } = this.options;
    const delayMs = backoffMs(this.refusals, REQUEUE_MIN_MS, REQUEUE_MAX_MS);
    this.refusals += 1;
    this.outcomes.inc({ queue, outcome: 'refused' });
    const info = { err: error, queue, companion, message_id: idOf(message), delay_ms: Math.round(delayMs) };
    this.context.log.warn(info, 'message not moved: it returns to its queue later');
    const requeue = () => {
      this.requeues.delete(timer);
      try {
        channel.nack(message, false, true);
      } catch {
        // Its channel is closed: the broker delivers it again anyway.
      }
    };
    const timer = setTimeout(requeue, delayMs).unref();
    this.requeues.set(timer, requeue);
  }
}

function idOf(message: ConsumeMessage): string {
  return (message.properties.messageId as string | undefined) ?? 'unknown';
}

const reasonOf = (error: Error): string => error.message.slice(0, REASON_MAX);
