import { randomBytes } from 'node:crypto';
import { EJSON } from 'bson';
import { Webhook } from 'standardwebhooks';
import { findWebhookUsage } from '@waymark/contract/requests';
import type { Role } from '@waymark/contract/roles';
import { waitFor } from '@waymark/testing/wait-for';
import { NameServer } from '@waymark/testing/name-server';
import { Receiver } from './receiver.js';
import { Stack } from './stack.js';

let stack: Stack;
let names: NameServer;
const url = 'https://93.184.216.34/hook';
const event_types = ['scan.logged'];

beforeAll(async () => {
  names = await NameServer.start();
  stack = await Stack.start({
    WEBHOOK_ALLOW_HTTP: 'false',
    WEBHOOK_ALLOWED_NETWORKS: '',
    WEBHOOK_DNS_SERVERS: names.address,
  });
});
afterAll(async () => {
  await stack.stop();
  await names.stop();
});

describe('creating a webhook', () => {
  test('answers 201 with the secret once and where to fetch it', async () => {
    const { status, headers, body } = await stack.call('POST', '/webhooks', { url, event_types });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^whk_/),
        url,
        description: null,
        event_types,
        enabled: true,
        status: 'healthy',
        consecutive_failures: 0,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
      meta: { signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
    });
    expect(headers.get('location')).toBe(`http://api.test/api/v1/workspaces/acme/webhooks/${body.data.id}`);
    expect((await stack.call('GET', `/webhooks/${body.data.id}`)).body).toEqual({ data: body.data });
    expect((await stack.call('GET', '/webhooks')).body).toEqual({ data: [body.data] });
  });

  test('leaves an audited event without the secret, and none of the database holds it in clear', async () => {
    const { body } = await stack.call('POST', '/webhooks', { url, event_types }, 'audited');
    const secret = (body.meta.signing_secret as string).replace('whsec_', '');
    const dump = await Promise.all(
      (await stack.database.listCollections()).map(({ name }) => stack.database.collection(name).find({}).toArray()),
    );
    const text = EJSON.stringify(dump);
    expect(text).toContain(body.data.id);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
    const stored = dump
      .flat()
      .find((row) => row['type'] === 'webhook.created' && String(row['body']).includes(body.data.id));
    expect(JSON.parse(stored!['body'] as string)).toMatchObject({
      workspace: 'audited',
      actor: { type: 'user', id: 'usr_1' },
      ip_address: '127.0.0.1',
      audit: { target: { type: 'webhook', id: body.data.id, label: url }, changes: { url: { from: null, to: url } } },
    });
  });

  test('with several wrong fields names all of them', async () => {
    const { status, body } = await stack.call('POST', '/webhooks', { url: 'ftp://x', event_types: [], enabled: 1 });
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual(['enabled', 'event_types', 'url']);
  });

  test('with an unknown event type and a private address names both', async () => {
    const input = {
      url: 'https://10.0.0.1/',
      event_types: ['scan.logged', 'qr_code.created', 'token.created', 'member.added'],
    };
    const { status, body } = await stack.call('POST', '/webhooks', input);
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual(['event_types', 'url']);
    expect(body.error.details.event_types[0]).toContain('qr_code.created, token.created, member.added');
  });

  test.each([
    ['plain http', 'http://93.184.216.34/hook'],
    ['a user', 'https://user:secret@93.184.216.34/'],
    ['a loopback address', 'https://127.0.0.1/'],
    ['a loopback address as a number', 'https://2130706433/'],
    ['an IPv6 loopback address', 'https://[::1]/'],
    ['a mapped metadata address', 'https://[::ffff:169.254.169.254]/'],
    ['localhost', 'https://localhost/'],
    ['a name below localhost', 'https://api.localhost./'],
    ['another scheme', 'javascript:alert(1)'],
    ['no URL', 'nowhere'],
    ['a wildcard', 'https://*.example.com/'],
    ['a label that no name has', `https://${'a'.repeat(64)}.example.com/`],
    ['a name that is too long', `https://${'a.'.repeat(150)}example.com/`],
    ['no name at all', 'https://./'],
    ['a name with what is not seen in it', 'https://hooks.exa\u00admple.com/'],
    ['a name that is not as it reads', 'https://hooks.ex%61mple.com/'],
    ['the port of another service', 'https://93.184.216.34:22/'],
    ['port 0', 'https://93.184.216.34:0/'],
    ['an empty user', 'https://@93.184.216.34/'],
    ['more than is sent when it is encoded', `https://93.184.216.34/${'é'.repeat(1000)}`],
    ['too long a URL', `https://93.184.216.34/${'x'.repeat(2048)}`],
  ])('with %s answers 422 on url', async (_what, refused) => {
    const { status, body } = await stack.call('POST', '/webhooks', { url: refused, event_types });
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['url']]);
  });

  test('with a name that is not resolved is taken', async () => {
    const { status } = await stack.call('POST', '/webhooks', { url: 'https://hooks.example.invalid/', event_types });
    expect(status).toBe(201);
  });

  test('takes names and addresses in any form, without the spaces around them', async () => {
    const urls = [
      ' https://93.184.216.34/a ',
      'https://[2606:4700:4700::1111]:8443/',
      'https://x_y.example.invalid./?a=b',
    ];
    for (const each of urls) {
      const { status, body } = await stack.call('POST', '/webhooks', { url: each, event_types }, 'forms');
      expect([status, body.data.url]).toEqual([201, each.trim()]);
    }
  });

  test('without event_types says that they are required', async () => {
    const { body } = await stack.call('POST', '/webhooks', { url });
    expect(body.error.details).toEqual({ event_types: ['The event_types are required.'] });
  });

  test('with a name answers alike whether it is public, private or unknown, and resolves none', async () => {
    for (const answer of [['93.184.216.34'], ['10.0.0.5'], []]) {
      names.answer(answer);
      const input = { url: 'https://hooks.example.com/', event_types };
      expect((await stack.call('POST', '/webhooks', input, 'named')).status).toBe(201);
      expect(names.questions).toBe(0);
    }
  });

  test('thirty at a time gives exactly twenty', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 30 },
        async () => (await stack.call('POST', '/webhooks', { url, event_types }, 'full')).status,
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    const { body } = await stack.call('POST', '/webhooks', { url, event_types }, 'full');
    expect(body.error.details).toMatchObject({ resource: 'webhooks', limit: 20, current: 20 });
    expect((await stack.call('GET', '/webhooks', undefined, 'full')).body.data).toHaveLength(20);
    const plan = { name: 'pro' as const, activeLinks: 5000, customDomains: 10, entitlements: [] };
    const { usage } = await stack.requester.ask(findWebhookUsage, { workspace: 'full', plan }, 10_000);
    expect(usage).toEqual({ webhooks: { used: 20, limit: 20 } });
  });
});

describe('reading webhooks', () => {
  test('of another workspace answers 404 and lists none', async () => {
    const { body } = await stack.call('POST', '/webhooks', { url, event_types }, 'ours');
    const { id } = body.data;
    expect((await stack.call('GET', `/webhooks/${id}`, undefined, 'theirs')).status).toBe(404);
    expect((await stack.call('GET', `/webhooks/${id}/deliveries`, undefined, 'theirs')).status).toBe(404);
    expect((await stack.call('GET', '/webhooks', undefined, 'theirs')).body).toEqual({ data: [] });
    expect((await stack.call('GET', `/webhooks/${id}/deliveries`, undefined, 'ours')).body.meta.total).toBe(0);
    expect((await stack.call('GET', '/webhooks/nonsense')).status).toBe(404);
  });

  test.each<Role>(['editor', 'analyst', 'viewer'])('as %s answers 403', async (role) => {
    expect((await stack.call('GET', '/webhooks', undefined, 'acme', { access: { role } })).status).toBe(403);
    expect((await stack.call('POST', '/webhooks', { url, event_types }, 'acme', { access: { role } })).status).toBe(
      403,
    );
  });
});

describe('in the QR deployment', () => {
  let qr: Stack;
  beforeAll(async () => {
    qr = await Stack.start({ DEPLOYMENT: 'qr' });
  });
  afterAll(() => qr.stop());

  test('its own event types are taken and those of links refused', async () => {
    const input = { url: 'http://127.0.0.1/', event_types: ['scan.logged', 'qr_code.created'] };
    expect((await qr.call('POST', '/webhooks', input)).status).toBe(201);
    for (const type of ['conversion.recorded', 'link.created', 'domain.verified']) {
      const { status, body } = await qr.call('POST', '/webhooks', { ...input, event_types: [type] });
      expect([status, Object.keys(body.error.details)]).toEqual([422, ['event_types']]);
      expect(body.error.details.event_types[0]).toContain('Use scan.logged, qr_code.created,');
    }
  });
});

test('a subscription to webhook.test is refused, with the types that exist', async () => {
  const { id } = await stack.subscribe('https://hooks.example.com/', 'refusing');
  for (const [method, path] of [
    ['POST', '/webhooks'],
    ['PATCH', `/webhooks/${id}`],
  ] as const) {
    const input = { url: 'https://hooks.example.com/', event_types: ['link.created', 'webhook.test'] };
    const { status, body } = await stack.call(method, path, input, 'refusing');
    expect([status, body.error.details]).toEqual([
      422,
      {
        event_types: [expect.stringMatching(/webhook\.test\. Use scan\.logged, conversion\.recorded, .* POST …\/test/)],
      },
    ]);
  }
});

test('a name is left to the proxy where there is one, an address is not', async () => {
  const proxied = await Stack.start({
    WEBHOOK_PROXY_URL: 'http://127.0.0.1:9/',
    WEBHOOK_ALLOWED_NETWORKS: '',
    WEBHOOK_DNS_SERVERS: names.address,
  });
  names.answer(['10.0.0.5']);
  const asked = names.questions;
  const save = (url: string) => proxied.call('POST', '/webhooks', { url, event_types });
  expect((await save('https://internal.example.com/')).status).toBe(201);
  expect(names.questions).toBe(asked);
  expect((await save('https://10.0.0.5/')).status).toBe(422);
  await proxied.stop();
});

test('an endpoint saved while its address was allowed gets no connection once it is not', async () => {
  const canary = await Receiver.start();
  const lax = await Stack.start();
  const { id } = await lax.subscribe(canary.at('/canary'), 'acme');
  await lax.restart({ WEBHOOK_ALLOWED_NETWORKS: '' });
  await lax.publishLink('acme');
  const row = await waitFor('the failure', async () =>
    (await lax.attempts(id, 'acme')).find(({ status }) => status === 'failed'),
  );
  expect(row).toMatchObject({ status_code: null, error: { type: 'blocked' } });
  expect(canary.connections).toBe(0);
  await lax.stop();
  canary.stop();
});

test('a process without the key of any stored secret never becomes ready, sends nothing and makes no secrets', async () => {
  const receiver = await Receiver.start();
  const keyed = await Stack.start();
  const { id, secret } = await keyed.subscribe(receiver.at('/keyed'), 'acme');
  await keyed.restart({ WEBHOOK_SECRET_KEY: randomBytes(32).toString('base64') });
  await keyed.publishLink('acme');
  await waitFor('the delivery', async () => (await keyed.attempts(id, 'acme'))[0]?.status === 'pending');
  expect(await keyed.findReadiness()).toEqual({ ready: false, failing: ['secret_key'] });
  expect(receiver.connections).toBe(0);
  // The right key could not open secrets that this process sealed.
  const answers = [
    await keyed.call('POST', '/webhooks', { url: receiver.at('/new'), event_types: ['link.created'] }),
    await keyed.call('PATCH', `/webhooks/${id}`, { rotate_secret: true }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect((await keyed.call('PATCH', `/webhooks/${id}`, { description: 'Orders' })).status).toBe(200);

  const newKey = randomBytes(32).toString('base64');
  const both = `${newKey},${keyed.secretKey}`;
  await keyed.restart({ WEBHOOK_SECRET_KEY: both });
  await waitFor('readiness', async () => (await keyed.findReadiness()).ready);
  await waitFor('the delivery', () => receiver.on('/keyed').length === 1);

  // Once the new key has resealed everything, the old one can go.
  const underOldKeys = async () => keyed.findMetric('waymark_webhook_endpoints_under_old_keys');
  await waitFor('the new seals', async () => (await underOldKeys()) === 0);
  await keyed.restart({ WEBHOOK_SECRET_KEY: newKey });
  await waitFor('readiness', async () => (await keyed.findReadiness()).ready);
  await keyed.publishLink('acme');
  const request = await waitFor('the next delivery', () => receiver.on('/keyed')[1]);
  new Webhook(secret).verify(request.text, request.headers as Record<string, string>);
  await keyed.stop();
  receiver.stop();
});

test('an expired secret is destroyed, a valid old one stays', async () => {
  const kept = await Stack.start({}, { secretOverlapMs: 1000 });
  const { id } = await kept.subscribe('https://93.184.216.34/', 'acme');
  const other = await kept.subscribe('https://93.184.216.34/', 'acme');
  await kept.call('PATCH', `/webhooks/${id}`, { rotate_secret: true });
  const rotatedAt = Date.now();
  await kept.restart({}, { secretOverlapMs: 1_000_000 });
  await kept.call('PATCH', `/webhooks/${other.id}`, { rotate_secret: true });
  const secretsOf = async (endpointId: string) =>
    (await kept.database.collection('endpoints').findOne({ _id: endpointId as never }))!['secrets'] as unknown[];
  // The service estimates the clock of the database.
  await waitFor('the expiry', () => Date.now() > rotatedAt + 3000);
  await kept.restart({});
  await waitFor('the destruction', async () => (await secretsOf(id)).length === 1);
  expect(await secretsOf(other.id)).toHaveLength(2);
  await kept.stop();
});

test('webhooks are listed whole or in pages, and their delivery attempts in pages of 15 unless told', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    ids.unshift((await stack.call('POST', '/webhooks', { url, event_types }, 'paged')).body.data.id as string);
  }
  const listed = async (query: string) => {
    const { body } = await stack.call('GET', `/webhooks${query}`, undefined, 'paged');
    return [body.data.map(({ id }: { id: string }) => id), body.meta?.total];
  };
  expect(await listed('')).toEqual([ids, undefined]);
  expect(await listed('?per_page=2&page=2')).toEqual([ids.slice(2), 3]);
  const { body } = await stack.call('GET', `/webhooks/${ids[0]}/deliveries`, undefined, 'paged');
  expect(body.meta.per_page).toBe(15);
});

test('the older prefix creates, changes and deletes a webhook, and names it below itself', async () => {
  const older = (method: string, path: string, body?: unknown) =>
    stack.call(method, path, body, 'older', { unversioned: true });
  const { status, headers, body } = await older('POST', '/webhooks', { url, event_types });
  const path = `/webhooks/${body.data.id}`;
  expect([status, headers.get('location')]).toEqual([201, `http://api.test/api/workspaces/older${path}`]);
  expect((await older('PATCH', path, { description: 'older' })).body.data.description).toBe('older');
  expect((await older('DELETE', path)).status).toBe(204);
  expect((await older('GET', path)).status).toBe(404);
});
