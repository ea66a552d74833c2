import type { ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { defineEvent, type Event } from '@waymark/contract/event';
import { EVENTS } from '@waymark/contract/events';
import type { Broker } from '@waymark/kernel/broker/connection';
import { MessageParser } from '@waymark/kernel/broker/parse-message';

const broker = { user: undefined } as Broker;

/** Returns why the parser refuses an event. */
function reasonOf(event: Event): string {
  const content = Buffer.from(JSON.stringify(event));
  const definition = event.type === listed.type ? listed : EVENTS[event.type]!;
  try {
    new MessageParser(broker, [definition]).parse({ content, properties: { headers: {} } } as ConsumeMessage);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

const listed = defineEvent('test.listed', 1, z.object({ list: z.array(z.number()) }));

test('the reason of an invalid event has ten of its issues at most', () => {
  const reason = (length: number) => reasonOf(listed.create({ workspace: null }, { list: Array(length).fill('') }));
  expect(reason(3).match(/list\[\d+\]/g)).toEqual(['list[0]', 'list[1]', 'list[2]']);
  expect(reason(100_000).match(/list\[\d+\]/g)).toHaveLength(10);
});

test.each([
  ['scan.recorded', 'scans', 500],
  ['scan.logged', 'scans', 500],
  ['scan.reclassified', 'links', 1000],
  ['session.created', 'workspaces', 10_000],
  ['user.updated', 'workspaces', 10_000],
])('%s with more %s than %i is refused before its elements are parsed', (type, field, max) => {
  const definition = EVENTS[type]!;
  const reason = (length: number) =>
    reasonOf(definition.create({ workspace: null }, { [field]: Array(length).fill(1) } as never));
  expect(reason(max)).toContain(`${field}[0]`);
  expect(reason(max + 1)).toContain(`at most ${max} elements`);
  expect(reason(max + 1)).not.toContain(`${field}[0]`);
});
