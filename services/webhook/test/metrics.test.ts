import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;
const LATE_SECONDS = 100;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '600' });
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

test('the start delay counts from when the event happened, also while it waited for this service', async () => {
  await stack.subscribe(receiver.at('/late'), 'late');
  const occurred_at = new Date(Date.now() - LATE_SECONDS * 1000).toISOString();
  await stack.publish({ ...linkEvent('late'), occurred_at });
  await waitFor('the delivery', () => receiver.on('/late').length === 1);
  const sum = await stack.findMetric('waymark_webhook_start_delay_seconds_sum');
  expect(sum).toBeGreaterThanOrEqual(LATE_SECONDS);
});

test('pending attempts of a failing endpoint do not count as late', async () => {
  const { id } = await stack.subscribe(receiver.at('/broken', answering(500)), 'broken');
  for (let i = 0; i < 40; i += 1) await stack.publish(linkEvent('broken'));
  const isDead = async () => (await stack.endpoint(id, 'broken')).consecutive_failures >= 10;
  await waitFor('it to be dead', isDead);
  const old = { endpointId: id, status: 'pending', dueAt: { $lt: new Date(Date.now() + 1000) } };
  const createdBefore = Date.now();
  await waitFor('its backlog to be old', () => Date.now() - createdBefore > 3000);
  expect(await stack.database.collection('attempts').countDocuments(old)).toBeGreaterThan(0);
  expect(await stack.findMetric('waymark_webhook_oldest_due_seconds')).toBeLessThan(2);
});
