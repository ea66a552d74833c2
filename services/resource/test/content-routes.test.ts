import type { Deployment } from '@waymark/contract/deployments';
import { EVERY_ROLE } from '@waymark/contract/roles';
import { UTM_KEYS } from '@waymark/contract/links';
import { waitFor } from '@waymark/testing/wait-for';
import { Stack, refused, type CallOptions } from './stack.js';

/** The service refuses each value under the name of its field alone, on create and on update. */
const BAD_VALUES: [field: string, value: unknown, named?: string][] = [
  ['destination_url', null],
  ['destination_url', ''],
  ['destination_url', 'ftp://example.com'],
  ['destination_url', 'https://me:secret@example.com'],
  ['destination_url', 'https://go.test/x'],
  ['destination_url', `https://example.com/${'x'.repeat(2029)}`],
  ['title', 7],
  ['title', 'x'.repeat(256)],
  ['campaign_tag', {}],
  ['campaign_tag', 'x'.repeat(101)],
  ['title', 'a\u0000b'],
  ['title', 'a\u202eb'],
  ['title', 'a\nb'],
  ['campaign_tag', '\u0000'],
  ['campaign_tag', ' all '],
  ['status', 'deleted'],
  ['query_policy', 'merge'],
  ['short_code', 'x'.repeat(65)],
  ['short_code', 'with space'],
  ['short_code', 'metrics'],
  ['utm_defaults', 'utm_source=x'],
  ['utm_defaults', []],
  ...UTM_KEYS.map((key): [string, unknown, string] => [
    'utm_defaults',
    { [key]: 'x'.repeat(256) },
    `utm_defaults.${key}`,
  ]),
  ['utm_defaults', { utm_source: 'a\u200bb' }, 'utm_defaults.utm_source'],
];

const LONGEST = {
  destination_url: `https://example.com/${'x'.repeat(2028)}`,
  title: 'x'.repeat(255),
  campaign_tag: 'x'.repeat(100),
  query_policy: 'override',
  utm_defaults: Object.fromEntries(UTM_KEYS.map((key) => [key, 'x'.repeat(255)])),
};

/** The behaviour that links and QR codes share. */
describe.each(['links', 'qr'] as const)('in the %s deployment', (deployment: Deployment) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start(deployment);
  });
  afterAll(() => stack.stop());

  const post = (fields: object, options: CallOptions = {}) =>
    stack.call('POST', stack.path, { body: { destination_url: 'https://example.com/', ...fields }, ...options });
  const on = (id: string, method: string, body?: object, options: CallOptions = {}) =>
    stack.call(method, `${stack.path}/${id}`, { body, ...options });

  test('text is kept without the spaces around it, and as null where nothing is left', async () => {
    const made = await stack.create({
      title: ' T ',
      campaign_tag: '\tall of it ',
      utm_defaults: { utm_source: ' s ' },
    });
    expect(made).toMatchObject({ title: 'T', campaign_tag: 'all of it', utm_defaults: { utm_source: 's' } });
    const blank = { title: '', campaign_tag: ' \n', utm_defaults: { utm_source: '  ' } };
    const emptied = { title: null, campaign_tag: null, utm_defaults: { utm_source: null } };
    expect((await on(made.id, 'PATCH', blank)).body.data).toMatchObject(emptied);
    expect(await stack.create(blank)).toMatchObject(emptied);
  });

  test('each field that is wrong is refused by its name, and nothing is changed', async () => {
    const made = await stack.create({ title: 'as it was' });
    for (const [field, value, named = field] of BAD_VALUES) {
      const created = await post({ [field]: value });
      expect([field, created.status, refused(created)]).toEqual([field, 422, [named]]);
      const changed = await on(made.id, 'PATCH', { [field]: value });
      expect([field, changed.status, refused(changed)]).toEqual([field, 422, [named]]);
    }
    const missing = await stack.call('POST', stack.path, { body: { title: 'no destination' } });
    expect([missing.status, refused(missing)]).toEqual([422, ['destination_url']]);
    expect((await on(made.id, 'GET')).body.data).toEqual(made);
  });

  test('null for the code and the status leaves them to us where there is none yet, and is refused later', async () => {
    const nulls = { short_code: null, status: null };
    const { status, body } = await post(nulls);
    expect([status, body.data.status, body.data.short_code]).toEqual([201, 'active', expect.stringMatching(/^\w+$/)]);
    expect(refused(await on(body.data.id as string, 'PATCH', nulls))).toEqual(['short_code', 'status']);
  });

  test('the longest values are taken, and null clears what may be empty', async () => {
    const created = await post(LONGEST);
    expect([created.status, created.body.data]).toMatchObject([201, LONGEST]);
    const nothing = { title: null, campaign_tag: null, utm_defaults: null };
    const { body } = await on(created.body.data.id as string, 'PATCH', nothing);
    const noUtm = Object.fromEntries(UTM_KEYS.map((key) => [key, null]));
    expect(body.data).toMatchObject({ ...nothing, utm_defaults: noUtm, destination_url: LONGEST.destination_url });
  });

  test('query_policy defaults to append, can be changed alone, and is part of the event', async () => {
    const made = await stack.create({ query_policy: null });
    expect(made.query_policy).toBe('append');
    const id = made.id as string;
    expect((await on(id, 'PATCH', { query_policy: 'drop' })).body.data).toMatchObject({ query_policy: 'drop' });
    expect((await on(id, 'PATCH', { title: 'T' })).body.data).toMatchObject({ query_policy: 'drop' });
    expect((await on(id, 'PATCH', { query_policy: null })).status).toBe(422);
    await waitFor('its events', () => stack.toldOf(id).length === 3);
    const published = stack.toldOf(id)[1]!;
    expect(published.data.link.query_policy).toBe('drop');
    expect(published.audit!.changes).toEqual({ query_policy: { from: 'append', to: 'drop' } });
    expect(await stack.create({ query_policy: 'override' })).toMatchObject({ query_policy: 'override' });
  });

  test('a link that was stored before links had a query_policy has append', async () => {
    const { id } = await stack.create({});
    await stack.database
      .collection<{ _id: string }>('links')
      .updateOne({ _id: id as string }, { $unset: { queryPolicy: 1 } });
    expect((await on(id as string, 'GET')).body.data.query_policy).toBe('append');
    await on(id as string, 'PATCH', { title: 'T' });
    await waitFor('its events', () => stack.toldOf(id as string).length === 2);
    const { data, audit } = stack.toldOf(id as string)[1]!;
    expect([data.link.query_policy, audit!.changes]).toEqual(['append', { title: { from: null, to: 'T' } }]);
  });

  test('the audit entry of a deletion names what is lost', async () => {
    const fields = { title: 'Lost', campaign_tag: 'spring', destination_url: 'https://example.com/lost' };
    const made = await stack.create({ ...fields, utm_defaults: { utm_term: 't' } });
    await on(made.id, 'DELETE');
    await waitFor('its events', () => stack.toldOf(made.id as string).length === 2);
    const { short_code, status, utm_defaults } = made;
    const lost = { ...fields, short_code, status, utm_defaults };
    expect(stack.toldOf(made.id as string)[1]!.audit!.changes).toMatchObject(
      Object.fromEntries(Object.entries(lost).map(([field, from]) => [field, { from, to: null }])),
    );
  });

  test('owner, admin and editor write, every member reads, and the owner alone deletes', async () => {
    for (const role of EVERY_ROLE) {
      const isEditor = ['owner', 'admin', 'editor'].includes(role);
      const { id } = await stack.create();
      const answers = [
        await post({}, { role }),
        await on(id, 'PATCH', { title: role }, { role }),
        await on(id, 'GET', undefined, { role }),
        await stack.call('GET', stack.path, { role }),
        await on(id, 'DELETE', undefined, { role }),
      ];
      const [create, change] = isEditor ? [201, 200] : [403, 403];
      const expected = [create, change, 200, 200, role === 'owner' ? 204 : 403];
      expect([role, ...answers.map(({ status }) => status)]).toEqual([role, ...expected]);
    }
  });

  test('no identity gets 401, and a foreign workspace 404 or an empty list', async () => {
    const { id, title } = await stack.create({ title: 'canary' });
    const calls = [
      ['GET', stack.path],
      ['POST', stack.path, { destination_url: 'https://example.com' }],
      ...(['GET', 'PATCH', 'DELETE'] as const).map((method) => [method, `${stack.path}/${id}`, { title: 'x' }]),
    ] as [string, string, object?][];
    for (const [method, path, body] of calls) {
      const sent = method === 'GET' || method === 'DELETE' ? undefined : body;
      for (const unversioned of [false, true]) {
        const anonymous = await stack.call(method, path, { body: sent, anonymous: true, unversioned });
        expect([anonymous.status, anonymous.body.error.code]).toEqual([401, 'unauthenticated']);
        if (path === stack.path) continue;
        const strange = await stack.call(method, path, { body: sent, workspace: 'globex', unversioned });
        expect([strange.status, strange.body.error.code]).toEqual([404, 'not_found']);
      }
    }
    expect((await stack.list('', { workspace: 'globex' })).data).toEqual([]);
    expect((await on(id, 'GET')).body.data.title).toBe(title);
  });

  test('the older prefix does the same, with its own places and errors', async () => {
    const unversioned = { unversioned: true };
    const created = await post({ title: 'older' }, unversioned);
    const { id } = created.body.data;
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      `https://api.test/api/workspaces/acme${stack.path}/${id}`,
    ]);
    expect((await on(id, 'GET', undefined, unversioned)).body).toEqual((await on(id, 'GET')).body);
    expect((await on(id, 'PATCH', { title: 'newer' }, unversioned)).body.data.title).toBe('newer');
    const { meta, links } = await stack.list('per_page=1', unversioned);
    expect([meta.path, links.first]).toEqual([
      `https://api.test/api/workspaces/acme${stack.path}`,
      `https://api.test/api/workspaces/acme${stack.path}?per_page=1&page=1`,
    ]);
    const wrong = await post({ title: 7 }, unversioned);
    expect(wrong.body).toEqual({
      message: expect.any(String),
      errors: { title: expect.any(Array) },
      error: {
        code: 'validation_failed',
        message: expect.any(String),
        details: { title: expect.any(Array) },
        problems: [expect.objectContaining({ field: 'title', code: 'wrong_type' })],
      },
    });
    expect((await on(id, 'DELETE', undefined, unversioned)).status).toBe(204);
    expect((await on(id, 'GET', undefined, unversioned)).body).toMatchObject({ message: expect.any(String) });
  });

  test('another method is 405 and names the right ones', async () => {
    const { id } = await stack.create();
    const allowed = ({ headers }: { headers: Headers }) => headers.get('allow')?.split(', ').sort();
    const [all, one] = [await stack.call('PUT', stack.path, { body: {} }), await on(id, 'PUT', {})];
    expect([all.status, allowed(all)]).toEqual([405, ['GET', 'HEAD', 'POST']]);
    expect([one.status, allowed(one)]).toEqual([405, ['DELETE', 'GET', 'HEAD', 'PATCH']]);
  });

  test('a word in the place of an id is no path, whichever method', async () => {
    const word = deployment === 'links' ? 'nothing' : 'import';
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']) {
      const { status, headers } = await stack.call(
        method,
        `${stack.path}/${word}`,
        method === 'GET' ? {} : { body: {} },
      );
      expect([method, status, headers.get('allow')]).toEqual([method, 404, null]);
    }
  });

  test('a destination without a scheme is told to have one', async () => {
    for (const url of [
      'example.com/x',
      'www.example.com',
      '//example.com/x',
      'ftp://example.com',
      'mailto:a@b.example',
    ])
      expect((await post({ destination_url: url })).body.error.details).toEqual({
        destination_url: ['The destination_url must begin with https:// or http://.'],
      });
  });

  test('a change is one event, named by the status where that changes, and none where nothing does', async () => {
    const { id } = await stack.create({ title: 'T' });
    const archived = await on(id, 'PATCH', { status: 'archived', title: 'U' });
    expect(archived.body.data).toMatchObject({ status: 'archived', archived_at: archived.body.data.updated_at });
    expect((await on(id, 'PATCH', { status: 'archived', title: 'U' })).body).toEqual(archived.body);
    const active = await on(id, 'PATCH', { status: 'active' });
    expect(active.body.data).toMatchObject({ status: 'active', archived_at: null });
    await on(id, 'DELETE');
    await waitFor('the events', () => stack.toldOf(id as string).length === 4);
    const kind = deployment === 'links' ? 'link' : 'qr_code';
    expect(stack.toldOf(id as string).map(({ type, audit }) => [type, audit!.changes])).toEqual([
      [`${kind}.created`, expect.objectContaining({ title: { from: null, to: 'T' } })],
      [`${kind}.archived`, { status: { from: 'active', to: 'archived' }, title: { from: 'T', to: 'U' } }],
      [`${kind}.reactivated`, { status: { from: 'archived', to: 'active' } }],
      [`${kind}.deleted`, expect.objectContaining({ title: { from: 'U', to: null } })],
    ]);
  });

  test('each event has the link as the API shows it, named references included, and a later time', async () => {
    const kind = deployment === 'links' ? 'link' : 'qr_code';
    const references: Record<string, unknown> = {};
    if (deployment === 'links') {
      const tag = await stack.call('POST', '/tags', { body: { name: 'Sale', color: '#ff0000' } });
      references['tag_ids'] = [tag.body.data.id];
      references['folder_id'] = (await stack.call('POST', '/folders', { body: { name: 'F' } })).body.data.id;
    }
    const { id } = await stack.create();
    const bulk = (action: string) => stack.call('POST', `${stack.path}/bulk`, { body: { ids: [id], action } });
    const steps = [
      () => on(id, 'PATCH', deployment === 'links' ? references : { style: { margin: 2 } }),
      () => bulk('archive'),
      () => bulk('reactivate'),
    ];
    const shown = [(await on(id, 'GET')).body.data];
    for (const step of steps) {
      expect((await step()).status).toBe(200);
      shown.push((await on(id, 'GET')).body.data);
    }
    expect((await on(id, 'DELETE')).status).toBe(204);
    const events = await waitFor('the events', () => stack.toldOf(id).length === 5 && stack.toldOf(id));
    const { updated_at: _time, ...last } = shown.at(-1);
    for (const [index, body] of [...shown, last].entries()) {
      const { scans_count: _scans, last_scanned_at: _scanned, short_url_unicode: _unicode, domain, ...link } = body;
      expect(events[index]!.data.link).toMatchObject(link);
      expect(events[index]!.data.link.domain_id).toBe(domain?.id ?? null);
    }
    const times = events.map(({ data }) => data.link.updated_at!);
    expect(times).toEqual([...new Set(times)].sort());
    expect(events.map(({ type }) => type.replace(`${kind}.`, ''))).toEqual([
      'created',
      'updated',
      'archived',
      'reactivated',
      'deleted',
    ]);
  });

  test('changes of a link get different times, also where the clock stands or goes back', async () => {
    const { id } = await stack.create();
    const future = new Date(Date.now() + 60_000);
    const collection = stack.database.collection<{ _id: string }>('links');
    await collection.updateOne({ _id: id }, { $set: { updatedAt: future } });
    const { body } = await on(id, 'PATCH', { title: 'later' });
    expect(body.data.updated_at).toBe(new Date(future.getTime() + 1).toISOString());
  });
});
