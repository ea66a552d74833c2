import { newId } from '@waymark/contract/ids';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand, observeWhileBlocked } from '@waymark/testing/fail-command';
import { attemptModel } from '@waymark/webhook/deliveries/attempt-model';
import { AttemptStore } from '@waymark/webhook/deliveries/attempt-store';
import { LeaseStore } from '@waymark/webhook/dispatch/lease-store';
import { PendingCounter } from '@waymark/webhook/dispatch/pending-counter';
import { endpointModel, type Endpoint } from '@waymark/webhook/endpoints/endpoint';

const PENDING_MAX = 10;

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const uri = new URL(freshBacking().MONGODB_URI);
uri.searchParams.set('monitorCommands', 'true');
const db = new Database(uri.href, { log, lifecycle });
const endpoints = endpointModel(db);
const attempts = new AttemptStore(db);
const rows = attemptModel(db);
const leases = new LeaseStore(db, 60_000);
beforeAll(() => db.start());
afterEach(() => failCommand(rows.collection, 'off'));
afterAll(() => lifecycle.stop());

const newCounter = () => new PendingCounter({ config: { WEBHOOK_PENDING_MAX: PENDING_MAX }, log, attempts, leases });

/** Stores an endpoint whose count has reached the limit, and its pending attempts. */
async function storeEndpoint(_id: string, pending: number): Promise<Endpoint> {
  const counters = { wakeNo: 0, leaseNo: 1, leaseUntil: new Date(Date.now() + 60_000), revision: 1 };
  await endpoints.insertMany([{ _id, workspace: _id, enabled: true, pendingCount: PENDING_MAX, ...counters }]);
  const dueAt = new Date();
  const ids = Array.from({ length: pending }, (_, i) => `${_id}-${i}`);
  await rows.insertMany(ids.map((id) => ({ _id: id, endpointId: _id, status: 'pending', priority: 1, dueAt })));
  return (await endpoints.findById(_id).lean<Endpoint>())!;
}

const countOf = async (id: string) => (await endpoints.findById(id).lean<Endpoint>())!.pendingCount;

test('counts the attempts of one endpoint at a time', async () => {
  const counter = newCounter();
  const ids = ['one', 'two', 'three', 'four', 'five'];
  const stored = await Promise.all(ids.map((id) => storeEndpoint(id, 2)));
  // The first count takes far longer than the others would.
  const slow = { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: 3000 };
  await failCommand(rows.collection, { times: 1 }, slow);
  const ended: string[] = [];
  await Promise.all(stored.map((each) => counter.correctCount(each).then(() => ended.push(each._id))));
  expect(ended).toEqual(ids);
  expect(await Promise.all(ids.map(countOf))).toEqual([2, 2, 2, 2, 2]);
});

test('an endpoint at its limit rests after a count, also for its next worker', async () => {
  const counter = newCounter();
  const endpoint = await storeEndpoint('full', PENDING_MAX);
  await failCommand(
    rows.collection,
    { times: 1 },
    { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: 3000 },
  );
  expect(counter.isDue(endpoint)).toBe(true);
  const counted = counter.correctCount(endpoint);
  expect(counter.isDue(endpoint)).toBe(false);
  await counted;
  expect(counter.isDue({ ...endpoint, leaseNo: 2 })).toBe(false);
  // Others do not rest with it.
  expect(counter.isDue(await storeEndpoint('other', PENDING_MAX))).toBe(true);
});

test('an endpoint that keeps up is counted again as soon as it comes near the limit', async () => {
  const counter = newCounter();
  const endpoint = await storeEndpoint('steady', 2);
  await counter.correctCount(endpoint);
  expect(await countOf('steady')).toBe(2);
  expect(counter.isDue(endpoint)).toBe(true);
});

test('attempts that are added while an endpoint waits for its count are not counted twice', async () => {
  const counter = newCounter();
  const { id } = await observeWhileBlocked(rows.collection, { command: 'aggregate', times: 1 }, async () => {
    const [first, second] = [await storeEndpoint(newId('whk'), 1), await storeEndpoint(newId('whk'), 1)];
    const { _id: id } = second;
    const counted = [counter.correctCount(first), counter.correctCount(second)];
    await rows.insertMany([{ _id: `added-${id}`, endpointId: id, status: 'pending', priority: 1, dueAt: new Date() }]);
    await endpoints.updateOne({ _id: id }, { $inc: { pendingCount: 1 } });
    return { id, rest: Promise.all(counted) };
  });
  expect(await countOf(id)).toBe(2);
});

test('a count that fails leaves the count of the endpoint unchanged, and the endpoint rests', async () => {
  const counter = newCounter();
  const endpoint = await storeEndpoint('failing', 1);
  const expired = { errorCode: 50, blockConnection: true, blockTimeMS: 3000 };
  await failCommand(rows.collection, { times: 1 }, { failCommands: ['aggregate'], ...expired });
  await counter.correctCount(endpoint);
  expect([await countOf('failing'), counter.isDue(endpoint)]).toEqual([PENDING_MAX, false]);
});

test('the database ends a count that takes too long', async () => {
  const limits: unknown[] = [];
  const client = db.longRunning(rows).db.getClient();
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'aggregate') limits.push(command['maxTimeMS']);
  });
  await attempts.countPending('any', PENDING_MAX);
  expect(limits).toEqual([10_000]);
});
