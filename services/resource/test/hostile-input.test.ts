import { isServedIn, prefixesOf, UNVERSIONED_PREFIX, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { LENIENT } from '@waymark/testing/service-caller';
import { refused, Stack } from './stack.js';

let stack: Stack;
let folderId: string;
beforeAll(async () => {
  stack = await Stack.start();
  folderId = (await stack.call('POST', '/folders', { body: { name: 'F' } })).body.data.id as string;
});
afterAll(() => stack.stop());

const TEXT_FIELDS: Record<string, string[]> = {
  '/links': [
    'destination_url',
    'title',
    'short_code',
    'campaign_tag',
    'status',
    'folder_id',
    'domain_id',
    'utm_template_id',
  ],
  '/folders': ['name', 'description', 'color'],
  '/tags': ['name', 'color'],
  '/utm-templates': ['name', 'description', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
};
const GOOD: Record<string, object> = {
  '/links': { destination_url: 'https://example.com' },
  '/folders': { name: 'good' },
  '/tags': { name: 'good' },
  '/utm-templates': { name: 'good' },
};
const OPERATORS = [{ $ne: null }, { $gt: '' }, { $where: '1' }, { $regex: '(a+)+$' }, ['a'], [{ $ne: 1 }], 7, true];

describe.each(Object.keys(TEXT_FIELDS))('%s', (path) => {
  test('takes no operator, list or number where it wants text, and names the field', async () => {
    for (const field of TEXT_FIELDS[path]!) {
      for (const value of OPERATORS) {
        const answer = await stack.call('POST', path, { body: { ...GOOD[path], [field]: value } });
        expect([field, answer.status]).toEqual([field, 422]);
        expect(Object.keys(answer.body.error.details).map((name) => name.split('.')[0])).toEqual([field]);
      }
    }
  });

  test('stores no unknown field, of any name', async () => {
    const smuggled = {
      _id: 'mine',
      id: 'mine',
      workspace: 'globex',
      workspace_id: 'globex',
      revision: 99,
      scansCount: 99,
      scans_count: 99,
      linksCount: 99,
      links_count: 99,
      created_by: 'usr_2',
      createdBy: 'usr_2',
      created_at: '2001-01-01T00:00:00.000Z',
      createdAt: '2001-01-01T00:00:00.000Z',
      archived_at: '2001-01-01T00:00:00.000Z',
      deletedAt: '2001-01-01T00:00:00.000Z',
      words: ['x'],
      formerCodes: [{ hostname: null, shortCode: 'stolen' }],
      former_codes: [{ hostname: null, short_code: 'stolen' }],
      hostname: 'stolen.example.com',
      plan: { activeLinks: null },
      role: 'owner',
      $set: { workspace: 'globex' },
      'a.b': 1,
    };
    const body = { ...GOOD[path], ...smuggled, name: 'smuggled' };
    expect((await stack.call('POST', path, { body })).status).toBe(422);
    const created = await stack.call('POST', path, { body, headers: LENIENT });
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect(id).not.toBe('mine');
    const collection = path === '/utm-templates' ? 'utm_templates' : path.slice(1);
    const before = await stack.stored(collection, id as string);
    expect(before.workspace).toBe('acme');
    for (const text of ['globex', 'stolen', '2001', 'usr_2', 'a.b', '$set'])
      expect(JSON.stringify(before)).not.toContain(text);
    expect([before.scansCount ?? before.linksCount ?? 0, before.revision ?? 1]).toEqual([0, 1]);

    expect((await stack.call('PATCH', `${path}/${id}`, { body: smuggled })).status).toBe(422);
    const patched = await stack.call('PATCH', `${path}/${id}`, { body: smuggled, headers: LENIENT });
    expect([patched.status, patched.body]).toEqual([200, created.body]);
    expect(await stack.stored(collection, id as string)).toEqual(before);
  });

  test('pollutes no prototype, at any depth', async () => {
    for (const text of [
      '{"__proto__":{"polluted":true},"name":"p1","destination_url":"https://example.com"}',
      '{"constructor":{"prototype":{"polluted":true}},"name":"p2","destination_url":"https://example.com"}',
      '{"utm_defaults":{"__proto__":{"polluted":true}},"name":"p3","destination_url":"https://example.com"}',
      '{"utm_defaults":{"constructor":{"prototype":{"polluted":true}}},"name":"p4","destination_url":"https://example.com"}',
      '{"__proto__":"x","name":"p5","destination_url":"https://example.com"}',
    ]) {
      expect((await stack.raw('POST', path, text)).status).toBe(422);
      const answer = await stack.raw('POST', path, text, LENIENT);
      expect(answer.status).toBe(201);
      expect(JSON.stringify(answer.body)).not.toContain('polluted');
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test.each(['__proto__[polluted]=1', 'constructor.prototype.polluted=1', '[status]=active', 'state[]=active'])(
  'the query %s is refused as unknown, or ignored when the client prefers so',
  async (query) => {
    expect((await stack.call('GET', `/links?${query}`)).status).toBe(422);
    expect((await stack.call('GET', `/links?${query}`, { headers: LENIENT })).status).toBe(200);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  },
);

test.each(['status', 'search', 'folder_id', 'tag_id', 'campaign', 'domain_id', 'sort', 'page', 'per_page'])(
  '%s with brackets is refused by its name, alone or beside one without',
  async (name) => {
    for (const query of [`${name}[]=1`, `${name}[$ne]=active`, `${name}%5B0%5D=x`, `${name}[a][b]=1`]) {
      const answer = await stack.call('GET', `/links?${query}`);
      expect([answer.status, refused(answer)]).toEqual([422, [name]]);
    }
    expect((await stack.call('GET', `/links?page=1&${name}[]=1`)).status).toBe(422);
  },
);

test('every query of every route refuses brackets where it is parsed', async () => {
  const answer = await stack.call('GET', `/links/${(await stack.create()).id}/qr?format[]=png&size[]=64`);
  expect([answer.status, refused(answer)]).toEqual([422, ['format', 'size']]);
});

test.each(['[]', '"x"', '1', 'true', '[{"name":"x"}]'])(
  'the body %s is refused because it is no object',
  async (text) => {
    for (const path of Object.keys(GOOD)) {
      const answer = await stack.raw('POST', path, text);
      expect([answer.status, answer.body.error.details]).toEqual([422, { body: ['The body must be a JSON object.'] }]);
    }
  },
);

test('a field of another type has exactly one message', async () => {
  const long = Array.from({ length: 3000 }, () => 'x');
  const names = await Promise.all([[], long].map((name) => stack.call('POST', '/folders', { body: { name } })));
  expect(names.map(({ body }) => body.error.details)).toEqual([
    { name: ['The name must be text.'] },
    { name: ['The name must be text.'] },
  ]);
  const link = await stack.call('POST', '/links', { body: { destination_url: long, title: long, tag_ids: 'x' } });
  expect(Object.values(link.body.error.details).flat()).toHaveLength(3);
});

test('half a character is refused in what is known, and ignored in what is not', async () => {
  const send = (text: string) => stack.raw('POST', '/folders', text, LENIENT);
  expect(refused(await send('{"name":"\\ud800"}'))).toEqual(['name']);
  expect((await send('{"name":"half","bogus":"\\ud800","more":{"a":["\\udc00"]}}')).status).toBe(201);
  const link = (utm: string) =>
    stack.raw('POST', '/links', `{"destination_url":"https://x.example","utm_defaults":${utm}}`, LENIENT);
  const refusedLink = await link('{"utm_term":"\\ud800"}');
  expect(refusedLink.body.error.details).toEqual({
    'utm_defaults.utm_term': ['The utm_term must be well-formed Unicode, without unpaired surrogates.'],
  });
  expect((await link('{"bogus":"\\ud800","utm_term":"x"}')).status).toBe(201);
});

test.each(['folder_id', 'tag_id', 'domain_id', 'campaign', 'search'])(
  'an operator as the text of %s finds nothing',
  async (name) => {
    await stack.create({ folder_id: folderId, campaign_tag: 'c' });
    const { data } = await stack.list(`${name}=${encodeURIComponent('{"$ne":null}')}`);
    expect(data).toEqual([]);
  },
);

test.each(['$ne', '%00', '..%2f..', 'lnk_', '{"$gt":""}', 'x'.repeat(5000), "' or 1=1", '__proto__', 'constructor'])(
  'the id %p is a 404',
  async (id) => {
    for (const path of Object.keys(TEXT_FIELDS)) {
      for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
        expect((await stack.call(method, `${path}/${encodeURIComponent(id)}`, { body })).status).toBe(404);
      }
    }
  },
);

test('60 kB of text that is slow to match is refused at once, in every field', async () => {
  const hostile = ['a'.repeat(60_000), `${'a'.repeat(59_999)}!`, 'é'.repeat(30_000), '春'.repeat(20_000), `${' '.repeat(60_000)}x`, '%'.repeat(60_000), `${'aA'.repeat(30_000)}`]; // prettier-ignore
  const good = { destination_url: 'https://example.com' };
  for (const text of hostile) {
    for (const body of [
      { destination_url: text },
      { destination_url: `https://example.com/${text}` },
      { ...good, title: text },
      { ...good, short_code: text },
      { ...good, campaign_tag: text },
      { ...good, folder_id: text },
      { ...good, tag_ids: [text] },
    ]) {
      expect((await stack.call('POST', '/links', { body })).status).toBe(422);
    }
  }
});

test('the longest values that are allowed are taken, and found', async () => {
  const title = '春'.repeat(255);
  const destination_url = `https://example.com/${'Aa'.repeat(1014)}`;
  expect(destination_url.length).toBe(2048);
  const link = await stack.create({ title, destination_url, campaign_tag: 'c'.repeat(100) });
  expect((await stack.call('GET', `/links/${link.id}`)).body.data).toMatchObject({ title, destination_url });
  expect((await stack.list(`search=${encodeURIComponent('春'.repeat(20))}`)).data).toHaveLength(1);
});

test('another workspace gets the same answer for what is there as for what is not', async () => {
  const link = await stack.create({ title: 'canary', folder_id: folderId });
  const ids: Record<string, string> = { '/links': link.id as string, '/folders': folderId };
  for (const [path, id] of Object.entries(ids)) {
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      const [real, random] = await Promise.all(
        [id, `${id.slice(0, -4)}0000`].map(async (one) => {
          const { status, text } = await stack.call(method, `${path}/${one}`, { body, workspace: 'globex' });
          // The message names the id that was asked for.
          return [status, text.replace(one, 'ID')];
        }),
      );
      expect(real).toEqual([404, expect.stringContaining(' ID in this workspace.')]);
      expect(real).toEqual(random);
    }
  }
  for (const query of [`folder_id=${folderId}`, 'search=canary', '']) {
    const { data } = await stack.list(query, { workspace: 'globex' });
    expect(JSON.stringify(data)).not.toContain('canary');
  }
});

test('every route of the service is refused without a signed identity', async () => {
  const rows = Object.values<RouteDefinition>(ROUTES).filter(
    (row) => row.service === 'resource' && isServedIn(row, 'links'),
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const { method, path } = row;
    const requestPath = path.replace('/workspaces/{workspace}', '').replace('{id}', 'lnk_x');
    for (const unversioned of prefixesOf(row).map((prefix) => prefix === UNVERSIONED_PREFIX)) {
      expect((await stack.call(method, requestPath, { anonymous: true, unversioned })).status).toBe(401);
    }
  }
});
