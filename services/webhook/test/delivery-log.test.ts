import { observeWhileBlocked, whileCommandFails } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver } from './receiver.js';
import { linkEvent, loggedScan, scanEvent, Stack } from './stack.js';

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

describe('the filters of the delivery log', () => {
  let id: string;
  let linkId: string;
  let rows: any[];
  const list = async (query: string) => stack.call('GET', `/webhooks/${id}/deliveries?${query}`, undefined, 'filtered');
  const idsOf = async (query: string) => (await list(query)).body.data.map((row: any) => row.id);

  beforeAll(async () => {
    ({ id } = await stack.subscribe(receiver.at('/filtered', answering(200, 500, 200)), 'filtered'));
    const event = linkEvent('filtered');
    linkId = (event.data as any).link.id;
    await stack.publish(event);
    await stack.ended(id, 'filtered', 1);
    await stack.publish(scanEvent([loggedScan('filtered')]));
    rows = await stack.ended(id, 'filtered', 3);
  });

  test('find attempts by status, event type and link, and show the link', async () => {
    const [retried, failed, created] = rows;
    expect(rows.map((row) => row.link_id)).toEqual(['lnk_1', 'lnk_1', linkId]);
    expect(await idsOf('status=failed')).toEqual([failed.id]);
    expect(await idsOf('status=pending')).toEqual([]);
    const every = await idsOf('');
    for (const name of ['status', 'event_type', 'link_id']) expect(await idsOf(`${name}=all`)).toEqual(every);
    expect(await idsOf('event_type=link.created')).toEqual([created.id]);
    expect(await idsOf(`link_id=${linkId}`)).toEqual([created.id]);
    expect(await idsOf('link_id=lnk_1&status=succeeded')).toEqual([retried.id]);
    expect(await idsOf('link_id=lnk_none')).toEqual([]);
  });

  test('find attempts by the time they were scheduled, inclusive, and page them', async () => {
    const [retried, failed, created] = rows;
    expect(await idsOf(`from=${failed.created_at}`)).toEqual([retried.id, failed.id]);
    expect(await idsOf(`to=${failed.created_at}`)).toEqual([failed.id, created.id]);
    expect(await idsOf(`from=${new Date().toISOString().slice(0, 10)}`)).toHaveLength(3);
    expect(await idsOf('from=2099-01-01')).toEqual([]);
    const { body } = await list('event_type=scan.logged&per_page=1&page=2');
    expect(body.data.map((row: any) => row.id)).toEqual([failed.id]);
    expect(body.meta).toMatchObject({ total: 2, last_page: 2, truncated: false });
    expect(body.links.prev).toContain('event_type=scan.logged');
    const first = await list('per_page=2');
    const second = await list(`per_page=2&cursor=${first.body.meta.next_cursor}`);
    expect([...first.body.data, ...second.body.data].map((row: any) => row.id)).toEqual(rows.map(({ id }) => id));
    expect(second.body.meta).toMatchObject({ next_cursor: null, current_page: 2 });
  });

  test('that the database takes too long for answer 422 with what to do', async () => {
    const attempts = stack.database.collection('attempts');
    for (const command of ['find', 'aggregate']) {
      const failed = () => list('status=failed&link_id=lnk_1');
      const { status, body } = await whileCommandFails(attempts, { command, errorCode: 50 }, failed);
      expect([status, body.error.details]).toEqual([422, { narrow: [expect.stringContaining('fewer filters')] }]);
    }
    expect((await list('status=failed&link_id=lnk_1')).status).toBe(200);
  });

  test.each([
    ['status=lost', 'status', 'all, succeeded, failed or pending'],
    ['event_type=link.craeted', 'event_type', 'link.created'],
    ['from=yesterday', 'from', 'YYYY-MM-DD'],
    ['from=2026-02-02&to=2026-02-01', 'from', 'after the to'],
  ])('%s answers 422 on %s', async (query, field, words) => {
    const { status, body } = await list(query);
    expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
    expect(body.error.details[field][0]).toContain(words);
  });
});

describe('a delivery', () => {
  const show = (id: string, delivery: string, workspace: string, options = {}) =>
    stack.call('GET', `/webhooks/${id}/deliveries/${delivery}`, undefined, workspace, options);

  test('shows its payload, and the headers and the beginning of the response to each attempt', async () => {
    const url = receiver.at('/shown', (response, nth) => {
      response.writeHead(nth === 0 ? 500 : 200, {
        'content-type': 'text/plain',
        'set-cookie': 'sid=s3cret',
        'x-trace': 'abc',
        'x-long': 'L'.repeat(60),
      });
      response.end(nth === 0 ? `Out of order. ${'word '.repeat(400)}` : 'Thanks, the password is s3cret');
    });
    const { id } = await stack.subscribe(url, 'shown');
    const event = linkEvent('shown');
    await stack.publish(event);
    const [second, first] = await stack.ended(id, 'shown', 2);
    const { status, body } = await show(id, first.delivery_id, 'shown');
    expect([status, body.data]).toMatchObject([
      200,
      {
        id: first.delivery_id,
        event_id: event.id,
        event_type: 'link.created',
        link_id: (event.data as any).link.id,
        status: 'succeeded',
        payload: receiver.on('/shown')[0]!.body,
      },
    ]);
    const [last, before] = body.data.attempts;
    const { link_id: _, ...secondRow } = second;
    expect(last).toMatchObject({ ...secondRow, response: { body: 'Thanks, the password [redacted]' } });
    expect(last.response.is_truncated).toBe(false);
    expect(before).toMatchObject({ id: first.id, attempt_number: 1, status_code: 500 });
    expect(before.response.body).toMatch(/^Out of order\. word word/);
    expect(before.response.body.length).toBeLessThanOrEqual(1024);
    expect(before.response.is_truncated).toBe(true);
    expect(before.response.headers).toMatchObject({
      'content-type': 'text/plain',
      'set-cookie': '[redacted]',
      'x-trace': 'abc',
      'x-long': '[redacted]',
    });
    expect((await show(id, first.id, 'shown')).body).toEqual(body);
  });

  test('without a response shows none, and a pending one has its payload', async () => {
    const { id } = await stack.subscribe('http://127.0.0.1:65535/', 'unreachable');
    await stack.publish(linkEvent('unreachable'));
    const first = await stack.firstEnded(id, 'unreachable');
    const { body } = await show(id, first.delivery_id, 'unreachable');
    expect(body.data.payload).toMatchObject({ id: first.event_id, workspace: 'unreachable' });
    expect(body.data.attempts.at(-1)).toMatchObject({ id: first.id, response: null });
  });

  test('of another endpoint or workspace is 404, and needs the role of an administrator', async () => {
    const { id } = await stack.subscribe(receiver.at('/own'), 'own');
    const other = await stack.subscribe(receiver.at('/other'), 'own', ['domain.failed']);
    await stack.publish(linkEvent('own'));
    const [row] = await stack.ended(id, 'own');
    for (const delivery of [row.delivery_id, row.id]) {
      expect((await show(id, delivery, 'own')).status).toBe(200);
      expect((await show(id, delivery, 'foreign')).status).toBe(404);
      expect((await show(other.id, delivery, 'own')).status).toBe(404);
    }
    expect((await show(id, 'dlv_none', 'own')).status).toBe(404);
    expect((await show(id, row.id, 'own', { access: { role: 'editor' } })).status).toBe(403);
  });

  test('of a deleted endpoint leaves nothing behind', async () => {
    const { id } = await stack.subscribe(receiver.at('/gone'), 'gone');
    await stack.publish(linkEvent('gone'));
    const [row] = await stack.ended(id, 'gone');
    const responses = stack.database.collection<{ _id: string }>('attempt_responses');
    expect(await responses.findOne({ _id: row.id })).not.toBeNull();
    await stack.call('DELETE', `/webhooks/${id}`, undefined, 'gone');
    await waitFor('the deletion', async () => (await responses.findOne({ _id: row.id })) === null);
  });

  test('is retried by the id of one of its attempts, which leaves an entry in the audit log', async () => {
    const { id } = await stack.subscribe(receiver.at('/by-attempt'), 'by-attempt');
    await stack.publish(linkEvent('by-attempt'));
    const [row] = await stack.ended(id, 'by-attempt');
    const path = `/webhooks/${id}/deliveries/${row.id}/retry`;
    const { status, body } = await stack.call('POST', path, undefined, 'by-attempt');
    expect([status, body.data]).toMatchObject([202, { delivery_id: row.delivery_id, attempt_number: 2 }]);
    const [event] = await stack.emitted('webhook.delivery_retried', 'by-attempt');
    expect(event.audit).toEqual({
      target: { type: 'webhook', id, label: receiver.at('/by-attempt') },
      changes: { delivery: { from: null, to: row.delivery_id }, attempt_number: { from: null, to: 2 } },
    });
  });
});

test('a row of the QR deployment names its QR code', async () => {
  const qr = await Stack.start({ DEPLOYMENT: 'qr' });
  const { id } = await qr.subscribe(receiver.at('/qr'), 'qr', ['scan.logged']);
  await qr.publish(scanEvent([loggedScan('qr')]));
  const [row] = await qr.ended(id, 'qr');
  expect(row).toMatchObject({ qr_code_id: 'lnk_1' });
  expect(row).not.toHaveProperty('link_id');
  const find = async (query: string) =>
    (await qr.call('GET', `/webhooks/${id}/deliveries?${query}`, undefined, 'qr')).body;
  expect((await find('qr_code_id=lnk_1')).data).toEqual([row]);
  expect((await find('qr_code_id=qr_2')).data).toEqual([]);
  const { data } = (await qr.call('GET', `/webhooks/${id}/deliveries/${row.id}`, undefined, 'qr')).body;
  expect(data).toMatchObject({ qr_code_id: 'lnk_1', payload: { data: { scan: { qr_code_id: 'lnk_1' } } } });
  await qr.stop();
});

test('three lists of a workspace run at once, and further ones wait without delaying those of another workspace', async () => {
  const [greedy, other] = ['greedy', 'other'];
  const [{ id }, { id: otherId }] = [await stack.subscribe(receiver.at('/g'), greedy), await stack.subscribe(receiver.at('/o'), other)]; // prettier-ignore
  const attempts = stack.database.collection('attempts');
  const list = (endpointId: string, workspace: string) =>
    stack.call('GET', `/webhooks/${endpointId}/deliveries`, undefined, workspace);
  const block = { command: 'aggregate', times: 3 };
  const { early, modest, statuses } = await observeWhileBlocked(attempts, block, async () => {
    const statuses: number[] = [];
    const requests = Array.from({ length: 10 }, async () => statuses.push((await list(id, greedy)).status));
    // They have begun once this one is answered.
    await stack.call('GET', '/webhooks', undefined, greedy);
    const modest = (await list(otherId, other)).status;
    return { early: [...statuses], modest, statuses, rest: Promise.all(requests) };
  });
  // Seven of them are not held by the database.
  expect([modest, early]).toEqual([200, []]);
  // On a slow machine some wait for longer than they may.
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(statuses).toContain(200);
});
