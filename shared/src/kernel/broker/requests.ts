import { randomUUID } from 'node:crypto';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { RequestDefinition } from '../../contract/requests.js';
import type { Log } from '../log.js';
import { newContext, currentContext, runInContext } from '../request-context.js';
import { within } from '../within.js';
import type { Broker } from './connection.js';
import { BrokerUnavailable } from './publisher.js';

/** RabbitMQ's direct reply-to (https://www.rabbitmq.com/docs/direct-reply-to): an answer needs no queue of its own. */
const REPLY_TO = 'amq.rabbitmq.reply-to';
const REQUESTS_AT_ONCE = 100;

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Asks other services questions over the broker, with a deadline. */
export class Requester {
  private channel?: Channel;
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly broker: Broker) {
    broker.onConnected((connection) => this.open(connection));
  }

  /** @throws BrokerUnavailable when nobody answers within the deadline. */
  async ask<Q, A>(request: RequestDefinition<Q, A>, question: Q, timeoutMs: number): Promise<A> {
    const { channel } = this;
    if (!channel || !this.broker.isUp) throw new BrokerUnavailable('broker is not connected');
    const correlationId = randomUUID();
    const answered = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(correlationId, { resolve, reject });
      channel.publish('', this.broker.topology.queue(request.name), Buffer.from(JSON.stringify(question)), {
        correlationId,
        replyTo: REPLY_TO,
        expiration: String(timeoutMs),
        contentType: 'application/json',
        headers: { traceparent: currentContext()?.traceparent, 'x-request-id': currentContext()?.requestId },
      });
    });
    const tooLate = () => new BrokerUnavailable(`${request.name}: no answer in time`);
    try {
      return request.answer.parse(await within(timeoutMs, answered, tooLate));
    } finally {
      this.waiting.delete(correlationId);
    }
  }

  private async open(connection: ChannelModel): Promise<void> {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    channel.on('close', () => {
      if (this.channel !== channel) return;
      this.channel = undefined;
      for (const { reject } of this.waiting.values()) reject(new BrokerUnavailable('channel closed'));
      this.broker.drop('requester channel closed');
    });
    await channel.consume(REPLY_TO, (message) => message && this.deliver(message), { noAck: true });
    this.channel = channel;
  }

  private deliver(message: ConsumeMessage): void {
    const waiting = this.waiting.get(message.properties.correlationId as string);
    if (!waiting) return;
    if (message.properties.headers?.['x-error']) waiting.reject(new BrokerUnavailable('the service failed to answer'));
    else waiting.resolve(JSON.parse(message.content.toString('utf8')));
  }
}

/** Answers one kind of question; several replicas share the work. A question is not kept: nobody waits for it later. */
export function answerRequests<Q, A>(
  broker: Broker,
  log: Log,
  request: RequestDefinition<Q, A>,
  answer: (question: Q) => Promise<A>,
): void {
  broker.onConnected(async (connection) => {
    const channel = await connection.createChannel();
    const queue = broker.topology.queue(request.name);
    channel.on('error', () => undefined);
    channel.on('close', () => broker.drop(`channel of ${request.name} closed`));
    await channel.assertQueue(queue, {
      durable: true,
      arguments: { 'x-queue-type': 'classic', 'x-max-length': 10_000 },
    });
    await channel.prefetch(REQUESTS_AT_ONCE);
    await channel.consume(
      queue,
      (message) => {
        if (!message) return broker.drop(`consumer of ${request.name} cancelled by the broker`);
        const { headers } = message.properties;
        const context = newContext(headers?.['x-request-id'] as string, headers?.traceparent as string);
        void runInContext(context, () => respond(channel, message));
      },
      { noAck: false },
    );
  });

  async function respond(channel: Channel, message: ConsumeMessage): Promise<void> {
    let body: unknown = null;
    let headers = {};
    try {
      body = await answer(request.question.parse(JSON.parse(message.content.toString('utf8'))));
    } catch (error) {
      log.warn({ err: error, request: request.name }, 'request failed');
      headers = { 'x-error': true };
    }
    try {
      const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
      channel.publish('', replyTo, Buffer.from(JSON.stringify(body)), { correlationId, headers });
      channel.ack(message);
    } catch (error) {
      log.debug({ err: error, request: request.name }, 'answer not sent');
    }
  }
}
