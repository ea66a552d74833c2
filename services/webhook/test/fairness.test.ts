import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

const HOST_MAX = 8;

let stack: Stack;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start({ WEBHOOK_HOST_CONCURRENCY: String(HOST_MAX), WEBHOOK_TIMEOUT_MS: '600000' });
});
afterAll(async () => {
  receiver.stop();
  await stack.stop();
});

test('a workspace whose 20 endpoints hang at one host gets half of its limit, and others there the rest', async () => {
  const held: (() => void)[] = [];
  const hanging = receiver.at('/hanging', (response) => {
    held.push(() => void response.writeHead(200).end());
  });
  for (let i = 0; i < 20; i += 1) await stack.subscribe(hanging, 'greedy', ['link.created']);
  for (let i = 0; i < 5; i += 1) await stack.publish(linkEvent('greedy'));
  await waitFor('its half', () => held.length === HOST_MAX / 2);
  await stack.subscribe(receiver.at('/calm'), 'calm');
  for (let i = 1; i <= 10; i += 1) {
    await stack.publish(linkEvent('calm'));
    await waitFor('the delivery', () => receiver.on('/calm').length === i);
  }
  expect(held).toHaveLength(HOST_MAX / 2);
  const release = setInterval(() => held.splice(0).forEach((answer) => answer()), 20);
  await waitFor('all of the others', () => receiver.on('/hanging').length === 100);
  clearInterval(release);
});
