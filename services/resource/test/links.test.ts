import type { Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Role } from '@waymark/contract/roles';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { LENIENT, ServiceCaller } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';

const caller = new ServiceCaller('resource', () => urlOf(server));
const parts = testProcess(resourceConfig, {
  ...freshBacking(),
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
  SHORT_BASE_URL: 'http://go.test',
});
let server: Server;

beforeAll(async () => {
  server = await startResource(parts);
  await waitFor('the database', async () => (await call('GET', '/links')).status === 200);
});
afterAll(() => parts.lifecycle.stop());

const call = (method: string, path: string, body?: unknown, workspace = 'acme', role: Role = 'owner') =>
  caller.call(method, path, { body, workspace, access: { role } });

describe('creating a link', () => {
  test('only a destination answers 201 with defaults and where to fetch it', async () => {
    const { status, headers, body } = await call('POST', '/links', { destination_url: 'https://example.com/a?b=c' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`http://api.test/api/v1/workspaces/acme/links/${body.data.id}`);
    expect(body.data).toMatchObject({
      destination_url: 'https://example.com/a?b=c',
      title: null,
      status: 'active',
      scans_count: 0,
      created_by: 'usr_1',
      utm_defaults: { utm_source: null, utm_campaign: null },
    });
    expect(body.data.short_code).toMatch(/^[23456789a-hjkmnp-z]{9}$/);
    expect(body.data.short_url).toBe(`http://go.test/${body.data.short_code}`);
    expect((await call('GET', `/links/${body.data.id}`)).body).toEqual(body);
  });

  test('a taken short code in another case answers 422 on short_code', async () => {
    const destination_url = 'https://example.com';
    expect((await call('POST', '/links', { destination_url, short_code: 'Spring' })).status).toBe(201);
    const again = await call('POST', '/links', { destination_url, short_code: 'sPRING' });
    expect(again.status).toBe(422);
    expect(again.body.error.details).toHaveProperty('short_code');
  });

  test('several wrong fields are all named at once', async () => {
    const { status, body } = await call('POST', '/links', {
      destination_url: 'javascript:alert(1)',
      title: 'x'.repeat(256),
      status: 'paused',
      utm_defaults: { utm_source: 7 },
    });
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual([
      'destination_url',
      'status',
      'title',
      'utm_defaults.utm_source',
    ]);
  });

  test('a value that is half a character, and one of our own hosts, are named beside the others', async () => {
    const { status, body } = await call('POST', '/links', {
      destination_url: 'http://go.test/abc',
      title: 'a\ud800',
      campaign_tag: 7,
      utm_defaults: { utm_term: '\udc00' },
    });
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual([
      'campaign_tag',
      'destination_url',
      'title',
      'utm_defaults.utm_term',
    ]);
  });

  test.each([
    ['our own short host', 'http://go.test/abc'],
    ['our own short host on another port', 'http://GO.test:81/abc'],
    ['our own short host with a dot at its end', 'https://go.test./abc'],
    ['a user in the URL', 'https://me:secret@example.com'],
    ['a control character', 'https://example.com/\u0000'],
    ['no URL', 'example'],
  ])('a destination with %s answers 422', async (_what, destination_url) => {
    expect((await call('POST', '/links', { destination_url })).status).toBe(422);
  });
});

describe('changing a link', () => {
  test('utm_defaults merge by key, null clears one, and nothing else changes', async () => {
    const created = await call('POST', '/links', {
      destination_url: 'https://example.com',
      title: 'T',
      utm_defaults: { utm_source: 'a', utm_medium: 'b' },
    });
    const { body } = await call('PATCH', `/links/${created.body.data.id}`, {
      utm_defaults: { utm_source: null, utm_term: 'c' },
    });
    expect(body.data).toMatchObject({
      title: 'T',
      utm_defaults: { utm_source: null, utm_medium: 'b', utm_term: 'c' },
    });
  });

  test('twenty concurrent changes all take effect', async () => {
    const created = await call('POST', '/links', { destination_url: 'https://example.com' });
    const path = `/links/${created.body.data.id}`;
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => call('PATCH', path, { title: `t${i}` })));
    expect(
      results.filter((result) => result.status === 200).length + results.filter((r) => r.status === 409).length,
    ).toBe(20);
    expect(results.some((result) => result.status === 200)).toBe(true);
  });

  test('an empty body answers 200 and changes nothing', async () => {
    const created = await call('POST', '/links', { destination_url: 'https://example.com' });
    expect((await call('PATCH', `/links/${created.body.data.id}`, {})).body).toEqual(created.body);
  });
});

describe('a link of another workspace', () => {
  test('is 404 for every verb', async () => {
    const created = await call('POST', '/links', { destination_url: 'https://example.com' });
    const path = `/links/${created.body.data.id}`;
    for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
      expect((await call(method, path, body, 'globex')).status).toBe(404);
    }
    expect((await call('GET', path)).status).toBe(200);
  });
});

test('a viewer gets 403 on a write even when the gateway let it through', async () => {
  const { status } = await call('POST', '/links', { destination_url: 'https://example.com' }, 'acme', 'viewer');
  expect(status).toBe(403);
});

test('a request without a signed identity gets 401', async () => {
  const response = await fetch(`${urlOf(server)}/api/v1/workspaces/acme/links`);
  expect(response.status).toBe(401);
});

test.each(['0', '101', '-1', '1e1', '+5', '005', '1;2', '0x2', '1000000000', 'all'])(
  'per_page=%s answers 422',
  async (n) => {
    const { status, body } = await call('GET', `/links?per_page=${encodeURIComponent(n)}`);
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['per_page']]);
  },
);

test('a path with a slash at its end, or that is no text, is 404', async () => {
  expect((await call('GET', '/links/')).status).toBe(404);
  expect((await call('GET', '/links/%ff')).status).toBe(404);
});

test.each(['20000000', '1000001'])('page=%s is empty and says its own number', async (page) => {
  const { status, body } = await call('GET', `/links?page=${page}&per_page=100`);
  expect([status, body.data, body.meta.from, body.meta.current_page]).toEqual([200, [], null, Number(page)]);
});

test.each(['0', '-1', '-99999999999999999999', '01', '1.5', 'x', '20000001', '9'.repeat(400)])(
  'page=%s answers 422',
  async (page) => {
    const { status, body } = await call('GET', `/links?page=${page}`);
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['page']]);
  },
);

test('parameters without a value are as if absent, and `all` does not filter', async () => {
  const all = await call('GET', '/links?per_page=100');
  const empty = 'status=&search=&campaign=&folder_id=&tag_id=&domain_id=&sort=&page=';
  const every = 'status=all&campaign=all&folder_id=all&tag_id=all&domain_id=all';
  for (const query of [empty, every]) {
    const answer = await call('GET', `/links?${query}&per_page=100`);
    expect([answer.status, answer.body.data]).toEqual([200, all.body.data]);
  }
});

test('a change is taken as a JSON merge patch too, a new link is not', async () => {
  const { body } = await call('POST', '/links', { destination_url: 'https://example.com', title: 'T' });
  const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
  const patched = await caller.raw('PATCH', `/links/${body.data.id}`, { headers, body: '{"title":null}' });
  expect([patched.status, patched.body.data?.title]).toEqual([200, null]);
  const posted = await caller.raw('POST', '/links', { headers, body: '{"destination_url":"https://example.com"}' });
  expect(posted.status).toBe(415);
});

test('pages keep the other query parameters in their links', async () => {
  for (let i = 0; i < 3; i += 1) await call('POST', '/links', { destination_url: 'https://example.com' }, 'pages');
  const { body } = await call('GET', '/links?status=active&per_page=2&page=2', undefined, 'pages');
  expect(body.meta).toMatchObject({ current_page: 2, from: 3, to: 3, last_page: 2, total: 3 });
  expect(body.links.prev).toBe('http://api.test/api/v1/workspaces/pages/links?status=active&per_page=2&page=1');
  expect(body.links.next).toBeNull();
});

describe('the short code of a deleted link', () => {
  const link = (short_code: string, workspace: string) =>
    call('POST', '/links', { destination_url: 'https://example.com', short_code }, workspace);

  test('is never given to another workspace, and may be used again by its own', async () => {
    const first = await link('Retired', 'acme');
    await call('DELETE', `/links/${first.body.data.id}`);
    expect((await link('retired', 'globex')).status).toBe(422);
    expect((await link('RETIRED', 'acme')).status).toBe(201);
    expect((await link('Retired', 'acme')).status).toBe(422);
  });

  test('stays with its workspace when the link changes its code', async () => {
    const { body } = await link('before', 'acme');
    expect((await call('PATCH', `/links/${body.data.id}`, { short_code: 'after' })).status).toBe(200);
    expect((await link('before', 'globex')).status).toBe(422);
    expect((await link('after', 'globex')).status).toBe(422);
    expect((await link('before', 'acme')).status).toBe(422);
    await call('DELETE', `/links/${body.data.id}`);
    expect((await link('before', 'globex')).status).toBe(422);
    expect((await link('before', 'acme')).status).toBe(201);
  });

  test('goes to exactly one of many who ask for it at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => link('wanted', i % 2 ? 'acme' : 'globex')));
    expect(results.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(results.filter(({ status }) => status === 422)).toHaveLength(19);
  });
});

describe('an Idempotency-Key', () => {
  const create = (key: string, fields: object = {}, path = '/links', workspace = 'acme') =>
    caller.call('POST', path, {
      workspace,
      body: { destination_url: 'https://example.com/idempotent', ...fields },
      headers: { 'idempotency-key': key },
    });
  const total = async () => (await call('GET', '/links?per_page=1')).body.meta.total as number;

  test('answers the same request with the first answer, and creates nothing', async () => {
    const first = await create('key-1', { title: 'T' });
    const before = await total();
    const again = await create('"key-1"', { title: 'T' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await total()).toBe(before);
  });

  test('with another body is a 409, in another workspace another request', async () => {
    await create('key-2');
    expect((await create('key-2', { title: 'other' })).status).toBe(409);
    expect((await create('key-2', {}, '/links', 'globex')).status).toBe(201);
  });

  test('of a request that failed can be used again', async () => {
    expect((await create('key-3', { title: 7 })).status).toBe(422);
    expect((await create('key-3')).status).toBe(201);
  });

  test.each([
    ['a code of our own', {}],
    ['a custom code', { short_code: 'only-once' }],
  ])('sent twenty times at once with %s makes one link', async (_what, fields) => {
    const before = await total();
    const key = `twenty-${Object.keys(fields).length}`;
    const results = await Promise.all(Array.from({ length: 20 }, () => create(key, fields)));
    expect(await total()).toBe(before + 1);
    const ids = results.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string);
    expect(new Set(ids).size).toBe(1);
    expect(results.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  test.each([['x'.repeat(256)], ['two words']])('that is malformed is a 422', async (key) => {
    expect((await create(key)).status).toBe(422);
  });
});

describe('a body', () => {
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    caller.raw('POST', '/links', { headers: { 'content-type': 'application/json', ...headers }, body });

  test.each([
    ['of more than 1 MB', 413, JSON.stringify({ destination_url: `https://example.com/${'x'.repeat(1_100_000)}` }), {}],
    ['of more than 1 MB when unpacked', 413, gzipSync(' '.repeat(5_000_000)), { 'content-encoding': 'gzip' }],
    ['that is no JSON', 400, '{"destination_url":', {}],
    ['of another type', 415, 'destination_url=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['of another character set', 415, '{}', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['of another form of Unicode', 415, '{}', { 'content-type': 'application/json; charset=utf-16le' }],
    ['packed by an unknown coding', 415, '{}', { 'content-encoding': 'foo' }],
    ['that is a list', 422, '[]', {}],
    ['that is null', 422, 'null', {}],
    ['that is absent', 422, '', {}],
  ])('%s answers %i', async (_what, status, body, headers) => {
    expect((await post(body, headers as Record<string, string>)).status).toBe(status);
  });

  test('with unknown fields is refused, or stores none of them when the client prefers so', async () => {
    const sent = {
      destination_url: 'https://example.com',
      id: 'lnk_mine',
      workspace: 'globex',
      scans_count: 7,
      __proto__: { polluted: true },
      constructor: { prototype: { polluted: true } },
    };
    expect((await call('POST', '/links', sent)).status).toBe(422);
    const { body } = await caller.call('POST', '/links', { body: sent, headers: LENIENT });
    expect(body.data).toMatchObject({ scans_count: 0 });
    expect(body.data.id).not.toBe('lnk_mine');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
