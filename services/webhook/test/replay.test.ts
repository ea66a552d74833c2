import { observeWhileBlocked, whileCommandFails } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';
import { attemptId } from '@waymark/webhook/deliveries/attempt';
import { periodsOf, REPLAY_ORDER, type Replay } from '@waymark/webhook/deliveries/replay-store';
import { answering, Receiver } from './receiver.js';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;
const EVER = { from: '2020-01-01', to: '2099-12-31' };

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const replay = (id: string, workspace: string, body: object = EVER, options = {}) =>
  stack.call('POST', `/webhooks/${id}/replay`, body, workspace, options);
const isDone = (on = stack) =>
  waitFor('the replay', async () => (await on.database.collection('replays').countDocuments()) === 0);

/** Copies of the endpoint's first attempt, each with an event of its own. */
async function addDeliveries(on: Stack, id: string, count: number): Promise<void> {
  const attempts = on.database.collection<{ _id: string }>('attempts');
  const first = (await attempts.findOne({ endpointId: id, number: 1 }))!;
  const rows = Array.from({ length: count }, (_, i) => {
    const deliveryId = `dlv_${String(i).padStart(26, '0')}`;
    return { ...first, _id: attemptId(deliveryId, 1), deliveryId, eventId: `evt_${i}` };
  });
  await attempts.insertMany(rows);
}

test('sends the deliveries of a period again, of the requested event types, and adds an audit entry', async () => {
  const { id } = await stack.subscribe(receiver.at('/again', answering(200)), 'again');
  const from = new Date().toISOString();
  for (let i = 0; i < 3; i += 1) await stack.publish(linkEvent('again'));
  await stack.publish(scanEvent([loggedScan('again')]));
  await stack.ended(id, 'again', 4);
  await stack.call('POST', `/webhooks/${id}/test`, undefined, 'again');
  await stack.ended(id, 'again', 5);
  const { status, body } = await replay(id, 'again', { ...EVER, event_types: ['link.created'] });
  expect([status, body.data]).toMatchObject([202, { deliveries: 3, event_types: ['link.created'] }]);
  await isDone();
  const rows = await stack.ended(id, 'again', 8);
  expect(rows.filter((row) => row.attempt_number === 2).map((row) => row.event_type)).toEqual(
    Array(3).fill('link.created'),
  );
  const all = await replay(id, 'again', { from, to: '2099-12-31' });
  expect(all.body.data).toMatchObject({ deliveries: 4, from, event_types: null });
  expect((await replay(id, 'again', { from: '2020-01-01', to: '2020-12-31' })).body.data.deliveries).toBe(0);
  await isDone();
  await stack.ended(id, 'again', 12);
  expect(receiver.on('/again')).toHaveLength(12);
  const entries = await stack.emitted('webhook.replayed', 'again');
  expect(entries.map(({ audit }) => audit.changes.replay.to.deliveries)).toEqual([3, 4]);
});

test('brings a delivery forward that is to be retried later', async () => {
  const patient = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '3600' });
  const { id } = await patient.subscribe(receiver.at('/later', answering(500, 200)), 'later');
  await patient.publish(linkEvent('later'));
  await patient.firstEnded(id, 'later');
  expect((await patient.call('POST', `/webhooks/${id}/replay`, EVER, 'later')).body.data.deliveries).toBe(1);
  const [row] = await patient.ended(id, 'later', 2);
  expect(row).toMatchObject({ attempt_number: 2, status: 'succeeded' });
  await isDone(patient);
  await patient.stop();
});

test('sends each of very many exactly once, also when processes end in between', async () => {
  // A delivery that times out on a busy machine would be sent again.
  const patient = { timeoutMs: 60_000 };
  const many = await Stack.start({}, patient);
  const { id } = await many.subscribe(receiver.at('/many'), 'many');
  await many.publish(linkEvent('many'));
  await many.ended(id, 'many', 1);
  await addDeliveries(many, id, 600);
  expect((await many.call('POST', `/webhooks/${id}/replay`, EVER, 'many')).body.data.deliveries).toBe(601);
  const second = await many.call('POST', `/webhooks/${id}/replay`, EVER, 'many');
  expect([second.status, second.headers.get('retry-after')]).toEqual([409, '10']);
  for (let i = 0; i < 2; i += 1) {
    const before = receiver.on('/many').length;
    await waitFor('some of them', () => receiver.on('/many').length > before + 50);
    await many.restart({}, patient);
  }
  await isDone(many);
  const attempts = many.database.collection('attempts');
  await waitFor('all of them', async () => (await attempts.countDocuments({ number: 2, status: 'succeeded' })) === 601);
  expect(await attempts.countDocuments({})).toBe(2 * 601);
  await many.stop();
});

test('of more than 10,000 deliveries answers 422 with what to do', async () => {
  const { id } = await stack.subscribe(receiver.at('/cap'), 'cap');
  await stack.publish(linkEvent('cap'));
  await stack.ended(id, 'cap', 1);
  await addDeliveries(stack, id, 10_000);
  const { status, body } = await replay(id, 'cap');
  expect([status, body.error.details.from[0]]).toEqual([422, expect.stringContaining('shorter time')]);
  expect(await stack.emitted('webhook.replayed', 'cap')).toEqual([]);
});

test('of a hanging endpoint schedules no more than 500 at a time, and another replay ends meanwhile', async () => {
  const busy = await Stack.start({}, { timeoutMs: 60_000 });
  const hanging = await busy.subscribe(
    receiver.at('/hanging', () => undefined),
    'hanging',
  );
  const prompt = await busy.subscribe(receiver.at('/prompt'), 'prompt');
  for (const workspace of ['hanging', 'prompt']) await busy.publish(linkEvent(workspace));
  await busy.ended(prompt.id, 'prompt', 1);
  await waitFor('the first request', () => receiver.on('/hanging').length > 0);
  const attempts = busy.database.collection('attempts');
  await addDeliveries(busy, hanging.id, 800);
  await attempts.updateMany({ endpointId: hanging.id }, { $set: { status: 'failed' } });
  expect((await busy.call('POST', `/webhooks/${hanging.id}/replay`, EVER, 'hanging')).body.data.deliveries).toBe(801);
  expect((await busy.call('POST', `/webhooks/${prompt.id}/replay`, EVER, 'prompt')).body.data.deliveries).toBe(1);
  await busy.ended(prompt.id, 'prompt', 2);
  const pending = () => attempts.countDocuments({ endpointId: hanging.id, status: 'pending' });
  await waitFor('the limit', async () => (await pending()) >= 500);
  expect(await pending()).toBeLessThan(560);
  await busy.call('DELETE', `/webhooks/${hanging.id}`, undefined, 'hanging');
  await isDone(busy);
  receiver.dropConnections();
  await busy.stop();
});

test('reads no deliveries of other event types, times and attempts, and sorts none that it does not send', async () => {
  const { id } = await stack.subscribe(receiver.at('/planned'), 'planned');
  await stack.publish(linkEvent('planned'));
  await stack.ended(id, 'planned', 1);
  const attempts = stack.database.collection<{ _id: string }>('attempts');
  const first = (await attempts.findOne({ endpointId: id }))!;
  const hourMs = 3_600_000;
  const startAt = Date.UTC(2026, 0, 1);
  // One delivery of each event type in turn, of which 60 match; retries of each have other numbers.
  const types = ['link.created', ...Array.from({ length: 19 }, () => 'scan.logged')];
  const rows = Array.from({ length: 4800 }, (_, i) => {
    const happenedAt = new Date(startAt + Math.floor(i / 40) * hourMs);
    return { ...first, _id: `att_${i}`, eventType: types[i % 20], happenedAt, number: i % 40 < 20 ? 1 : 2 };
  });
  await attempts.insertMany(rows);
  const half = new Date(startAt + 60 * hourMs - 1);
  const order: Replay = {
    _id: id,
    workspace: 'planned',
    from: new Date(startAt),
    to: half,
    eventTypes: ['link.created'],
    after: null,
  };
  const examined = async (replay: Replay, limit: number) => {
    let [returned, read] = [0, 0];
    for (const period of periodsOf(replay)) {
      const query = attempts
        .find(period as object)
        .sort(REPLAY_ORDER)
        .limit(limit);
      const { executionStats } = (await query.explain('executionStats')) as { executionStats: Record<string, number> };
      returned += executionStats['nReturned']!;
      read += executionStats['totalDocsExamined']!;
    }
    return { returned, read };
  };
  expect(await examined(order, 10_001)).toEqual({ returned: 60, read: 60 });
  const reached = { happenedAt: new Date(startAt + 29 * hourMs), id: `att_${29 * 40}` };
  expect(await examined({ ...order, after: reached }, 50)).toEqual({ returned: 30, read: 30 });
  const named = await examined({ ...order, eventTypes: ['link.created', 'link.updated'] }, 10_001);
  expect(named).toEqual({ returned: 60, read: 60 });
  // Of every type: the log of the endpoint has as many attempts again, which are no first ones.
  expect(await examined({ ...order, eventTypes: null }, 10_001)).toEqual({ returned: 1200, read: 1200 });
});

test('whose deliveries take too long to count answers 422 with what to do', async () => {
  const { id } = await stack.subscribe(receiver.at('/long'), 'long');
  const attempts = stack.database.collection('attempts');
  const failure = { command: 'aggregate', errorCode: 50 };
  const { status, body } = await whileCommandFails(attempts, failure, () => replay(id, 'long'));
  expect([status, body.error.details.from[0]]).toEqual([422, expect.stringContaining('too long to count')]);
  expect((await replay(id, 'long')).status).toBe(202);
});

test('is refused for others than administrators, elsewhere, and for a wrong range', async () => {
  const { id } = await stack.subscribe(receiver.at('/rights'), 'rights');
  expect((await replay(id, 'elsewhere')).status).toBe(404);
  expect((await replay(id, 'rights', EVER, { access: { role: 'editor' } })).status).toBe(403);
  expect((await replay(id, 'rights', EVER, { access: { abilities: ['read'] } })).status).toBe(403);
  const problems = async (body: object) => (await replay(id, 'rights', body)).body.error.details;
  expect(Object.keys(await problems({}))).toEqual(['from', 'to']);
  expect(Object.keys(await problems({ from: '2026-02-02', to: '2026-02-01' }))).toEqual(['from']);
  expect((await problems({ ...EVER, event_types: ['link.craeted'] })).event_types[0]).toContain('link.created');
});

test('reaches an endpoint that was disabled before', async () => {
  const { id } = await stack.subscribe(receiver.at('/resting'), 'resting');
  await stack.publish(linkEvent('resting'));
  await stack.ended(id, 'resting');
  await stack.call('PATCH', `/webhooks/${id}`, { enabled: false }, 'resting');
  expect((await replay(id, 'resting')).body.data.deliveries).toBe(1);
  await waitFor('the delivery', () => receiver.on('/resting').length === 2);
  expect(receiver.on('/resting')[1]!.id).toBe(receiver.on('/resting')[0]!.id);
});

test('the replays of a workspace have their deliveries counted one after the other, and delay no others', async () => {
  const attempts = stack.database.collection('attempts');
  const subscribed = async (workspace: string) =>
    (await stack.subscribe(receiver.at('/counted'), workspace, ['link.created'])).id;
  const { answered } = await observeWhileBlocked(attempts, { command: 'aggregate', times: 1 }, async () => {
    const answered: string[] = [];
    const count = async (id: string, workspace: string) => {
      const { status } = await replay(id, workspace, { from: '2020-01-01', to: '2020-12-31' });
      answered.push(`${workspace} ${status}`);
    };
    const counts: Promise<void>[] = [];
    for (const workspace of ['greedy', 'greedy', 'modest']) {
      counts.push(count(await subscribed(workspace), workspace));
      // The request before has begun once this one is answered.
      await stack.call('GET', '/webhooks', undefined, workspace);
    }
    await counts.at(-1);
    return { answered, rest: Promise.all(counts) };
  });
  expect(answered).toEqual(['modest 202', 'greedy 202', 'greedy 202']);
});
