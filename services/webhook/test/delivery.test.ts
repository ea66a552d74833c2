import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver, slowly } from './receiver.js';
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

describe('a delivered event', () => {
  test('is accepted by the published Standard Webhooks library and carries the public fields of a link', async () => {
    const { id, secret } = await stack.subscribe(receiver.at('/ok'), 'ok');
    const event = linkEvent('ok');
    await stack.publish(event);
    const [request] = await waitFor('the delivery', () => receiver.on('/ok').length > 0 && receiver.on('/ok'));

    const headers = request!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(request!.text, headers)).toEqual(request!.body);
    expect(() => new Webhook(secret).verify(`${request!.text} `, headers)).toThrow();
    expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    const { link } = event.data as { link: Record<string, unknown> };
    const { revision, hostname, ...publicFields } = link;
    expect([revision, hostname]).toBeDefined();
    expect(request!.body).toEqual({
      id: event.id,
      type: 'link.created',
      created_at: event.occurred_at,
      workspace: 'ok',
      data: { link: { ...publicFields, short_url_unicode: null, updated_at: event.occurred_at }, changes: {} },
    });
    const [row] = await waitFor('the row', async () => {
      const rows = await stack.attempts(id, 'ok');
      return rows[0]?.status === 'succeeded' && rows;
    });
    expect(row).toEqual({
      id: expect.stringMatching(/^att_/),
      delivery_id: expect.stringMatching(/^dlv_/),
      event_id: event.id,
      link_id: link['id'],
      created_at: expect.stringMatching(/Z$/),
      event_type: 'link.created',
      attempt_number: 1,
      status: 'succeeded',
      status_code: 200,
      error: null,
      duration_ms: expect.any(Number),
      attempted_at: expect.stringMatching(/Z$/),
      next_retry_at: null,
    });
  });

  test('of a batch of scans is one for each scan of the workspace, with the id of the scan', async () => {
    await stack.subscribe(receiver.at('/scans'), 'scans');
    const scans = [loggedScan('scans'), loggedScan('nobody'), loggedScan('scans')];
    await stack.publish(scanEvent(scans));
    const requests = await waitFor('both', () => receiver.on('/scans').length === 2 && receiver.on('/scans'));
    const sent = scans.filter(({ workspace }) => workspace === 'scans');
    expect(requests.map(({ id }) => id).sort()).toEqual(sent.map(({ scan }) => scan.id.replace('scn_', 'evt_')).sort());
    const { scan, link } = sent[0]!;
    expect(requests.map(({ body }) => body.data)).toContainEqual({ scan, link });
  });

  test('that arrives a second time, alone or in another batch, is not delivered again', async () => {
    const { id } = await stack.subscribe(receiver.at('/again'), 'again');
    const scan = loggedScan('again');
    const event = scanEvent([scan]);
    await stack.publish(event);
    await stack.publish(event);
    await stack.publish(scanEvent([scan, loggedScan('again')]));
    await waitFor('both scans', () => receiver.on('/again').length === 2);
    await stack.publish(scanEvent([scan]));
    const last = loggedScan('again');
    await stack.publish(scanEvent([last]));
    await waitFor('the third', () =>
      receiver.on('/again').some((request) => request.id.endsWith(last.scan.id.slice(4))),
    );
    expect(receiver.on('/again')).toHaveLength(3);
    expect(await stack.attempts(id, 'again')).toHaveLength(3);
  });

  test('reaches only endpoints of its workspace that are enabled and subscribed', async () => {
    await stack.subscribe(receiver.at('/subscribed'), 'mine');
    await stack.subscribe(receiver.at('/other-type'), 'mine', ['link.deleted']);
    await stack.subscribe(receiver.at('/other-workspace'), 'yours');
    const body = { url: receiver.at('/off'), event_types: ['link.created'], enabled: false };
    await stack.call('POST', '/webhooks', body, 'mine');
    await stack.publish(linkEvent('mine'));
    await waitFor('the delivery', () => receiver.on('/subscribed').length === 1);
    await stack.publish(linkEvent('mine'));
    await waitFor('the next', () => receiver.on('/subscribed').length === 2);
    expect([...receiver.on('/other-type'), ...receiver.on('/other-workspace'), ...receiver.on('/off')]).toEqual([]);
  });
});

describe('a failed attempt', () => {
  test('is followed by the next with the same id and body until one succeeds, a row for each', async () => {
    const { id, secret } = await stack.subscribe(receiver.at('/flaky', answering(500, 503, 204)), 'flaky');
    await stack.publish(linkEvent('flaky'));
    const rows = await waitFor('three rows', async () => {
      const found = await stack.attempts(id, 'flaky');
      return found.length === 3 && found[0].status === 'succeeded' && found;
    });
    const requests = receiver.on('/flaky');
    expect(new Set(requests.map((request) => request.id)).size).toBe(1);
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
    for (const { text, headers } of requests) new Webhook(secret).verify(text, headers as Record<string, string>);
    expect(rows.map((row) => [row.attempt_number, row.status, row.status_code])).toEqual([
      [3, 'succeeded', 204],
      [2, 'failed', 503],
      [1, 'failed', 500],
    ]);
    expect(rows[2].error).toEqual({ type: 'http_error', message: 'The endpoint answered 500.' });
    expect(Date.parse(rows[2].next_retry_at)).toBeGreaterThan(Date.parse(rows[2].attempted_at));
    expect(requests[1]!.at - requests[0]!.at).toBeGreaterThanOrEqual(80);
    expect(await stack.endpoint(id, 'flaky')).toMatchObject({ status: 'healthy', consecutive_failures: 0 });
  });

  test('that was the last one leaves the endpoint failing and nothing scheduled', async () => {
    const { id } = await stack.subscribe(receiver.at('/down', answering(500)), 'down');
    await stack.publish(linkEvent('down'));
    await waitFor('the last attempt', async () => (await stack.attempts(id, 'down'))[0]?.attempt_number === 3);
    const rows = await waitFor('its end', async () => {
      const found = await stack.attempts(id, 'down');
      return found[0].status === 'failed' && found;
    });
    expect(rows).toHaveLength(3);
    expect(rows[0].next_retry_at).toBeNull();
    expect(await stack.endpoint(id, 'down')).toMatchObject({ status: 'failing', consecutive_failures: 3 });
  });

  test('with a retry ahead shows it as pending', async () => {
    const { id } = await stack.subscribe(receiver.at('/later', retryAfter(503, '3600')), 'later');
    await stack.publish(linkEvent('later'));
    const [pending, failed] = await waitFor('the rows', async () => {
      const rows = await stack.attempts(id, 'later');
      return rows.length === 2 && rows;
    });
    expect(pending).toMatchObject({ attempt_number: 2, status: 'pending', status_code: null, attempted_at: null });
    expect(pending.next_retry_at).toBe(failed.next_retry_at);
    expect(failed).toMatchObject({ attempt_number: 1, status: 'failed', status_code: 503 });
  });

  test.each([
    ['seconds', () => '3600', 3600],
    ['more than a day', () => '999999999', 86_400],
    ['a date', () => new Date(Date.now() + 7_200_000).toUTCString(), 7200],
  ])('whose Retry-After names %s waits that long, a day at most', async (name, header, seconds) => {
    const workspace = `retry-after-${name.replaceAll(' ', '-')}`;
    const { id } = await stack.subscribe(receiver.at(`/${workspace}`, retryAfter(429, header())), workspace);
    await stack.publish(linkEvent(workspace));
    const row = await waitFor('the failure', async () =>
      (await stack.attempts(id, workspace)).find(({ status }) => status === 'failed'),
    );
    const waitsMs = Date.parse(row.next_retry_at) - Date.parse(row.attempted_at);
    // A date has whole seconds, and the attempt itself takes time.
    expect(waitsMs).toBeGreaterThan((seconds - 2) * 1000);
    expect(waitsMs).toBeLessThan((seconds + 600) * 1000);
  });

  test('with 500 is retried as scheduled, for any Retry-After', async () => {
    const { id } = await stack.subscribe(receiver.at('/impatient', retryAfter(500, '3600')), 'impatient');
    await stack.publish(linkEvent('impatient'));
    const rows = await stack.ended(id, 'impatient', 3);
    expect(rows.map((row) => row.attempt_number)).toEqual([3, 2, 1]);
  });

  test('and all others are listed in pages, the newest first', async () => {
    const { id } = await stack.subscribe(receiver.at('/paged', answering(500)), 'paged');
    await stack.publish(linkEvent('paged'));
    await stack.ended(id, 'paged', 3);
    const page = async (number: number) => {
      const path = `/webhooks/${id}/deliveries?per_page=2&page=${number}`;
      const { body } = await stack.call('GET', path, undefined, 'paged');
      return [body.meta.total, body.meta.last_page, body.data.map((row: any) => row.attempt_number)];
    };
    expect([await page(1), await page(2), await page(3)]).toEqual([
      [3, 2, [3, 2]],
      [3, 2, [1]],
      [3, 2, []],
    ]);
  });

  test('that was a redirect is not followed', async () => {
    const target = receiver.at('/redirected');
    const behaviour = redirect(target);
    const { id } = await stack.subscribe(receiver.at('/redirect', behaviour), 'redirect');
    await stack.publish(linkEvent('redirect'));
    const row = await waitFor('the failure', async () =>
      (await stack.attempts(id, 'redirect')).find(({ status }) => status === 'failed'),
    );
    expect(row).toMatchObject({ status_code: 302, error: { type: 'http_error' } });
    expect(receiver.on('/redirected')).toEqual([]);
  });

  test.each([
    ['timeout', 'a receiver that never answers', () => receiver.at('/hang', () => undefined)],
    ['connection', 'a closed port', () => 'http://127.0.0.1:65535/'],
    ['connection', 'a receiver that breaks off', () => receiver.at('/reset', (response) => void response.destroy())],
    ['tls', 'a receiver without TLS', () => `https://127.0.0.1:${receiver.port}/`],
    ['dns', 'a name that is not resolved', () => 'http://hooks.example.invalid/'],
  ])('has the error type %s for %s', async (type, what, url) => {
    const workspace = what.replaceAll(' ', '-').toLowerCase();
    const { id } = await stack.subscribe(url(), workspace);
    await stack.publish(linkEvent(workspace));
    const row = await stack.firstEnded(id, workspace);
    expect(row).toMatchObject({ status: 'failed', status_code: null, error: { type } });
    expect(row.duration_ms).toBeLessThan(15_000);
  });
});

describe('an endpoint that has given up', () => {
  test('with 410 is disabled, audited, gets nothing more, and the other endpoints of its workspace learn of it', async () => {
    const types = ['link.created', 'webhook.disabled'];
    const url = receiver.at('/gone', answering(500, 410));
    const { id } = await stack.subscribe(url, 'gone', types);
    await stack.subscribe(receiver.at('/watches'), 'gone', ['webhook.disabled']);
    await stack.subscribe(receiver.at('/elsewhere'), 'not-gone', ['webhook.disabled']);
    await stack.publish(linkEvent('gone'));
    await waitFor('the end', async () => (await stack.endpoint(id, 'gone')).status === 'disabled');
    expect(await stack.endpoint(id, 'gone')).toMatchObject({ enabled: false });
    const rows = await stack.attempts(id, 'gone');
    expect(rows.map((row) => [row.status, row.status_code, row.next_retry_at === null])).toEqual([
      ['failed', 410, true],
      ['failed', 500, false],
    ]);
    await stack.publish(linkEvent('gone'));
    await stack.publish(linkEvent('gone'));
    expect(await stack.attempts(id, 'gone')).toHaveLength(2);
    const reason = 'The endpoint answered 410 Gone.';
    const [event] = await stack.emitted('webhook.disabled', 'gone');
    expect(event).toMatchObject({
      actor: { type: 'system' },
      audit: {
        target: { type: 'webhook', id },
        changes: { enabled: { from: true, to: false }, reason: { to: reason } },
      },
    });
    const [told] = await waitFor(
      'the other endpoint',
      () => receiver.on('/watches').length > 0 && receiver.on('/watches'),
    );
    expect(told!.body).toMatchObject({ type: 'webhook.disabled', data: { webhook: { id, url }, reason } });
    expect(receiver.on('/gone')).toHaveLength(2);
    expect(receiver.on('/elsewhere')).toEqual([]);
  });

  test('cancels what was still scheduled for it', async () => {
    const busy = receiver.at('/gone-busy', (response, nth) => {
      if (nth === 0) response.writeHead(503, { 'retry-after': '3600' }).end();
      else response.writeHead(410).end();
    });
    const { id } = await stack.subscribe(busy, 'gone-busy');
    await stack.publish(linkEvent('gone-busy'));
    await waitFor('the retry', async () => (await stack.attempts(id, 'gone-busy')).length === 2);
    await stack.publish(linkEvent('gone-busy'));
    const rows = await waitFor('the cancellation', async () => {
      const found = await stack.attempts(id, 'gone-busy');
      return found.length === 3 && found.every(({ status }) => status === 'failed') && found;
    });
    expect(rows.find((row) => row.attempt_number === 2)).toMatchObject({
      attempted_at: null,
      next_retry_at: null,
      error: { type: 'blocked', message: 'The endpoint was disabled.' },
    });
  });
});

test('attempts are kept for thirty days from when they were scheduled', async () => {
  const indexes = await stack.database.collection('attempts').indexes();
  const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  expect(expiring).toMatchObject([{ key: { createdAt: 1 }, expireAfterSeconds: 30 * 24 * 3600 }]);
});

describe('a slow endpoint', () => {
  test('delays no fast endpoint', async () => {
    const stack = await Stack.start({}, { timeoutMs: 15_000 });
    const slow = await stack.subscribe(receiver.at('/slow', slowly(900)), 'mixed');
    await stack.subscribe(receiver.at('/fast'), 'mixed');
    const count = 60;
    for (let i = 0; i < count; i += 1) await stack.publish(linkEvent('mixed'));
    await waitFor('the fast one', () => receiver.on('/fast').length === count);
    // Ten at a time make six rounds of 0.9 s.
    expect(receiver.on('/slow').length).toBeLessThan(count);
    const rows = await stack.ended(slow.id, 'mixed', count);
    expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    await stack.stop();
  });
});

function retryAfter(status: number, value: string) {
  return answeringWith(status, { 'retry-after': value });
}

function redirect(location: string) {
  return answeringWith(302, { location });
}

function answeringWith(status: number, headers: Record<string, string>) {
  return (response: ServerResponse) => void response.writeHead(status, headers).end();
}
