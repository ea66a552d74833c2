import type { ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { envelope, type Event, type EventDefinition } from '@waymark/contract/event';
import type { Broker } from './connection.js';
import { producerProblem } from './producer.js';
import { UnprocessableMessage } from './message-errors.js';

/** A message delivered this often, and alone, without an acknowledgement crashes its consumers: an operator decides. */
const DELIVERIES_MAX = 50;
/** Issues of an invalid event in its reason: each of its elements may have some. */
const ISSUES_MAX = 10;

/** Counts the earlier deliveries without an acknowledgement; a lost connection counts, `nack` does not. */
export function deliveryCount(message: ConsumeMessage): number {
  return Number(message.properties.headers?.['x-delivery-count'] ?? 0);
}

/** Turns a message into the event that its definition describes. */
export class MessageParser<Data> {
  constructor(
    private readonly broker: Broker,
    private readonly events: readonly EventDefinition<Data>[],
  ) {}

  /** @throws UnprocessableMessage */
  parse(message: ConsumeMessage): Event<Data> {
    const deliveries = deliveryCount(message);
    if (deliveries >= DELIVERIES_MAX) throw new UnprocessableMessage(`delivered ${deliveries} times`);
    let json: unknown;
    try {
      json = JSON.parse(message.content.toString('utf8'));
    } catch {
      throw new UnprocessableMessage('not JSON');
    }
    const event = envelope.safeParse(json);
    if (!event.success) throw new UnprocessableMessage(`not an event: ${issuesOf(event.error)}`);
    const { type, version } = event.data;
    const problem = producerProblem(this.broker, message, type);
    if (problem) throw new UnprocessableMessage(problem);
    const definition = this.events.find((known) => known.type === type && known.version === version);
    if (!definition) throw new UnprocessableMessage(`unknown event ${type} version ${version}`);
    const data = definition.schema.safeParse(event.data.data);
    if (!data.success) throw new UnprocessableMessage(`bad ${type}: ${issuesOf(data.error)}`);
    return { ...event.data, data: data.data };
  }
}

const issuesOf = ({ issues }: z.ZodError): string => z.prettifyError(new z.ZodError(issues.slice(0, ISSUES_MAX)));
