import { waitFor } from '@waymark/testing/wait-for';
import { Receiver, slowly } from './receiver.js';
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

test('a user with a backlog in ten workspaces leaves places to the endpoints of other users', async () => {
  const busy = await Stack.start({ WEBHOOK_IN_FLIGHT_MAX: '4' });
  const names = Array.from({ length: 10 }, (_, i) => `greedy-${i}`);
  const backlog = receiver.at('/backlog', slowly(200));
  for (const name of names) await busy.subscribe(backlog, name, ['link.created'], 'usr_greedy');
  for (const name of names) await busy.publish(linkEvent(name));
  const attempts = busy.database.collection<{ _id: string }>('attempts');
  const sent = async () => attempts.find({ status: 'succeeded' }).toArray();
  await waitFor('their first deliveries', async () => (await sent()).length === names.length);
  for (const attempt of await sent()) {
    const pending = { ...attempt, status: 'pending', dueAt: new Date(), createdAt: new Date() };
    await attempts.insertMany(Array.from({ length: 500 }, (_, i) => ({ ...pending, _id: `${attempt._id}-${i}` })));
  }
  const work = { $set: { dueAt: new Date() }, $inc: { wakeNo: 1 } };
  await busy.database.collection('endpoints').updateMany({ workspace: { $in: names } }, work);
  await waitFor('the backlog', () => receiver.on('/backlog').length > 3 * names.length);
  await busy.subscribe(receiver.at('/modest'), 'modest');
  await busy.publish(linkEvent('modest'));
  await waitFor('the delivery', () => receiver.on('/modest').length === 1);
  expect(await attempts.countDocuments({ status: 'pending' })).toBeGreaterThan(2500);
  await busy.stop();
});
