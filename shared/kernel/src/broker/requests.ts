import { randomUUID } from 'node:crypto';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { RequestDefinition } from '@waymark/contract/request';
import { currentContext, newContext, runInContext } from '../process/request-context.js';
import { withTimeout } from '../with-timeout.js';
import type { Broker } from './connection.js';
import { ensureQueues } from './declare.js';
import { closeChannel } from './managed-channel.js';
import { BrokerUnavailable } from './publisher.js';
import { requestQueue } from './topology.js';

const REQUESTS_AT_ONCE = 100;
/** Questions that wait for an answer; a caller above it gets an error at once. */
const WAITING_MAX = 5000;

/** The broker accepted the question, but the service failed to answer it in time. It may still answer others. */
export class NoAnswer extends BrokerUnavailable {
  override readonly name: string = 'NoAnswer';
}

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * Asks other services questions over the broker, with a deadline. Questions leave on the connection that publishes, answers
 * arrive in a queue of this process on the connection that consumes; the queue ends with its connection.
 */
export class Requester {
  private channel?: Channel;
  private isListening = false;
  private readonly waiting = new Map<string, Waiting>();
  /** Key and queue of the answers: no other process can know it. */
  private readonly replyTo: string;

  constructor(private readonly broker: Broker) {
    this.replyTo = `${broker.service}.answers.${randomUUID()}`;
  }

  keepChannels(): void {
    this.broker.publishing.keepChannel('questions', (channel) => this.openQuestions(channel));
    this.broker.keepChannel('answers', (channel, connection) => this.listen(channel, connection));
  }

  /** @throws BrokerUnavailable, of which `NoAnswer` is about this question alone */
  async ask<Q, A>(request: RequestDefinition<Q, A>, question: Q, timeoutMs: number): Promise<A> {
    const { channel } = this;
    if (!channel || !this.isListening || this.broker.publishing.isBlocked)
      throw new BrokerUnavailable('the broker is not connected or accepts no messages');
    if (this.waiting.size >= WAITING_MAX) throw new BrokerUnavailable('too many questions wait for an answer');
    const correlationId = randomUUID();
    const answered = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(correlationId, { resolve, reject });
      channel.publish(this.broker.topology.questions, request.name, Buffer.from(JSON.stringify(question)), {
        correlationId,
        replyTo: this.replyTo,
        userId: this.broker.user,
        expiration: String(timeoutMs),
        contentType: 'application/json',
        headers: { traceparent: currentContext()?.traceparent, 'x-request-id': currentContext()?.requestId },
      });
    });
    const tooLate = () => new NoAnswer(`${request.name}: no answer in time`);
    try {
      return request.answer.parse(await withTimeout(timeoutMs, answered, tooLate));
    } finally {
      this.waiting.delete(correlationId);
    }
  }

  private openQuestions(channel: Channel): Promise<void> {
    channel.once('close', () => {
      if (this.channel !== channel) return;
      this.channel = undefined;
      this.failAll();
    });
    this.channel = channel;
    return Promise.resolve();
  }

  private async listen(channel: Channel, connection: ChannelModel): Promise<void> {
    const { topology } = this.broker;
    const queue = topology.queue(this.replyTo);
    channel.once('close', () => {
      this.isListening = false;
      this.failAll();
    });
    await ensureQueues(connection, this.broker, []);
    await channel.assertQueue(queue, { exclusive: true, autoDelete: true, durable: false });
    await channel.bindQueue(queue, topology.answers, this.replyTo);
    await channel.consume(queue, (message) => (message ? this.deliver(message) : void closeChannel(channel)), {
      noAck: true,
    });
    this.isListening = true;
  }

  private failAll(): void {
    for (const { reject } of this.waiting.values()) reject(new BrokerUnavailable('the broker connection was lost'));
  }

  private deliver(message: ConsumeMessage): void {
    const waiting = this.waiting.get(message.properties.correlationId as string);
    if (!waiting) return;
    try {
      const answer: unknown = JSON.parse(message.content.toString('utf8'));
      if (!message.properties.headers?.['x-error']) return waiting.resolve(answer);
    } catch {
      // Not JSON: the same as no answer.
    }
    waiting.reject(new NoAnswer('the service failed to answer'));
  }
}

/** Opens the requester of a process. Call it before the broker starts. */
export function openRequester(broker: Broker): Requester {
  const requester = new Requester(broker);
  requester.keepChannels();
  return requester;
}

/** Answers one kind of question; several replicas share the work. A question is not kept: its caller waits a short time. */
export function serveRequests<Q, A>(
  broker: Broker,
  request: RequestDefinition<Q, A>,
  answer: (question: Q) => Promise<A>,
): void {
  const { topology, log } = broker;
  const name = `questions ${request.name}`;
  let answers: Channel | undefined;

  broker.publishing.keepChannel(`answers to ${request.name}`, (channel) => {
    channel.once('close', () => {
      if (answers === channel) answers = undefined;
    });
    answers = channel;
    return Promise.resolve();
  });
  broker.keepChannel(name, async (channel, connection) => {
    await declare(connection);
    await channel.prefetch(REQUESTS_AT_ONCE);
    await channel.consume(topology.question(request.name), (message) => {
      if (!message) return void closeChannel(channel);
      const { headers } = message.properties;
      const context = newContext(headers?.['x-request-id'] as string, headers?.traceparent as string);
      void runInContext(context, () => respond(channel, message));
    });
  });

  async function declare(connection: ChannelModel): Promise<void> {
    await ensureQueues(connection, broker, [requestQueue(topology, request.name)]);
  }

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
      const properties = { correlationId, userId: broker.user, headers };
      // During an alarm the answer would wait in this process for longer than its caller does.
      if (!broker.publishing.isBlocked)
        answers?.publish(topology.answers, replyTo, Buffer.from(JSON.stringify(body)), properties);
      channel.ack(message);
    } catch (error) {
      log.debug({ err: error, request: request.name }, 'answer not sent');
    }
  }
}
