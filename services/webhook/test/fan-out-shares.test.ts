import { waitFor } from '@waymark/testing/wait-for';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

const ENDPOINTS = 20;
const MESSAGES = 3;
const SCANS = 500;

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

test('an event does not wait for all deliveries of a burst of scans in another workspace', async () => {
  for (let i = 0; i < ENDPOINTS; i += 1) {
    await stack.subscribe(`https://hooks-${i}.example.com/`, 'busy', ['scan.logged']);
  }
  const { id } = await stack.subscribe('https://hooks.example.com/', 'beside');
  await stack.stopServices();
  for (let i = 0; i < MESSAGES; i += 1) {
    await stack.publish(scanEvent(Array.from({ length: SCANS }, () => loggedScan('busy'))));
  }
  await stack.publish(linkEvent('beside'));
  const attempts = stack.database.collection('attempts');
  const storedForBurst = () => attempts.countDocuments({ workspace: 'busy', number: 1 });
  const total = ENDPOINTS * MESSAGES * SCANS;

  await stack.addProcess();
  await waitFor('the delivery', async () => (await attempts.countDocuments({ endpointId: id })) > 0, 120_000);
  expect(await storedForBurst()).toBeLessThan(total / 2);
  await waitFor('the burst', async () => (await storedForBurst()) === total, 240_000);
});
