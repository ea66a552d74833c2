import { Webhook } from 'standardwebhooks';
import { waitFor } from '@waymark/testing/wait-for';
import { answering, Receiver, slowly } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

let stack: Stack;
let receiver: Receiver;
/** A service estimates the database's clock by its own. */
const CLOCK_ERROR_MS = 60_000;
const PATH = '/webhooks';

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

async function verifies(secret: string, path: string, nth: number): Promise<boolean> {
  const request = await waitFor('the delivery', () => receiver.on(path)[nth]);
  try {
    new Webhook(secret).verify(request.text, request.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('changing a webhook', () => {
  test('of every field answers 200 with the new values and no secret', async () => {
    const { id } = await stack.subscribe(receiver.at('/before'), 'change');
    const before = await stack.endpoint(id, 'change');
    const body = {
      url: receiver.at('/after'),
      description: 'Orders',
      event_types: ['scan.logged', 'scan.logged', 'link.deleted'],
      enabled: false,
    };
    const answer = await stack.call('PATCH', `${PATH}/${id}`, body, 'change');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        ...before,
        url: body.url,
        description: 'Orders',
        event_types: ['scan.logged', 'link.deleted'],
        enabled: false,
        status: 'disabled',
        updated_at: expect.stringMatching(/Z$/),
      },
    });
    expect(await stack.endpoint(id, 'change')).toEqual(answer.body.data);
    const cleared = await stack.call('PATCH', `${PATH}/${id}`, { description: null }, 'change');
    expect(cleared.body.data.description).toBeNull();
  });

  test('with nothing, or with what it has, answers 200 and leaves no event', async () => {
    const { id } = await stack.subscribe(receiver.at('/same'), 'same');
    const before = await stack.endpoint(id, 'same');
    for (const body of [{}, { url: before.url, enabled: true, rotate_secret: false }]) {
      const answer = await stack.call('PATCH', `${PATH}/${id}`, body, 'same');
      expect([answer.status, answer.body]).toEqual([200, { data: before }]);
    }
    expect(await stack.emitted('webhook.updated', 'same')).toEqual([]);
  });

  test.each([
    ['url', 7],
    ['url', null],
    ['url', 'https://user:secret@example.com/'],
    ['url', 'https://10.0.0.1/'],
    ['url', `https://93.184.216.34/${'x'.repeat(2048)}`],
    ['description', 'x'.repeat(256)],
    ['description', 5],
    ['event_types', []],
    ['event_types', 'scan.logged'],
    ['event_types', ['qr_code.created']],
    ['event_types', null],
    ['enabled', 'yes'],
    ['enabled', null],
    ['rotate_secret', 1],
  ])('with a wrong %s (%p) answers 422 on it and changes nothing', async (field, value) => {
    const { id } = await stack.subscribe(receiver.at('/wrong'), `wrong-${field.replace('_', '-')}`);
    const workspace = `wrong-${field.replace('_', '-')}`;
    const answer = await stack.call('PATCH', `${PATH}/${id}`, { description: 'new', [field]: value }, workspace);
    expect([answer.status, Object.keys(answer.body.error.details)]).toEqual([422, [field]]);
    expect(await stack.endpoint(id, workspace)).toMatchObject({ description: null, enabled: true });
    await stack.call('DELETE', `${PATH}/${id}`, undefined, workspace);
  });

  test('with several wrong fields names all of them', async () => {
    const { id } = await stack.subscribe(receiver.at('/several'), 'several');
    const body = { url: 'https://192.168.0.1/', event_types: ['nonsense'], enabled: 'no', rotate_secret: 'yes' };
    const { status, body: answer } = await stack.call('PATCH', `${PATH}/${id}`, body, 'several');
    expect(status).toBe(422);
    expect(Object.keys(answer.error.details).sort()).toEqual(['enabled', 'event_types', 'rotate_secret', 'url']);
  });

  test('of another workspace or of none answers 404', async () => {
    const { id } = await stack.subscribe(receiver.at('/hers'), 'hers');
    for (const path of [`${PATH}/${id}`, `${PATH}/whk_0`]) {
      expect((await stack.call('PATCH', path, { enabled: false }, 'his')).status).toBe(404);
    }
    expect(await stack.endpoint(id, 'hers')).toMatchObject({ enabled: true });
  });

  test('is one audited event that names what changed', async () => {
    const { id } = await stack.subscribe(receiver.at('/audited'), 'audited');
    await stack.call('PATCH', `${PATH}/${id}`, { description: 'A', enabled: false }, 'audited');
    await stack.call('PATCH', `${PATH}/${id}`, { enabled: true }, 'audited');
    await stack.call('PATCH', `${PATH}/${id}`, { rotate_secret: true, description: 'B' }, 'audited');
    const disabled = await waitFor('the event', async () => (await stack.emitted('webhook.disabled', 'audited'))[0]);
    expect(disabled).toMatchObject({
      actor: { type: 'user', id: 'usr_1' },
      audit: {
        target: { type: 'webhook', id, label: receiver.at('/audited') },
        changes: { enabled: { from: true, to: false }, description: { from: null, to: 'A' } },
      },
      data: { webhook_id: id, url: receiver.at('/audited') },
    });
    const [updated] = await stack.emitted('webhook.updated', 'audited');
    expect(updated.audit.changes).toEqual({ enabled: { from: false, to: true } });
    const [rotated] = await stack.emitted('webhook.secret_rotated', 'audited');
    expect(rotated.audit.changes).toEqual({
      rotate_secret: { from: null, to: true },
      description: { from: 'A', to: 'B' },
    });
  });

  test('twenty times at once keeps every change', async () => {
    const { id } = await stack.subscribe(receiver.at('/race'), 'race');
    const bodies = [{ description: 'D' }, { event_types: ['link.deleted'] }, { enabled: false }];
    const answers = await Promise.all(bodies.map((body) => stack.call('PATCH', `${PATH}/${id}`, body, 'race')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stack.endpoint(id, 'race')).toMatchObject({
      description: 'D',
      event_types: ['link.deleted'],
      enabled: false,
    });
  });
});

describe('rotating the secret', () => {
  const rotate = async (path: string, workspace: string, of = stack) => {
    const { id, secret } = await of.subscribe(receiver.at(path), workspace);
    const { status, body } = await of.call('PATCH', `${PATH}/${id}`, { rotate_secret: true }, workspace);
    expect([status, body.meta]).toEqual([200, { signing_secret: expect.stringMatching(/^whsec_/) }]);
    return { id, data: body.data, old: secret, current: body.meta.signing_secret as string };
  };

  test('shows the new one once, and both sign', async () => {
    const { id, data, old, current } = await rotate('/rotated', 'rotated');
    expect(current).not.toBe(old);
    expect(await stack.call('GET', `${PATH}/${id}`, undefined, 'rotated')).toMatchObject({ body: { data } });
    await stack.publish(linkEvent('rotated'));
    expect([await verifies(old, '/rotated', 0), await verifies(current, '/rotated', 0)]).toEqual([true, true]);
  });

  test('signs with the new one alone once the old one has expired', async () => {
    const brief = await Stack.start({}, { secretOverlapMs: 1000 });
    const { old, current } = await rotate('/expired', 'expired', brief);
    const last = await waitFor('the end of the overlap', async () => {
      const nth = receiver.on('/expired').length;
      await brief.publish(linkEvent('expired'));
      return !(await verifies(old, '/expired', nth)) && { nth };
    });
    expect(await verifies(current, '/expired', last.nth)).toBe(true);
    await brief.stop();
  });

  test('keeps the old one for a day', async () => {
    const { id } = await stack.subscribe(receiver.at('/day'), 'day');
    const before = Date.now() - CLOCK_ERROR_MS;
    await stack.call('PATCH', `${PATH}/${id}`, { rotate_secret: true }, 'day');
    const stored = await stack.database.collection('endpoints').findOne({ _id: id as never });
    const [current, old] = stored!['secrets'] as { expiresAt: Date | null }[];
    expect(current!.expiresAt).toBeNull();
    expect(old!.expiresAt!.getTime() - before).toBeGreaterThanOrEqual(24 * 3600 * 1000);
    expect(old!.expiresAt!.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3600 * 1000 + CLOCK_ERROR_MS);
  });

  test('a sixth time while five old ones are valid answers 422 on rotate_secret', async () => {
    const { id, secret } = await stack.subscribe(receiver.at('/six'), 'six');
    const secrets = [secret];
    for (let i = 0; i < 5; i += 1) {
      const { body } = await stack.call('PATCH', `${PATH}/${id}`, { rotate_secret: true }, 'six');
      secrets.push(body.meta.signing_secret);
    }
    const { status, body } = await stack.call('PATCH', `${PATH}/${id}`, { rotate_secret: true }, 'six');
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['rotate_secret']]);
    await stack.publish(linkEvent('six'));
    for (const each of secrets) expect(await verifies(each, '/six', 0)).toBe(true);
  });

  test('under load never sends what neither the secret before nor the one after a rotation verifies', async () => {
    const loaded = await Stack.start({}, { secretOverlapMs: 4000, timeoutMs: 15_000 });
    const { id, secret } = await loaded.subscribe(receiver.at('/loaded', slowly(5)), 'loaded');
    // The secrets that a careful receiver knows at a time: its own, and the one that its operator has just received.
    const known: { at: number; secrets: string[] }[] = [{ at: 0, secrets: [secret] }];
    let isDone = false;
    const load = (async () => {
      for (let sent = 0; !isDone; sent += 1) await loaded.publish(linkEvent('loaded'));
    })();
    // More secrets than can be valid at a time: the first ones expire meanwhile.
    while (known.length < 9) {
      const { status, body } = await loaded.call('PATCH', `${PATH}/${id}`, { rotate_secret: true }, 'loaded');
      const last = known.at(-1)!.secrets.at(-1)!;
      if (status === 200) known.push({ at: Date.now(), secrets: [last, body.meta.signing_secret] });
      const count = receiver.on('/loaded').length;
      await waitFor('more deliveries', () => receiver.on('/loaded').length > count + 10);
    }
    isDone = true;
    await load;
    const requests = receiver.on('/loaded');
    const failures = requests.filter(({ at, text, headers }) => {
      const { secrets } = known.findLast((entry) => entry.at <= at)!;
      return !secrets.some((each) => isVerified(each, text, headers as Record<string, string>));
    });
    expect(failures).toHaveLength(0);
    await loaded.stop();
  });
});

function isVerified(secret: string, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

describe('disabling a webhook', () => {
  test('gives up what was scheduled, also when it is enabled again at once', async () => {
    const { id } = await stack.subscribe(receiver.at('/off', answering(503)), 'off');
    const later = (response: any) => response.writeHead(503, { 'retry-after': '3600' }).end();
    receiver.at('/off', later);
    await stack.publish(linkEvent('off'));
    await waitFor('the retry', async () => (await stack.attempts(id, 'off')).length === 2);
    await stack.call('PATCH', `${PATH}/${id}`, { enabled: false }, 'off');
    const enabled = await stack.call('PATCH', `${PATH}/${id}`, { enabled: true }, 'off');
    expect(enabled.body.data).toMatchObject({ enabled: true, status: 'healthy', consecutive_failures: 0 });
    const [cancelled] = await stack.ended(id, 'off', 2);
    expect(cancelled).toMatchObject({
      attempt_number: 2,
      status: 'failed',
      attempted_at: null,
      next_retry_at: null,
      error: { type: 'blocked', message: 'The endpoint was disabled.' },
    });
    receiver.at('/off');
    const next = linkEvent('off');
    await stack.publish(next);
    await waitFor('the next event', () => receiver.on('/off').length === 2);
    expect(receiver.on('/off')[1]!.id).toBe(next.id);
  });

  test('sends nothing of what happens while it lasts', async () => {
    const { id } = await stack.subscribe(receiver.at('/pause'), 'pause');
    await stack.call('PATCH', `${PATH}/${id}`, { enabled: false }, 'pause');
    const witness = await stack.subscribe(receiver.at('/witness'), 'pause');
    await stack.publish(linkEvent('pause'));
    await stack.ended(witness.id, 'pause');
    await stack.call('PATCH', `${PATH}/${id}`, { enabled: true }, 'pause');
    const next = linkEvent('pause');
    await stack.publish(next);
    await waitFor('the next event', () => receiver.on('/pause').length > 0);
    expect(receiver.on('/pause').map((request) => request.id)).toEqual([next.id]);
  });
});

test('a changed url is where the next attempt goes', async () => {
  const later = (response: any) => response.writeHead(503, { 'retry-after': '3600' }).end();
  const { id } = await stack.subscribe(receiver.at('/old', later), 'moved');
  await stack.publish(linkEvent('moved'));
  const { delivery_id: delivery } = await stack.firstEnded(id, 'moved');
  await stack.call('PATCH', `${PATH}/${id}`, { url: receiver.at('/new') }, 'moved');
  await stack.call('POST', `${PATH}/${id}/deliveries/${delivery}/retry`, undefined, 'moved');
  await waitFor('the next attempt', () => receiver.on('/new').length === 1);
  expect(receiver.on('/new')[0]!.id).toBe(receiver.on('/old')[0]!.id);
});
