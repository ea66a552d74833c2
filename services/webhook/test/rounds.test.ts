import mongoose from 'mongoose';
import { failCommand } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from './receiver.js';
import { Stack } from './stack.js';

/** FailedToSatisfyReadPreference: an outage, which the driver does not retry itself. */
const OUTAGE = 133;

let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const attempts = () => stack.database.collection<{ _id: string }>('attempts');
const rowsOf = (collection: string) => stack.database.collection<{ _id: string }>(collection);

/** Records the queries for the attempts of these endpoints, which run as always. */
function recordQueries(method: 'find' | 'countDocuments', endpointIds: string[]): () => string[] {
  const spy = jest.spyOn(mongoose.mongo.Collection.prototype, method);
  return () =>
    spy.mock.calls
      .filter((_, index) => spy.mock.contexts[index]!.collectionName === 'attempts')
      .map(([filter]) => (filter as { endpointId?: string } | undefined)?.endpointId ?? '')
      .filter((id) => endpointIds.includes(id));
}

/** Makes the next command of this kind on the attempts run into an outage. */
const failNext = (command: string) =>
  failCommand(stack.database.collection('attempts'), { times: 1 }, { failCommands: [command], errorCode: OUTAGE });

test('a round of purges that an outage ends continues behind the order that ran into it', async () => {
  const ids = ['whk_1', 'whk_2'];
  await attempts().insertMany(ids.map((endpointId) => ({ _id: `att_${endpointId}`, endpointId })));
  const queried = recordQueries('find', ids);
  await failNext('delete');
  await rowsOf('purge_orders').insertMany(ids.map((_id) => ({ _id, orderedAt: new Date(0) })));
  await waitFor('the end of both orders', async () => (await rowsOf('purge_orders').countDocuments()) === 0);
  expect(await attempts().countDocuments()).toBe(0);
  expect(queried().slice(0, 2)).toEqual(ids);
});

test('a round of replays that an outage ends continues behind the replay that ran into it', async () => {
  const ids: string[] = [];
  for (const workspace of ['one', 'two']) {
    const { id } = await stack.subscribe(receiver.at(`/${workspace}`), workspace);
    await stack.publishLink(workspace);
    await stack.ended(id, workspace);
    ids.push(id);
  }
  const queried = recordQueries('countDocuments', ids);
  await failNext('aggregate');
  const period = { from: new Date(0), to: new Date(), eventTypes: null, after: null };
  const replays = ids.map((_id, index) => ({ _id, workspace: ['one', 'two'][index], ...period }));
  await rowsOf('replays').insertMany(replays);
  await waitFor('the end of both replays', async () => (await rowsOf('replays').countDocuments()) === 0);
  expect(queried().slice(0, 2)).toEqual(ids);
  for (const [index, id] of ids.entries()) await stack.ended(id, ['one', 'two'][index]!, 2);
});
