import { Webhook } from 'standardwebhooks';
import { waitFor } from '@waymark/testing/wait-for';
import { attemptId } from '@waymark/webhook/deliveries/attempt';
import { answering, Receiver } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

describe('a test', () => {
  test('is one signed webhook.test to this endpoint alone, subscribed or not', async () => {
    const { id, secret } = await stack.subscribe(receiver.at('/test'), 'tested', ['link.deleted']);
    await stack.subscribe(receiver.at('/bystander'), 'tested', ['link.created']);
    const answer = await stack.call('POST', `/webhooks/${id}/test`, undefined, 'tested');
    expect(answer.status).toBe(202);
    expect(answer.body.data).toMatchObject({
      event_type: 'webhook.test',
      attempt_number: 1,
      status: 'pending',
      delivery_id: expect.stringMatching(/^dlv_/),
      next_retry_at: null,
    });
    const [request] = await waitFor('the delivery', () => receiver.on('/test').length > 0 && receiver.on('/test'));
    expect(new Webhook(secret).verify(request!.text, request!.headers as Record<string, string>)).toEqual({
      id: answer.body.data.event_id,
      type: 'webhook.test',
      created_at: expect.stringMatching(/Z$/),
      workspace: 'tested',
      data: { webhook: { id, url: receiver.at('/test') } },
    });
    const [row] = await stack.ended(id, 'tested');
    expect(row).toMatchObject({ id: answer.body.data.id, status: 'succeeded', status_code: 200 });
    await stack.publish(linkEvent('tested'));
    await waitFor('the event', () => receiver.on('/bystander').length === 1);
    expect(receiver.on('/bystander')[0]!.body.type).toBe('link.created');
  });

  test.each([500, 410])('that fails with %i is tried once and counts for nothing', async (status) => {
    const workspace = `test-${status}`;
    const { id } = await stack.subscribe(receiver.at(`/${workspace}`, answering(status)), workspace);
    for (let i = 1; i <= 2; i += 1) {
      await stack.call('POST', `/webhooks/${id}/test`, undefined, workspace);
      const rows = await stack.ended(id, workspace, i);
      expect(rows[0]).toMatchObject({ status: 'failed', status_code: status, next_retry_at: null });
    }
    expect(await stack.endpoint(id, workspace)).toMatchObject({
      enabled: true,
      status: 'healthy',
      consecutive_failures: 0,
    });
    expect(receiver.on(`/${workspace}`)).toHaveLength(2);
  });

  test('that succeeds shows that a failing endpoint is well again', async () => {
    const { id } = await stack.subscribe(receiver.at('/well', answering(500, 500, 500, 200)), 'well');
    await stack.publish(linkEvent('well'));
    await stack.ended(id, 'well', 3);
    expect(await stack.endpoint(id, 'well')).toMatchObject({ status: 'failing', consecutive_failures: 3 });
    await stack.call('POST', `/webhooks/${id}/test`, undefined, 'well');
    await waitFor('health', async () => (await stack.endpoint(id, 'well')).status === 'healthy');
  });

  test('of another workspace answers 404, for others than administrators 403', async () => {
    const { id } = await stack.subscribe(receiver.at('/refused'), 'refused');
    const ask = (workspace: string, options = {}) =>
      stack.call('POST', `/webhooks/${id}/test`, undefined, workspace, options);
    expect((await ask('elsewhere')).status).toBe(404);
    expect((await ask('refused', { access: { role: 'editor' } })).status).toBe(403);
    expect((await ask('refused', { access: { abilities: ['read'] } })).status).toBe(403);
    expect(receiver.on('/refused')).toEqual([]);
  });

  test('reaches a disabled endpoint, which gets nothing else and stays disabled', async () => {
    const { id } = await stack.subscribe(receiver.at('/off', answering(500, 200)), 'off');
    await stack.call('PATCH', `/webhooks/${id}`, { enabled: false }, 'off');
    await stack.publish(linkEvent('off'));
    const ask = () => stack.call('POST', `/webhooks/${id}/test`, undefined, 'off');
    expect((await ask()).status).toBe(202);
    expect(await stack.ended(id, 'off')).toMatchObject([{ status: 'failed', status_code: 500, next_retry_at: null }]);
    expect((await ask()).status).toBe(202);
    await waitFor('the second test', async () => (await stack.attempts(id, 'off'))[0].status === 'succeeded');
    expect(receiver.on('/off').map(({ body }) => body.type)).toEqual(['webhook.test', 'webhook.test']);
    expect(await stack.endpoint(id, 'off')).toMatchObject({ enabled: false, status: 'disabled' });
  });

  test('comes next where a fast receiver has become slow', async () => {
    const patient = await Stack.start({}, { timeoutMs: 20_000 });
    let isSlow = false;
    const tiring = receiver.at('/tiring', (response) => {
      setTimeout(() => response.writeHead(200).end(), isSlow ? 2000 : 1);
    });
    const { id } = await patient.subscribe(tiring, 'tiring');
    for (let i = 0; i < 300; i += 1) {
      isSlow = receiver.on('/tiring').length > 60;
      await patient.publish(linkEvent('tiring'));
    }
    isSlow = true;
    const attempts = patient.database.collection('attempts');
    await waitFor('a backlog', async () => (await attempts.countDocuments({ status: 'pending' })) > 100);
    const seen = receiver.on('/tiring').length;
    await waitFor('slow answers', () => receiver.on('/tiring').length > seen + 10);
    const before = receiver.on('/tiring').length;
    const { body } = await patient.call('POST', `/webhooks/${id}/test`, undefined, 'tiring');
    const isTest = ({ id: eventId }: { id: string }) => eventId === body.data.event_id;
    await waitFor('the test', () => receiver.on('/tiring').some(isTest));
    expect(receiver.on('/tiring').findIndex(isTest) - before).toBeLessThan(15);
    await patient.stop();
  });

  test('overtakes everything that waits for an endpoint that hangs', async () => {
    const slow = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '0,0' }, { timeoutMs: 300 });
    const { id } = await slow.subscribe(
      receiver.at('/backlog', () => undefined),
      'backlog',
    );
    for (let i = 0; i < 60; i += 1) await slow.publish(linkEvent('backlog'));
    await waitFor('it to be dead', async () => (await slow.endpoint(id, 'backlog')).consecutive_failures >= 10);
    const before = receiver.on('/backlog').length;
    const { body } = await slow.call('POST', `/webhooks/${id}/test`, undefined, 'backlog');
    const isTest = ({ id: eventId }: { id: string }) => eventId === body.data.event_id;
    await waitFor('the test', () => receiver.on('/backlog').some(isTest));
    expect(receiver.on('/backlog').findIndex(isTest) - before).toBeLessThan(25);
    await slow.stop();
  });
});

describe('a retry by hand', () => {
  const retry = (id: string, deliveryId: string, workspace: string, options = {}) =>
    stack.call('POST', `/webhooks/${id}/deliveries/${deliveryId}/retry`, undefined, workspace, options);

  test('of a delivery that has used up its attempts adds one', async () => {
    const { id } = await stack.subscribe(receiver.at('/used', answering(500, 500, 500, 200)), 'used');
    await stack.publish(linkEvent('used'));
    const [last] = await stack.ended(id, 'used', 3);
    const answer = await retry(id, last.delivery_id, 'used');
    expect([answer.status, answer.body.data]).toMatchObject([202, { attempt_number: 4, status: 'pending' }]);
    const [row] = await stack.ended(id, 'used', 4);
    expect(row).toMatchObject({ id: answer.body.data.id, attempt_number: 4, status: 'succeeded' });
    expect(await stack.endpoint(id, 'used')).toMatchObject({ status: 'healthy', consecutive_failures: 0 });
    const requests = receiver.on('/used');
    expect(new Set(requests.map((request) => request.id + request.text)).size).toBe(1);
  });

  test('of a delivery whose next attempt is scheduled makes that attempt now, and the rest follows', async () => {
    const later = receiver.at('/expedite', (response, nth) => {
      if (nth === 0) response.writeHead(503, { 'retry-after': '3600' }).end();
      else response.writeHead(nth === 1 ? 500 : 200).end();
    });
    const { id } = await stack.subscribe(later, 'expedite');
    await stack.publish(linkEvent('expedite'));
    const [scheduled] = await waitFor('the retry', async () => {
      const rows = await stack.attempts(id, 'expedite');
      return rows.length === 2 && rows;
    });
    const answer = await retry(id, scheduled.delivery_id, 'expedite');
    expect([answer.status, answer.body.data.id]).toEqual([202, scheduled.id]);
    expect(Date.parse(answer.body.data.next_retry_at)).toBeLessThanOrEqual(Date.now());
    const rows = await stack.ended(id, 'expedite', 3);
    expect(rows.map((row) => [row.attempt_number, row.status_code])).toEqual([
      [3, 200],
      [2, 500],
      [1, 503],
    ]);
  });

  test('of a delivery that was given up by a pause sends it once it has its turn', async () => {
    let isDown = true;
    const stuck: (() => void)[] = [];
    const paused = receiver.at('/paused', (response) => {
      const answer = () => void response.writeHead(200).end();
      if (isDown) stuck.push(answer);
      else answer();
    });
    const patient = await Stack.start({}, { timeoutMs: 20_000, endpointConcurrency: 1 });
    const { id } = await patient.subscribe(paused, 'paused');
    for (let i = 0; i < 3; i += 1) await patient.publish(linkEvent('paused'));
    await waitFor('all', async () => stuck.length === 1 && (await patient.attempts(id, 'paused')).length === 3);
    for (const enabled of [false, true]) await patient.call('PATCH', `/webhooks/${id}`, { enabled }, 'paused');
    const [sent] = receiver.on('/paused');
    const waiting = (await patient.attempts(id, 'paused')).filter((row) => row.event_id !== sent!.id);
    const path = `/webhooks/${id}/deliveries/${waiting[0].delivery_id}/retry`;
    expect((await patient.call('POST', path, undefined, 'paused')).status).toBe(202);
    isDown = false;
    stuck[0]!();
    const rows = await patient.ended(id, 'paused', 3);
    const statusOf = (row: any) => rows.find(({ id: rowId }) => rowId === row.id).status;
    expect(waiting.map(statusOf)).toEqual(['succeeded', 'failed']);
    expect(receiver.on('/paused').map((request) => request.id)).toEqual([sent!.id, waiting[0].event_id]);
    await patient.stop();
  });

  test('of a delivery that succeeded sends it again, once for all who ask at the same time', async () => {
    const { id } = await stack.subscribe(receiver.at('/twice'), 'twice');
    await stack.publish(linkEvent('twice'));
    const [first] = await stack.ended(id, 'twice');
    await stack.call('PATCH', `/webhooks/${id}`, { url: receiver.at('/twice-slow', answering(200)) }, 'twice');
    const answers = await Promise.all([1, 2, 3, 4].map(() => retry(id, first.delivery_id, 'twice')));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    const rows = await stack.ended(id, 'twice', 2);
    expect(new Set(rows.map((row) => row.attempt_number)).size).toBe(rows.length);
    expect(receiver.on('/twice-slow')[0]!.id).toBe(first.event_id);
  });

  test('answers 404 for what is not of this endpoint and workspace', async () => {
    const { id } = await stack.subscribe(receiver.at('/mine'), 'mine');
    const other = await stack.subscribe(receiver.at('/beside'), 'mine');
    await stack.publish(linkEvent('mine'));
    const [row] = await stack.ended(id, 'mine');
    expect((await retry(id, row.delivery_id, 'yours')).status).toBe(404);
    expect((await retry(other.id, row.delivery_id, 'mine')).status).toBe(404);
    expect((await retry(id, 'dlv_nonsense', 'mine')).status).toBe(404);
    expect((await retry(id, row.delivery_id, 'mine', { access: { role: 'viewer' } })).status).toBe(403);
    expect(receiver.on('/mine')).toHaveLength(1);
  });

  test('reaches a disabled endpoint once, without further attempts when it fails', async () => {
    const { id } = await stack.subscribe(receiver.at('/once', answering(200, 500)), 'once');
    await stack.publish(linkEvent('once'));
    const [row] = await stack.ended(id, 'once');
    await stack.call('PATCH', `/webhooks/${id}`, { enabled: false }, 'once');
    expect((await retry(id, row.delivery_id, 'once')).status).toBe(202);
    const [last] = await stack.ended(id, 'once', 2);
    expect(last).toMatchObject({ attempt_number: 2, status: 'failed', status_code: 500, next_retry_at: null });
    expect(receiver.on('/once')).toHaveLength(2);
  });

  test('of a delivery that was tried 200 times answers 409', async () => {
    const { id } = await stack.subscribe(receiver.at('/often'), 'often');
    await stack.publish(linkEvent('often'));
    const [{ delivery_id: deliveryId }] = await stack.ended(id, 'often');
    const attempts = stack.database.collection<{ _id: string }>('attempts');
    const first = (await attempts.findOne({ _id: attemptId(deliveryId, 1) }))!;
    const rowOf = (number: number) => ({ ...first, _id: attemptId(deliveryId, number), number });
    await attempts.insertMany(Array.from({ length: 198 }, (_, i) => rowOf(i + 2)));
    const retry = () => stack.call('POST', `/webhooks/${id}/deliveries/${deliveryId}/retry`, undefined, 'often');
    expect((await retry()).body.data.attempt_number).toBe(200);
    await waitFor('the end', async () => (await stack.attempts(id, 'often'))[0].status === 'succeeded');
    expect((await retry()).status).toBe(409);
  });
});
