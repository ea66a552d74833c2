import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { z } from 'zod';
import { defineEvent } from '@waymark/contract/event';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { Broker } from '@waymark/kernel/broker/connection';
import { startConsumer } from '@waymark/kernel/broker/consumer';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { waitFor } from '@waymark/testing/wait-for';

const log = createLog('test', 'silent');
const counted = defineEvent('test.counted', 1, z.object({ n: z.number() }));
/** Longer than the timeout of a confirm without an alarm. */
const ALARM_MS = 8000;

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ name: `alarm-${process.pid}`, fresh: true, env: {} });
});
afterAll(() => stack?.stop());

test('an alarm fails events at once, drops no connection, delivers nothing twice and lets consumers acknowledge', async () => {
  const lifecycle = new Lifecycle(log);
  const broker = new Broker({ url: stack.amqpUrl, namespace: 'alarm', name: 'test' }, { log, lifecycle });
  const publisher = openPublisher(broker);
  const seen: number[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  startConsumer(
    { broker, publisher, log, metrics: new Metrics('test'), lifecycle },
    {
      queue: 'test.work',
      events: [counted],
      handle: async (events) => {
        seen.push(...events.map(({ data }) => data.n));
        await released;
      },
    },
  );
  broker.start();
  await waitFor('the broker', () => publisher.isUp);
  const publish = (n: number) => {
    const event = counted.create({ workspace: 'acme' }, { n });
    return publisher.publish(event.type, event.id, JSON.stringify(event));
  };
  for (const n of [1, 2]) await publish(n);
  await waitFor('the first', () => seen.length === 1);

  await stack.broker!.ctl('set_vm_memory_high_watermark', '0.00001');
  // Sent before the broker reports the alarm: the caller must not wait for its end.
  await expect(publish(3)).rejects.toThrow('accepts no messages');
  expect(broker.publishing.isBlocked).toBe(true);
  await expect(publish(4)).rejects.toThrow('accepts no messages');
  release();
  await waitFor('the second', () => seen.length === 2);
  await sleep(ALARM_MS);
  expect(broker.isUp).toBe(true);
  const connection = await connect(stack.amqpUrl);
  const channel = await connection.createChannel();
  // Both are acknowledged: only the message published during the alarm can remain.
  await waitFor('the acknowledgements', async () => (await channel.checkQueue('alarm.test.work')).messageCount <= 1);
  await connection.close();

  await stack.broker!.ctl('set_vm_memory_high_watermark', '0.6');
  // The broker now reads the rest. A caller that publishes the event again brings a duplicate by the same id.
  await waitFor('the third', () => seen.length === 3);
  expect(seen).toEqual([1, 2, 3]);
  await lifecycle.stop();
});

test('the broker watches its disk', async () => {
  const alarms = (): Promise<string> => stack.broker!.ctl('eval', 'rabbit_alarm:get_alarms().');
  await stack.broker!.ctl('set_disk_free_limit', '1000000GB');
  await waitFor('the alarm', async () => (await alarms()).includes('disk'));
  await stack.broker!.ctl('set_disk_free_limit', '100MB');
  await waitFor('its end', async () => !(await alarms()).includes('disk'));
});
