import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from './receiver.js';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

const PENDING_MAX = 20;
const SCANS = 100;

let stack: Stack;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start({}, { pendingMax: PENDING_MAX, timeoutMs: 60_000 });
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const scans = (workspace: string, count: number) =>
  scanEvent(Array.from({ length: count }, () => loggedScan(workspace)));

test('beyond the limit of an endpoint new deliveries are dropped and counted, and its log says so', async () => {
  const held: (() => void)[] = [];
  let isHolding = true;
  const holding = receiver.at('/full', (response) => {
    const answer = () => void response.writeHead(200).end();
    if (isHolding) held.push(answer);
    else answer();
  });
  const { id } = await stack.subscribe(holding, 'full');
  await stack.publish(scans('full', SCANS));
  await stack.publish(scans('full', SCANS));
  const dropped = () => stack.findMetric('waymark_webhook_deliveries_dropped_total');
  await waitFor('the drop', async () => (await dropped()) === 2 * SCANS - PENDING_MAX);
  const rows = await waitFor('the notice', async () => {
    const found = await stack.attempts(id, 'full');
    return found.some(({ status }) => status === 'failed') && found;
  });
  expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(PENDING_MAX);
  const notices = rows.filter(({ status }) => status === 'failed');
  expect(notices).toHaveLength(1);
  const message = `Not sent: ${PENDING_MAX} deliveries to this endpoint are pending already.`;
  expect(notices[0]).toMatchObject({ attempted_at: null, error: { type: 'blocked', message } });

  // Other endpoints have limits of their own.
  await stack.subscribe(receiver.at('/empty'), 'empty');
  await stack.publish(scans('empty', PENDING_MAX));
  await waitFor('the other', () => receiver.on('/empty').length === PENDING_MAX);

  isHolding = false;
  for (const answer of held) answer();
  await waitFor('the backlog', () => receiver.on('/full').length === PENDING_MAX);
  await waitFor('room', async () => {
    const { pendingCount } = (await stack.database.collection('endpoints').findOne({ _id: id as never }))!;
    return pendingCount === 0;
  });
  await stack.publish(linkEvent('full'));
  await waitFor('the next', () => receiver.on('/full').length === PENDING_MAX + 1);
  const path = `/webhooks/${id}/deliveries/${notices[0].delivery_id}/retry`;
  expect((await stack.call('POST', path, undefined, 'full')).status).toBe(202);
  await waitFor('the dropped one', () => receiver.on('/full').some((request) => request.id === notices[0].event_id));
});

test('an endpoint that keeps up loses nothing, however many deliveries it gets', async () => {
  await stack.subscribe(receiver.at('/steady'), 'steady');
  for (let i = 1; i <= 3 * PENDING_MAX; i += 1) {
    await stack.publish(scans('steady', 2));
    await waitFor('the delivery', () => receiver.on('/steady').length === 2 * i);
  }
});
