import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { observeWhileBlocked } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';
import { entryOf } from '@waymark/launcher/process-table';
import { Stack } from './stack.js';

/** Many concurrent requests of one workspace, on a machine that may be busy. */
let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('links', 2);
});
afterAll(() => stack.stop());

const link = { destination_url: 'https://example.com' };
const create = (workspace: string, activeLinks: number | null, fields: object = {}, process = 0) =>
  stack.patiently('POST', '/links', { body: { ...link, ...fields }, workspace, activeLinks, process });
const patch = (workspace: string, activeLinks: number | null, id: string, body: object, process = 0) =>
  stack.patiently('PATCH', `/links/${id}`, { body, workspace, activeLinks, process });
const activeOf = async (workspace: string) => (await stack.list('status=active&per_page=1', { workspace })).meta.total;
const storedActive = (workspace: string) =>
  stack.database.collection('links').countDocuments({ workspace, status: 'active' });

test('one link too many is refused with the quota, the resource, the limit and how many there are', async () => {
  for (let i = 0; i < 3; i += 1) expect((await create('full', 3)).status).toBe(201);
  const refused = await create('full', 3);
  expect(refused.status).toBe(422);
  const message = 'The limit of this workspace is 3 active links.';
  expect(refused.body).toEqual({
    error: {
      code: 'validation_failed',
      message,
      details: {
        reason: 'quota_exceeded',
        quota: [message],
        resource: 'active_links',
        limit: 3,
        current: 3,
      },
      problems: [
        { field: 'quota', code: 'quota_exceeded', params: { resource: 'active_links', limit: 3, current: 3 }, message },
      ],
    },
  });
});

test('the first link of a workspace is created when it carries an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'first-of-all' };
  const answer = await stack.call('POST', '/links', { body: link, workspace: 'keyed', activeLinks: 3, headers });
  expect(answer.status).toBe(201);
});

test('a plan without a limit takes any number, and a plan of none takes none', async () => {
  expect((await create('none', 0)).body.error.details).toMatchObject({ limit: 0, current: 0 });
  expect((await create('none', null)).status).toBe(201);
});

test('of a hundred creates at once, over two processes, with room for one, exactly one succeeds', async () => {
  for (let i = 0; i < 4; i += 1) await create('race', 5);
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => create('race', 5, {}, i % 2)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(99);
  for (const { body } of answers.filter(({ status }) => status === 422)) {
    expect(body.error.details).toMatchObject({ resource: 'active_links', limit: 5 });
  }
  expect(await storedActive('race')).toBe(5);
  expect(await activeOf('race')).toBe(5);
});

test('a hundred creates at once without a limit all succeed', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => create('open', null, {}, i % 2)));
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(201));
  expect(await activeOf('open')).toBe(100);
});

test('of fifty reactivations at once with room for one, exactly one succeeds, and each archiving frees a place', async () => {
  const workspace = 'again';
  // The workspace may have ten times as many links in any status.
  const limit = 10;
  const archived = await Promise.all(
    Array.from({ length: 50 }, () => stack.create({ status: 'archived' }, { workspace })),
  );
  for (let i = 0; i < limit - 1; i += 1) await create(workspace, limit);
  const answers = await Promise.all(
    archived.map(({ id }, i) => patch(workspace, limit, id as string, { status: 'active' }, i % 2)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(49);
  expect(await storedActive(workspace)).toBe(limit);

  const active = answers.find(({ status }) => status === 200)!.body.data.id as string;
  expect((await create(workspace, limit)).status).toBe(422);
  expect((await patch(workspace, limit, active, { status: 'archived' })).status).toBe(200);
  expect((await create(workspace, limit)).status).toBe(201);
});

test('deleting frees a place; an archived link takes none', async () => {
  const first = await create('freed', 1);
  expect((await create('freed', 1)).status).toBe(422);
  expect((await create('freed', 1, { status: 'archived' })).status).toBe(201);
  await stack.call('DELETE', `/links/${first.body.data.id}`, { workspace: 'freed' });
  expect((await create('freed', 1)).status).toBe(201);
});

test('a downgraded plan leaves what is there, lets it be changed, and blocks only new ones', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => stack.create({}, { workspace: 'down' })));
  const { id } = made[0];
  expect((await patch('down', 2, id, { title: 'still mine', status: 'active' })).status).toBe(200);
  expect((await create('down', 2)).body.error.details).toMatchObject({ limit: 2, current: 4 });
  await patch('down', 2, id, { status: 'archived' });
  const again = await patch('down', 2, id, { status: 'active' });
  expect([again.status, again.body.error.details.current]).toEqual([422, 3]);
  expect(await activeOf('down')).toBe(3);
});

test('a create that fails for another reason takes no place', async () => {
  await create('taken', 2, { short_code: 'taken-code' });
  for (let i = 0; i < 5; i += 1) expect((await create('taken', 2, { short_code: 'TAKEN-code' })).status).toBe(422);
  expect((await create('taken', 2)).status).toBe(201);
});

/** Runs the operator's command. */
async function recount(workspace: string, ...flags: string[]): Promise<object> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [entryOf('resource', 'admin/main.js'), 'recount', '--workspace', workspace, '--json', ...flags],
    { env: { PATH: process.env['PATH'], ...stack.env } },
  );
  return JSON.parse(stdout) as object;
}

test('the operator can recount, also while links are created', async () => {
  const workspace = 'recounted';
  const folder = await stack.call('POST', '/folders', { workspace, body: { name: 'F' } });
  const folder_id = folder.body.data.id as string;
  await stack.create({ folder_id }, { workspace });
  await stack.create({ status: 'archived' }, { workspace });
  await stack.database
    .collection('quotas')
    .updateMany({ _id: { $regex: /^recounted/ } } as object, { $set: { used: 7 } });
  await stack.database.collection('folders').updateMany({ workspace }, { $set: { linksCount: 9 } });

  const creating = Promise.all(Array.from({ length: 20 }, () => create(workspace, null, { folder_id })));
  const first = await recount(workspace);
  await creating;
  expect(first).toMatchObject({ workspace, archived: { to: 1 }, folders_corrected: 1 });
  expect(await recount(workspace)).toEqual({
    workspace,
    dry_run: false,
    active: { from: 21, to: 21 },
    archived: { from: 1, to: 1 },
    total: { from: 22, to: 22 },
    folders: { from: 1, to: 1 },
    tags: { from: 0, to: 0 },
    utm_templates: { from: 0, to: 0 },
    folders_corrected: 0,
    tags_corrected: 0,
    domains_corrected: 0,
  });
});

test('a dry run of a recount reports what it would correct, and corrects nothing', async () => {
  const workspace = 'compared';
  const { body } = await stack.call('POST', '/folders', { workspace, body: { name: 'F' } });
  await stack.create({ folder_id: body.data.id as string }, { workspace });
  const quotas = stack.database.collection<{ _id: string; used: number }>('quotas');
  const own = { _id: /^compared\// };
  await quotas.updateMany(own, { $set: { used: 7 } });
  await stack.database.collection('folders').updateMany({ workspace }, { $set: { linksCount: 9 } });
  const before = await quotas.find(own).toArray();

  const planned = await recount(workspace, '--dry-run');

  const corrections = { active: { from: 7, to: 1 }, folders: { from: 7, to: 1 }, folders_corrected: 1 };
  expect(planned).toMatchObject({ workspace, dry_run: true, ...corrections });
  expect(await quotas.find(own).toArray()).toEqual(before);
  expect(await stack.database.collection('folders').findOne({ workspace })).toMatchObject({ linksCount: 9 });
  expect(await recount(workspace)).toEqual({ ...planned, dry_run: false });
});

test.each([[[]], [['--dry-run']]])(
  'a recount %j of an unknown workspace fails, and stores nothing for it',
  async (flags) => {
    const workspace = 'unknown';
    await expect(recount(workspace, ...flags)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: --workspace: The workspace does not exist, or has never had links, folders, tags or UTM templates\.$/m,
      ),
    });
    const [quotas, leases] = ['quotas', 'leases'].map((name) => stack.database.collection<{ _id: string }>(name));
    expect(await quotas!.countDocuments({ _id: /^unknown\// })).toBe(0);
    expect(await leases!.countDocuments({ _id: /unknown/ })).toBe(0);
  },
);

test('a recount knows a workspace that has links of a version without counters', async () => {
  const workspace = 'older';
  await stack.create({}, { workspace });
  await stack.database.collection<{ _id: string }>('quotas').deleteMany({ _id: /^older\// });
  expect(await recount(workspace)).toMatchObject({ workspace, active: { from: 1, to: 1 } });
});

test('a recount may take longer than an operation of a request, locks nothing meanwhile, and runs once at a time', async () => {
  const workspace = 'long';
  const links = stack.database.collection('links');
  const quotas = stack.database.collection<{ _id: string }>('quotas');
  const block = { command: 'aggregate', times: 1, blockMs: 12_000 };
  const { created, second } = await observeWhileBlocked(links, block, async () => {
    await stack.create({}, { workspace });
    await quotas.updateOne({ _id: 'long/active_links' }, { $set: { used: 5 } });
    const first = recount(workspace);
    await waitFor('the recount to run', () => stack.stored('leases', 'recount long'));
    const created = (await create(workspace, null)).status;
    const [second] = await Promise.allSettled([recount(workspace)]);
    return { created, second, rest: first };
  });
  expect(created).toBe(201);
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { stderr: expect.stringContaining('another recount') },
  });
  expect(await stack.stored('quotas', 'long/active_links')).toMatchObject({
    used: await links.countDocuments({ workspace }),
  });
});
