import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from './receiver.js';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

const HOST_MAX = 8;

let stack: Stack;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  const env = { WEBHOOK_HOST_CONCURRENCY: String(HOST_MAX), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' };
  stack = await Stack.start(env, { timeoutMs: 600_000 });
});
afterAll(async () => {
  receiver.stop();
  await stack.stop();
});

async function expectDeliveries(path: string, publish: () => Promise<void>): Promise<void> {
  for (let i = 1; i <= 10; i += 1) {
    await publish();
    await waitFor('the delivery', () => receiver.on(path).length === i);
  }
}

test('an endpoint that hangs delays no other endpoint of its workspace, nor of another', async () => {
  const hanging = receiver.hold('/hanging');
  await stack.subscribe(hanging.url, 'hanging', ['link.created']);
  await stack.subscribe(receiver.at('/same'), 'hanging', ['scan.logged']);
  await stack.subscribe(receiver.at('/other'), 'other');
  for (let i = 0; i < 3; i += 1) await stack.publish(linkEvent('hanging'));
  await waitFor('it to hang', () => receiver.on('/hanging').length === 1);
  await expectDeliveries('/same', () => stack.publish(scanEvent([loggedScan('hanging')])));
  await expectDeliveries('/other', () => stack.publish(linkEvent('other')));
  // Its other deliveries wait for its first answer.
  expect(receiver.on('/hanging')).toHaveLength(1);
  hanging.release();
  await waitFor('the rest', () => receiver.on('/hanging').length === 3);
});

test('a host that hangs receives no more than its limit, and delays no other host', async () => {
  const hanging = receiver.hold('/crowded');
  const url = hanging.url.replace('127.0.0.1', 'localhost');
  for (const workspace of ['crowd-1', 'crowd-2']) {
    for (let i = 0; i < HOST_MAX; i += 1) await stack.subscribe(url, workspace, ['link.created']);
    await stack.publish(linkEvent(workspace));
  }
  await stack.subscribe(receiver.at('/calm'), 'crowd-1', ['scan.logged']);
  await waitFor('its limit', () => receiver.on('/crowded').length === HOST_MAX);
  await expectDeliveries('/calm', () => stack.publish(scanEvent([loggedScan('crowd-1')])));
  expect(receiver.on('/crowded')).toHaveLength(HOST_MAX);
  hanging.release();
  await waitFor('those that waited', () => receiver.on('/crowded').length === 2 * HOST_MAX);
});
