import type { Plan } from '@waymark/contract/plans';
import { findContentUsage } from '@waymark/contract/requests';
import { Stack } from './stack.js';

const CAP = 12;
const LINKS_MAX = 30;
let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('links', 2, {
    MAX_FOLDERS_PER_WORKSPACE: String(CAP),
    MAX_TAGS_PER_WORKSPACE: String(CAP),
    MAX_UTM_TEMPLATES_PER_WORKSPACE: String(CAP),
    MAX_LINKS_PER_WORKSPACE: String(LINKS_MAX),
  });
});
afterAll(() => stack.stop());

const KINDS = [
  ['/folders', 'folders', 'folders', 'fld'],
  ['/tags', 'tags', 'tags', 'tag'],
  ['/utm-templates', 'utm_templates', 'utm_templates', 'utm'],
] as const;

const statuses = (answers: { status: number }[]) =>
  Object.fromEntries([201, 422].map((status) => [status, answers.filter((answer) => answer.status === status).length]));

describe.each(KINDS)('%s', (path, resource, collection, prefix) => {
  const create = (workspace: string, name: string, process = 0) =>
    stack.patiently('POST', path, { workspace, process, body: { name } });
  const count = (workspace: string) => stack.database.collection(collection).countDocuments({ workspace });

  /** Items as an earlier version stored them, which did not count them. */
  const insertPastQuota = (workspace: string, items: number) =>
    stack.database.collection<any>(collection).insertMany(
      Array.from({ length: items }, (_, index) => ({
        _id: `${prefix}_${workspace}_${index}`,
        workspace,
        name: `old ${index}`,
        nameKey: `old ${index}`,
        createdAt: new Date(index),
        updatedAt: new Date(index),
        linksCount: 0,
        deletedAt: null,
      })),
    );

  test('refuses one item above the cap with the resource, and takes one again after a deletion', async () => {
    const workspace = `full-${prefix}`;
    const made = await Promise.all(Array.from({ length: CAP }, (_, index) => create(workspace, `n${index}`)));
    expect(statuses(made)).toEqual({ 201: CAP, 422: 0 });
    const refused = await create(workspace, 'one more');
    expect([refused.status, refused.body.error.details]).toEqual([
      422,
      { reason: 'quota_exceeded', quota: [expect.any(String)], resource, limit: CAP, current: CAP },
    ]);
    const { id } = made[0]!.body.data;
    expect((await stack.patiently('DELETE', `${path}/${id}`, { workspace })).status).toBe(204);
    expect((await stack.patiently('DELETE', `${path}/${id}`, { workspace })).status).toBe(404);
    expect((await create(workspace, 'one more')).status).toBe(201);
    expect((await create(workspace, 'two more')).status).toBe(422);
  });

  test('of fifty creates at once, over two processes, takes as many as the cap leaves room for', async () => {
    const workspace = `race-${prefix}`;
    await insertPastQuota(workspace, CAP - 5);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(workspace, `n${index}`, index % 2)),
    );
    expect(statuses(answers)).toEqual({ 201: 5, 422: 45 });
    expect(await count(workspace)).toBe(CAP);
  });

  test('a name that is taken uses up no place', async () => {
    const workspace = `names-${prefix}`;
    await insertPastQuota(workspace, CAP - 1);
    for (let index = 0; index < 3; index += 1) expect((await create(workspace, 'old 0')).status).toBe(422);
    expect((await create(workspace, 'new')).status).toBe(201);
  });

  test('a workspace above the cap keeps its items, deletes them, and gets them in pages', async () => {
    const workspace = `above-${prefix}`;
    await insertPastQuota(workspace, CAP + 8);
    expect((await create(workspace, 'new')).body.error.details).toMatchObject({ limit: CAP, current: CAP + 8 });
    const whole = await stack.call('GET', path, { workspace });
    expect([whole.body.data.length, whole.body.meta]).toEqual([CAP, { truncated: true, total: CAP + 8 }]);
    expect(whole.body.data[0].name).toBe(`old ${CAP + 7}`);

    const page = await stack.call('GET', `${path}?page=3&per_page=8`, { workspace });
    expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual(['old 3', 'old 2', 'old 1', 'old 0']);
    expect(page.body.meta).toMatchObject({
      current_page: 3,
      last_page: 3,
      per_page: 8,
      total: CAP + 8,
      from: 17,
      to: 20,
    });
    expect(page.body.links.prev).toContain('per_page=8&page=2'.split('&')[0]!);

    for (let index = 0; index < 9; index += 1) {
      await stack.patiently('DELETE', `${path}/${prefix}_${workspace}_${index}`, { workspace });
    }
    expect((await create(workspace, 'new')).status).toBe(201);
    expect((await create(workspace, 'newer')).status).toBe(422);
  });

  test.each([
    ['page=1', 15],
    ['per_page=2', 2],
  ])('the query %s answers a page of %i', async (query, perPage) => {
    const { body } = await stack.call('GET', `${path}?${query}`, { workspace: `paged-${prefix}` });
    expect([Object.keys(body), body.meta.per_page, body.meta.total]).toEqual([['data', 'links', 'meta'], perPage, 0]);
  });

  test.each(['page=0', 'per_page=101', 'page=x'])('the query %s is refused', async (query) => {
    expect((await stack.call('GET', `${path}?${query}`)).status).toBe(422);
  });
});

describe('links in any status', () => {
  const create = (workspace: string, activeLinks: number | null, fields: object, process = 0) =>
    stack.patiently('POST', '/links', {
      workspace,
      activeLinks,
      process,
      body: { destination_url: 'https://example.com', ...fields },
    });
  const count = (workspace: string) => stack.database.collection('links').countDocuments({ workspace });

  test('are at most ten times as many as the plan allows to be active, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => create('total', 1, { status: 'archived' }, index % 2)),
    );
    expect(statuses(answers)).toEqual({ 201: 10, 422: 14 });
    const { details } = answers.find(({ status }) => status === 422)!.body.error;
    expect(details).toEqual({
      reason: 'quota_exceeded',
      quota: [expect.any(String)],
      resource: 'links',
      limit: 10,
      current: 10,
    });
    expect(await count('total')).toBe(10);
    const [{ id }] = (await stack.list('per_page=1', { workspace: 'total' })).data;
    expect((await stack.patiently('DELETE', `/links/${id}`, { workspace: 'total' })).status).toBe(204);
    expect((await create('total', 1, { status: 'archived' })).status).toBe(201);
    expect((await create('total', 1, { status: 'archived' })).status).toBe(422);
  });

  test('count what existed before they were counted', async () => {
    for (let index = 0; index < 9; index += 1) await create('older', 1, { status: 'archived' });
    await stack.database.collection<{ _id: string }>('quotas').deleteOne({ _id: 'older/links' });
    expect((await create('older', 1, {})).status).toBe(201);
    expect((await create('older', 1, { status: 'archived' })).body.error.details).toMatchObject({ current: 10 });
  });

  test('are limited on an unlimited plan too, in imports row by row', async () => {
    const links = Array.from({ length: LINKS_MAX + 5 }, (_, index) => ({
      destination_url: `https://example.com/${index}`,
      status: index % 2 ? 'archived' : 'active',
    }));
    for (const dry_run of [true, false]) {
      const body = { links, options: { dry_run } };
      const sent = await stack.call('POST', '/links/import', { workspace: 'imported', body });
      const jobPath = `/links/imports/${sent.body.data.id}`;
      let job = sent.body.data;
      while (!job.finished_at) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        job = (await stack.call('GET', jobPath, { workspace: 'imported' })).body.data;
      }
      expect(job).toMatchObject({ created_count: LINKS_MAX, failed_count: 5 });
      expect(job.errors[0]).toMatchObject({
        row: LINKS_MAX + 1,
        field: 'quota',
        details: { reason: 'quota_exceeded' },
      });
    }
    expect(await count('imported')).toBe(LINKS_MAX);
    expect((await create('imported', null, {})).body.error.details).toMatchObject({
      resource: 'links',
      limit: LINKS_MAX,
    });
  });
});

test('the usage of a workspace has each count with the limit that is enforced', async () => {
  const workspace = 'usage';
  const plan: Plan = { name: 'free', activeLinks: 2, customDomains: 1, entitlements: [] };
  const usage = async () => (await stack.requester.ask(findContentUsage, { workspace, plan }, 10_000)).usage;
  const containers = (used: number) => ({
    folders: { used, limit: CAP },
    tags: { used, limit: CAP },
    utm_templates: { used, limit: CAP },
  });
  expect(await usage()).toEqual({
    active_links: { used: 0, limit: 2 },
    links: { used: 0, limit: 20 },
    ...containers(0),
  });

  for (const path of ['/folders', '/tags', '/utm-templates']) {
    await stack.patiently('POST', path, { workspace, body: { name: 'one' } });
  }
  const options = { workspace, activeLinks: 2 };
  const body = { destination_url: 'https://example.com' };
  const { body: made } = await stack.patiently('POST', '/links', { ...options, body });
  await stack.patiently('POST', '/links', { ...options, body });
  await stack.patiently('PATCH', `/links/${made.data.id}`, { ...options, body: { status: 'archived' } });

  expect(await usage()).toEqual({
    active_links: { used: 1, limit: 2 },
    links: { used: 2, limit: 20 },
    ...containers(1),
  });
});
