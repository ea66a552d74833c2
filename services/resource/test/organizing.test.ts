import { folder } from '@waymark/contract/folders';
import { item, list } from '@waymark/contract/common';
import { tag } from '@waymark/contract/tags';
import { utmTemplate } from '@waymark/contract/utm-templates';
import { observeWhileBlocked } from '@waymark/testing/fail-command';
import { watchLimits } from '@waymark/testing/limit-runs';
import { waitFor } from '@waymark/testing/wait-for';
import { Stack, refused } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('links', 2);
});
afterAll(() => stack.stop());

const UTM = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };
const KINDS = [
  {
    path: '/folders',
    type: 'folder',
    schema: folder,
    blank: { description: null, color: null, links_count: 0 },
    change: { description: 'D', color: '#2563eb' },
    bad: { name: 'x'.repeat(101), description: 7, color: 'red' },
  },
  {
    path: '/tags',
    type: 'tag',
    schema: tag,
    blank: { color: null, links_count: 0 },
    change: { color: '#2563EB' },
    bad: { name: 'x'.repeat(51), color: '#12' },
  },
  {
    path: '/utm-templates',
    type: 'utm_template',
    schema: utmTemplate,
    blank: { description: null, ...UTM },
    change: { description: 'D\n\tE', utm_source: 'newsletter', utm_term: 'x' },
    bad: { name: '  ', description: 'a\u0000b', utm_source: 7, utm_term: 'a\tb', utm_content: 'x'.repeat(256) },
  },
];

describe.each(KINDS)('$path', ({ path, type, schema, blank, change, bad }) => {
  const create = (body: object, options = {}) => stack.patiently('POST', path, { body, ...options });

  test('changes of one item take turns, and delay no other workspace', async () => {
    const { id } = (await create({ name: 'Busy' }, { workspace: 'busy' })).body.data;
    let finished = 0;
    const many = Array.from({ length: 120 }, (_, number) =>
      stack
        .call('PATCH', `${path}/${id}`, { body: { name: `Busy ${number}` }, workspace: 'busy', process: 0 })
        .then(({ status }) => {
          finished += 1;
          return status;
        }),
    );
    const other = await stack.call('POST', path, { body: { name: 'Calm' }, workspace: 'calm', process: 0 });
    expect([other.status, finished < 60]).toEqual([201, true]);
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
  });

  test('creates, shows, lists newest first, changes and deletes, each with its event and audit entry', async () => {
    const created = await create({ name: ' First ' });
    expect(created.status).toBe(201);
    expect(item(schema as never).parse(created.body)).toEqual(created.body);
    const { id } = created.body.data;
    expect(created.body.data).toMatchObject({ id, name: 'First', ...blank });
    expect(created.headers.get('location')).toBe(`https://api.test/api/v1/workspaces/acme${path}/${id}`);
    const second = (await create({ name: 'Second', ...change })).body.data;
    expect(second).toMatchObject(change);

    expect((await stack.call('GET', `${path}/${id}`)).body).toEqual(created.body);
    const all = await stack.call('GET', path);
    expect(list(schema as never).parse(all.body)).toEqual({ data: [second, created.body.data] });

    const changed = await stack.call('PATCH', `${path}/${id}`, { body: { name: 'Renamed', ...change } });
    expect([changed.status, changed.body.data]).toMatchObject([200, { name: 'Renamed', ...change }]);
    const cleared = Object.fromEntries(Object.keys(change).map((key) => [key, null]));
    const again = await stack.call('PATCH', `${path}/${id}`, { body: cleared });
    expect(again.body.data).toMatchObject({ name: 'Renamed', ...blank });
    expect((await stack.call('PATCH', `${path}/${id}`, { body: {} })).body).toEqual(again.body);

    const deleted = await stack.call('DELETE', `${path}/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect((await stack.call(method, `${path}/${id}`, { body })).status).toBe(404);
    }
    await waitFor('the events', () => stack.toldOf(id as string).length === 4);
    const published = stack.toldOf(id as string);
    expect(published.map((event) => event.type)).toEqual([
      `${type}.created`,
      `${type}.updated`,
      `${type}.updated`,
      `${type}.deleted`,
    ]);
    expect(published[1]!.audit).toMatchObject({
      target: { type, id, label: 'Renamed' },
      changes: { name: { from: 'First', to: 'Renamed' } },
    });
    expect(published[3]!.audit!.changes).toEqual({ name: { from: 'Renamed', to: null } });
    await waitFor('the first event', () => stack.toldOf(second.id as string).length === 1);
    await stack.call('DELETE', `${path}/${second.id}`);
    await waitFor('the last event', () => stack.toldOf(second.id as string).length === 2);
    const lost = Object.entries({ name: 'Second', ...change }).map(([field, from]) => [field, { from, to: null }]);
    expect(stack.toldOf(second.id as string)[1]!.audit!.changes).toEqual(Object.fromEntries(lost));
  });

  test('text is kept without the spaces around it, and as null where nothing is left', async () => {
    const texts = Object.keys(change).filter((field) => field !== 'color');
    const all = (value: string | null) => Object.fromEntries(texts.map((field) => [field, value]));
    const { id, ...made } = (await create({ name: 'trimmed', ...all('  text ') })).body.data;
    expect(made).toMatchObject(all('text'));
    expect((await stack.call('PATCH', `${path}/${id}`, { body: all(' \t') })).body.data).toMatchObject(all(null));
  });

  test('a name is the same however its letters are put together', async () => {
    const { name } = (await create({ name: 'Cafe\u0301' })).body.data;
    expect(name).toBe('Caf\u00e9');
    for (const again of ['Caf\u00e9', 'Cafe\u0301']) expect(refused(await create({ name: again }))).toEqual(['name']);
    expect((await create({ name: 'Ｃafé' })).status).toBe(type === 'tag' ? 422 : 201);
  });

  test('a name is the same whichever spaces are in it, and in a tag with joiners or without', async () => {
    expect((await create({ name: ' two\u00a0\u3000words ' })).body.data.name).toBe('two words');
    expect(refused(await create({ name: 'two  words' }))).toEqual(['name']);
    for (const name of ['a\u200db', 'a\u00adb', '\u2800']) expect(refused(await create({ name }))).toEqual(['name']);
    expect((await create({ name: 'می\u200cخواهم ❤\ufe0f' })).status).toBe(201);
    expect((await create({ name: 'میخواهم ❤' })).status).toBe(type === 'tag' ? 422 : 201);
  });

  test('names every wrong field at once', async () => {
    const answer = await create(bad);
    expect([answer.status, refused(answer)]).toEqual([422, Object.keys(bad).sort()]);
    expect(refused(await create({}))).toEqual(['name']);
    const one = (await create({ name: 'patched' })).body.data;
    expect(refused(await stack.call('PATCH', `${path}/${one.id}`, { body: bad }))).toEqual(Object.keys(bad).sort());
    expect(refused(await stack.call('PATCH', `${path}/${one.id}`, { body: { name: null } }))).toEqual(['name']);
  });

  test('a name is unique in its workspace, on create and on change, also of many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create({ name: 'unique' }, { process: i % 2 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect([answer.status, refused(answer)]).toEqual([422, ['name']]);
    const other = (await create({ name: 'other name' })).body.data;
    expect(refused(await stack.call('PATCH', `${path}/${other.id}`, { body: { name: 'unique' } }))).toEqual(['name']);
    expect((await create({ name: 'unique' }, { workspace: 'globex' })).status).toBe(201);
    expect((await create({ name: 'UNIQUE' })).status).toBe(type === 'tag' ? 422 : 201);
  });

  test('the name of a deleted one is free again', async () => {
    const { id } = (await create({ name: 'again' })).body.data;
    await stack.call('DELETE', `${path}/${id}`);
    expect((await create({ name: 'again' })).status).toBe(201);
  });

  test('is 404 in another workspace, 403 for a forbidden role, 401 without identity', async () => {
    const { id } = (await create({ name: 'private' })).body.data;
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      const call = (options: object) => stack.call(method, `${path}/${id}`, { body, ...options });
      expect((await call({ workspace: 'globex' })).status).toBe(404);
      expect((await call({ anonymous: true })).status).toBe(401);
      if (method !== 'GET') expect((await call({ role: 'viewer' })).status).toBe(403);
    }
    expect((await stack.call('GET', path, { role: 'viewer' })).status).toBe(200);
    expect((await create({ name: 'y' }, { role: 'analyst' })).status).toBe(403);
    expect((await stack.call('GET', path, { workspace: 'globex' })).text).not.toContain('private');
  });

  test('is served without a version too, with the older errors', async () => {
    const answer = await create({}, { unversioned: true });
    expect(answer.body).toMatchObject({ errors: { name: expect.any(Array) }, error: { code: 'validation_failed' } });
    const made = await create({ name: 'older' }, { unversioned: true });
    expect(made.headers.get('location')).toBe(`https://api.test/api/workspaces/acme${path}/${made.body.data.id}`);
  });

  test('with an Idempotency-Key is created once', async () => {
    const headers = { 'idempotency-key': `key-${type}` };
    const [first, second] = [await create({ name: 'once' }, { headers }), await create({ name: 'once' }, { headers })];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await create({ name: 'twice' }, { headers })).status).toBe(409);
  });
});

describe('a link', () => {
  const newFolder = async (name: string, workspace = 'acme') =>
    (await stack.call('POST', '/folders', { body: { name }, workspace })).body.data.id as string;
  const newTag = async (name: string, workspace = 'acme') =>
    (await stack.call('POST', '/tags', { body: { name, color: '#112233' }, workspace })).body.data.id as string;
  const countOf = async (path: string) => (await stack.call('GET', path)).body.data.links_count as number;
  const patch = (id: string, body: object) => stack.call('PATCH', `/links/${id}`, { body });

  test('shows its folder and its tags in the order they were given, each once', async () => {
    const folder_id = await newFolder('shown');
    const [a, b] = [await newTag('shown a'), await newTag('shown b')];
    const link = await stack.create({ folder_id, tag_ids: [b, a, b] });
    expect(link).toMatchObject({
      folder_id,
      tags: [
        { id: b, name: 'shown b', color: '#112233' },
        { id: a, name: 'shown a', color: '#112233' },
      ],
    });
    expect((await stack.call('GET', `/links/${link.id}`)).body.data).toEqual(link);
    await stack.call('PATCH', `/tags/${a}`, { body: { name: 'renamed' } });
    expect((await patch(link.id, { title: 'T' })).body.data.tags[1].name).toBe('renamed');
    expect((await patch(link.id, { folder_id: null, tag_ids: null })).body.data).toMatchObject({
      folder_id: null,
      tags: [],
    });
  });

  test('counts where it is, and no more', async () => {
    const [one, two, t] = [await newFolder('count one'), await newFolder('count two'), await newTag('count')];
    const link = await stack.create({ folder_id: one, tag_ids: [t] });
    const other = await stack.create({ folder_id: one, status: 'archived' });
    expect([await countOf(`/folders/${one}`), await countOf(`/tags/${t}`)]).toEqual([2, 1]);
    await patch(link.id, { folder_id: two, tag_ids: [] });
    expect([await countOf(`/folders/${one}`), await countOf(`/folders/${two}`), await countOf(`/tags/${t}`)]).toEqual([
      1, 1, 0,
    ]);
    await stack.call('DELETE', `/links/${other.id}`);
    await patch(link.id, { folder_id: two });
    expect([await countOf(`/folders/${one}`), await countOf(`/folders/${two}`)]).toEqual([0, 1]);
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => stack.create({ folder_id: one, tag_ids: [t] }, { process: i % 2 })),
    );
    expect([await countOf(`/folders/${one}`), await countOf(`/tags/${t}`)]).toEqual([30, 30]);
    // A change of the folder itself leaves the count alone.
    await stack.call('PATCH', `/folders/${one}`, { body: { name: 'counted' } });
    expect(await countOf(`/folders/${one}`)).toBe(30);
  });

  test('refuses each id that names nothing of its workspace, beside what else is wrong', async () => {
    const [foreign, foreignTag] = [await newFolder('foreign', 'globex'), await newTag('foreign', 'globex')];
    const template = await stack.call('POST', '/utm-templates', { body: { name: 'foreign' }, workspace: 'globex' });
    const body = {
      destination_url: 'ftp://example.com',
      folder_id: foreign,
      tag_ids: [await newTag('mine'), foreignTag],
      utm_template_id: template.body.data.id as string,
      domain_id: 'dom_of_nobody',
    };
    const created = await stack.call('POST', '/links', { body });
    expect([created.status, refused(created)]).toEqual([422, Object.keys(body).sort()]);
    expect(created.body.error.details.tag_ids).toEqual([`The tag_ids ${foreignTag} does not exist in this workspace.`]);
    const link = await stack.create();
    const patched = await patch(link.id, body);
    expect([patched.status, refused(patched)]).toEqual([422, Object.keys(body).sort()]);
    expect((await stack.call('GET', `/links/${link.id}`)).body.data).toEqual(link);
    expect((await stack.call('GET', `/folders/${foreign}`, { workspace: 'globex' })).body.data.links_count).toBe(0);
  });

  test.each([
    ['folder_id', ['']],
    ['folder_id', [7, {}, [], { $ne: null }]],
    ['tag_ids', ['x', [7], [null], [{ $ne: null }], Array(51).fill('tag_1')]],
    ['utm_template_id', ['a b', 7]],
    ['domain_id', [7, 'x'.repeat(65)]],
  ])('refuses a %s that is none', async (field, values) => {
    for (const value of values) {
      const answer = await stack.call('POST', '/links', {
        body: { destination_url: 'https://a.example', [field]: value },
      });
      expect(answer.status).toBe(422);
      for (const name of refused(answer)) expect(name.split('.')[0]).toBe(field);
    }
  });

  test('loses a deleted folder or tag and nothing else, without an event of its own', async () => {
    const [folder_id, kept, lost] = [await newFolder('lost'), await newTag('kept'), await newTag('lost')];
    const link = await stack.create({ folder_id, tag_ids: [lost, kept], title: 'stays' });
    await stack.call('DELETE', `/folders/${folder_id}`);
    await stack.call('DELETE', `/tags/${lost}`);
    const after = (await stack.call('GET', `/links/${link.id}`)).body.data;
    expect(after).toEqual({ ...link, folder_id: null, tags: [link.tags[1]], updated_at: expect.any(String) });
    const since = `updated_since=${new Date(Date.parse(link.updated_at) + 1).toISOString()}`;
    await waitFor('the link among the changed ones', async () => (await stack.list(since)).data.some(({ id }: { id: string }) => id === link.id)); // prettier-ignore
    await patch(link.id, { title: 'changed' });
    await waitFor('the change', () => stack.toldOf(link.id).length === 2);
    expect(stack.toldOf(link.id)[1]!.audit!.changes).toEqual({ title: { from: 'stays', to: 'changed' } });
    expect(await countOf(`/tags/${kept}`)).toBe(1);
  });

  test('leaves its deleted tag although a damaged link keeps another tag from going', async () => {
    const [stuck, free] = [await newTag('stuck'), await newTag('free')];
    const [damaged, link] = [await stack.create({ tag_ids: [stuck] }), await stack.create({ tag_ids: [free] })];
    const collection = (name: string) => stack.database.collection<any>(name);
    await collection('links').updateOne({ _id: damaged.id }, { $set: { tagIds: stuck } });
    await collection('tags').updateOne({ _id: stuck }, { $set: { deletedAt: new Date(1) } });
    await collection('tags').updateOne({ _id: free }, { $set: { deletedAt: new Date(2) } });
    await waitFor('the tag to go', async () => (await stack.stored('tags', free)) === null);
    expect(await stack.stored('links', link.id as string)).toMatchObject({ tagIds: [] });
    await collection('links').deleteOne({ _id: damaged.id });
  });

  test('leaves its deleted tag although a damaged link keeps a hundred other tags from going', async () => {
    const [stuck, free] = await Promise.all([stack.stored('tags', await newTag('like')), newTag('last')]);
    const [damaged, link] = [await stack.create(), await stack.create({ tag_ids: [free] })];
    const collection = (name: string) => stack.database.collection<any>(name);
    const ids = Array.from({ length: 100 }, (_, index) => `tag_${String(index).padStart(3, '0')}`);
    for (const id of ids) {
      await collection('links').insertOne({ ...(await stack.stored('links', damaged.id as string)), _id: `lnk_${id}`, codeKeys: [id], tagIds: id }); // prettier-ignore
    }
    await collection('tags').insertMany(ids.map((_id) => ({ ...stuck, _id, nameKey: _id, deletedAt: new Date(1) })));
    await collection('tags').updateOne({ _id: free }, { $set: { deletedAt: new Date(2) } });
    await waitFor('the tag to go', async () => (await stack.stored('tags', free)) === null, 20_000);
    expect(await stack.stored('links', link.id as string)).toMatchObject({ tagIds: [] });
    await collection('links').deleteMany({ codeKeys: { $in: ids } });
    await waitFor('the others', async () => (await collection('tags').countDocuments({ _id: { $in: ids } })) === 0);
  });

  test('is never left in a folder that is deleted in the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const folder_id = await newFolder(`moment ${round}`);
      const body = { destination_url: 'https://example.com', folder_id };
      const creating = Array.from({ length: 8 }, (_, i) => stack.call('POST', '/links', { body, process: i % 2 }));
      const [deleted, ...answers] = await Promise.all([stack.call('DELETE', `/folders/${folder_id}`), ...creating]);
      expect(deleted.status).toBe(204);
      for (const answer of answers) {
        if (answer.status === 422) expect(refused(answer)).toEqual(['folder_id']);
        else expect(answer.status).toBe(201);
      }
      await waitFor(
        'nobody in it',
        async () => (await stack.database.collection('links').countDocuments({ folderId: folder_id })) === 0,
      );
      await waitFor('it forgotten', async () => (await stack.stored('folders', folder_id)) === null);
    }
  });

  test('leaves a deleted folder of thousands of links eventually, and a killed deletion is resumed', async () => {
    const folder_id = await newFolder('thousands');
    const links = stack.database.collection<any>('links');
    const { _id: _, ...like } = await stack.stored('links', (await stack.create({ folder_id })).id as string);
    const copies = Array.from({ length: 2500 }, (_, i) => ({ ...like, _id: `lnk_copy${i}`, codeKeys: [`copy${i}`] }));
    await links.insertMany(copies);
    expect((await stack.call('DELETE', `/folders/${folder_id}`)).status).toBe(204);
    expect((await stack.call('GET', `/folders/${folder_id}`)).status).toBe(404);
    // The folder is hidden from now on, though most links still refer to it.
    const still = await links.findOne({ folderId: folder_id });
    expect(still).not.toBeNull();
    expect((await stack.call('GET', `/links/${still._id}`)).body.data.folder_id).toBeNull();
    expect(await stack.list(`folder_id=${folder_id}`)).toMatchObject({ data: [], meta: { total: 0 } });
    await waitFor('all to have left', async () => (await links.countDocuments({ folderId: folder_id })) === 0);
    await waitFor('it forgotten', async () => (await stack.stored('folders', folder_id)) === null);
    expect(await links.countDocuments({ codeKeys: /^copy/ })).toBe(2500);
    await links.deleteMany({ codeKeys: /^copy/ });
  });
});

describe('a UTM template', () => {
  let templateId: string;
  beforeAll(async () => {
    const body = { name: 'applied', utm_source: 'template', utm_medium: 'print' };
    templateId = (await stack.call('POST', '/utm-templates', { body })).body.data.id as string;
  });

  test('gives its values to a new link; values of the request beat it', async () => {
    const link = await stack.create({
      utm_template_id: templateId,
      utm_defaults: { utm_medium: 'email', utm_term: 't' },
    });
    expect(link.utm_defaults).toEqual({ ...UTM, utm_source: 'template', utm_medium: 'email', utm_term: 't' });
  });

  test('gives its values to a new link also beside utm_defaults null; the null of one value beats it', async () => {
    const all = await stack.create({ utm_template_id: templateId, utm_defaults: null });
    expect(all.utm_defaults).toEqual({ ...UTM, utm_source: 'template', utm_medium: 'print' });
    const one = await stack.create({ utm_template_id: templateId, utm_defaults: { utm_source: null } });
    expect(one.utm_defaults).toEqual({ ...UTM, utm_medium: 'print' });
  });

  test('overwrites what is stored, leaves what it does not say, and yields to the request, also to its nulls', async () => {
    const link = await stack.create({ utm_defaults: { utm_source: 'old', utm_term: 'stays', utm_content: 'old' } });
    const body = { utm_template_id: templateId, utm_defaults: { utm_medium: null, utm_content: 'new' } };
    const { utm_defaults } = (await stack.call('PATCH', `/links/${link.id}`, { body })).body.data;
    expect(utm_defaults).toEqual({ ...UTM, utm_source: 'template', utm_term: 'stays', utm_content: 'new' });
  });

  test('is copied: neither its change nor its deletion changes a link', async () => {
    const { body } = await stack.call('POST', '/utm-templates', { body: { name: 'copied', utm_source: 'before' } });
    const { id } = body.data;
    const link = await stack.create({ utm_template_id: id });
    await stack.call('PATCH', `/utm-templates/${id}`, { body: { utm_source: 'after' } });
    await stack.call('DELETE', `/utm-templates/${id}`);
    expect((await stack.call('GET', `/links/${link.id}`)).body.data).toEqual(link);
    expect(refused(await stack.call('PATCH', `/links/${link.id}`, { body: { utm_template_id: id } }))).toEqual(['utm_template_id']); // prettier-ignore
  });

  test('utm_defaults null clears all, and the template then fills in', async () => {
    const link = await stack.create({ utm_defaults: { utm_term: 'x' } });
    const clear = (fields: object) =>
      stack.call('PATCH', `/links/${link.id}`, { body: { utm_defaults: null, ...fields } });
    expect((await clear({})).body.data.utm_defaults).toEqual(UTM);
    expect((await clear({ utm_template_id: templateId })).body.data.utm_defaults).toMatchObject({ utm_source: 'template', utm_term: null }); // prettier-ignore
  });
});

test.each([
  ['/links', (name: string) => ({ destination_url: 'https://example.com/', title: name }), 'title'],
  ['/tags', (name: string) => ({ name }), 'name'],
] as const)(
  'a change of %s whose client has gone while it waited is not made, and those after it are',
  async (path, bodyOf, field) => {
    const workspace = 'impatient';
    const runsOf = watchLimits();
    const collection = stack.database.collection(path.slice(1));
    const round = await observeWhileBlocked(collection, { command: 'insert', times: 1 }, async () => {
      const [client, before] = [new AbortController(), runsOf(workspace).length];
      const create = (name: string, signal?: AbortSignal) =>
        stack.call('POST', path, { workspace, signal, body: bodyOf(`${name}-${before}`) });
      const inLine = (count: number) => waitFor(`${count} in line`, () => runsOf(workspace).length === before + count);
      const first = create('first');
      await inLine(1);
      const left = create('left', client.signal).catch(() => undefined);
      await inLine(2);
      client.abort();
      await waitFor('the service to know', () => runsOf(workspace).at(-1)!.signal!.aborted);
      const third = create('third');
      await inLine(3);
      return { before, rest: Promise.all([first, left, third]) };
    });
    const { body } = await stack.call('GET', path, { workspace });
    const made = (body.data as Record<string, string>[]).map((item) => item[field]!);
    expect(made.filter((name) => name.endsWith(`-${round.before}`)).sort()).toEqual(
      ['first', 'third'].map((name) => `${name}-${round.before}`),
    );
  },
);
