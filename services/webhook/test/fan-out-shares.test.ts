import { waitFor } from '@waymark/testing/wait-for';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

const ENDPOINTS = 20;
const MESSAGES = 3;
const SCANS = 500;
const WORKSPACES = 15;

let stack: Stack;
beforeEach(async () => {
  stack = await Stack.start();
});
afterEach(() => stack.stop());

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

test('an event does not wait for all deliveries of a burst in many workspaces whose endpoints one user created', async () => {
  const greedy = Array.from({ length: WORKSPACES }, (_, i) => `greedy-${i}`);
  for (const workspace of greedy) {
    for (let i = 0; i < ENDPOINTS; i += 1) {
      await stack.subscribe(`https://hooks-${i}.example.com/`, workspace, ['scan.logged'], 'usr_greedy');
    }
  }
  const { id } = await stack.subscribe('https://hooks.example.com/', 'modest');
  await stack.stopServices();
  // Of each workspace 2,000 deliveries.
  for (let i = 0; i < MESSAGES; i += 1) {
    const scans = Array.from({ length: SCANS }, (_, scan) => loggedScan(greedy[scan % WORKSPACES]!));
    await stack.publish(scanEvent(scans));
  }
  await stack.publish(linkEvent('modest'));
  const attempts = stack.database.collection('attempts');
  const storedForBurst = () => attempts.countDocuments({ workspace: { $in: greedy }, number: 1 });
  const total = ENDPOINTS * MESSAGES * SCANS;

  await stack.addProcess();
  await waitFor('the delivery', async () => (await attempts.countDocuments({ endpointId: id })) > 0, 120_000);
  expect(await storedForBurst()).toBeLessThan(total / 2);
  await waitFor('the burst', async () => (await storedForBurst()) === total, 240_000);
});
