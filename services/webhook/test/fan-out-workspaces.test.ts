import mongoose from 'mongoose';
import { waitFor } from '@waymark/testing/wait-for';
import { loggedScan, scanEvent, Stack } from './stack.js';

const WORKSPACES = 250;
const WORKSPACES_AT_ONCE_MAX = 100;

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(async () => {
  jest.restoreAllMocks();
  await stack.stop();
});

test('the endpoints of few workspaces are read at a time, and every workspace gets its delivery', async () => {
  const workspaces = Array.from({ length: WORKSPACES }, (_, index) => `space-${index}`);
  const last = workspaces.at(-1)!;
  const { id } = await stack.subscribe('https://hooks.example.com/', last);
  const find = jest.spyOn(mongoose.mongo.Collection.prototype, 'find');
  await stack.publish(scanEvent(workspaces.map((workspace) => loggedScan(workspace))));
  const attempts = stack.database.collection('attempts');
  await waitFor('the delivery', async () => (await attempts.countDocuments({ endpointId: id })) === 1);
  const read = find.mock.calls
    .map(([filter]) => (filter as { workspace?: { $in?: string[] } } | undefined)?.workspace?.$in)
    .filter((slugs) => slugs?.includes('space-0') || slugs?.includes(last));
  expect(read).toHaveLength(2);
  for (const slugs of read) expect(slugs!.length).toBeLessThanOrEqual(WORKSPACES_AT_ONCE_MAX);
});
