import { analyticsConfig } from '@waymark/analytics/config';
import { receivedLink } from '@waymark/analytics/links/link';
import { LinkCopies } from '@waymark/analytics/links/link-copies';
import { folderDeleted, linkCreated, linkUpdated, tagDeleted, type LinkSnapshot } from '@waymark/contract/events';
import { createRuntime } from '@waymark/kernel/runtime';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { waitFor } from '@waymark/testing/wait-for';
import { preferredLanguage } from '@waymark/visitors/language';
import { batchOf, Harness, linkSnapshot, rawScan } from './harness.js';

const harness = new Harness();
const scope = { workspace: 'acme' };
const links = () => harness.database.collection<{ _id: string; next?: string; tagIds?: string[] }>('links');

beforeAll(async () => {
  await harness.start();
  const scans = ['lnk_1', 'lnk_2', 'lnk_2', 'lnk_3'].map((id) => rawScan({ link_id: id }));
  await harness.publish(batchOf(scans));
  await harness.settled(4);
});
afterAll(() => harness.stop());

const changed = (given: Partial<LinkSnapshot>) =>
  harness.publish(linkUpdated.create(scope, { link: linkSnapshot({ folder_id: 'fld_a', ...given }) }));

/** Waits until the warehouse has every change. */
async function loaded(id: string, tagIds: string[]): Promise<void> {
  await waitFor(`${id} with ${tagIds.join()}`, async () => {
    const link = await links().findOne({ _id: id });
    return link !== null && link.next === undefined && String(link.tagIds) === String(tagIds);
  });
}

const rowsBy = async (dimension: string, filter = ''): Promise<Record<string, number>> => {
  const { body } = await harness.get(`/breakdown?dimension=${dimension}&${filter}`);
  return Object.fromEntries(body.data.map(({ value, scans }: { value: string; scans: number }) => [value, scans]));
};

test('a breakdown by tag counts a scan of a link with two tags in both rows and once in the total', async () => {
  await changed({ id: 'lnk_1', tag_ids: ['tag_a', 'tag_b'], domain_id: 'dom_a' });
  await changed({ id: 'lnk_2', tag_ids: ['tag_b'], folder_id: 'fld_b' });
  await loaded('lnk_1', ['tag_a', 'tag_b']);
  await loaded('lnk_2', ['tag_b']);
  const { body } = await harness.get('/breakdowns?dimensions=tag,folder,domain,language');
  const row = (value: string, scans: number) => ({ value, scans, unique_visitors: 1, share: scans / 4 });
  expect(body.data).toEqual({
    tag: [row('tag_b', 3), row('none', 1), row('tag_a', 1)],
    folder: [row('fld_b', 2), row('fld_a', 1), row('none', 1)],
    domain: [row('none', 3), row('dom_a', 1)],
    language: [row('de', 4)],
  });
  expect(body.meta.total).toBe(4);
});

test('summary, rows and export filter by the current fields of the links', async () => {
  const query = 'tag_id=tag_b&folder_id=!fld_a';
  const { body } = await harness.get(`/summary?${query}`);
  expect(body.data.kpis).toMatchObject({ total_scans: 2, conversions: 0, active_links: 1 });
  expect(body.meta.filters).toMatchObject({ tag_id: 'tag_b', folder_id: '!fld_a', domain_id: 'all' });
  expect((await harness.get(`/scans?${query}`)).body.meta.total).toBe(2);
  const { text } = await harness.caller.call('GET', `/analytics/export?${query}`);
  expect(text.match(/scn_\w+/g)).toHaveLength(2);
  expect(await rowsBy('link', 'tag_id=none')).toEqual({ lnk_3: 1 });
  expect((await harness.get('/summary?tag_id=!none,tag_a')).body.data.kpis).toMatchObject({ active_links: 1 });
});

test('a deleted tag or folder is removed from its links, even if a change of them arrives later', async () => {
  await harness.publish(tagDeleted.create(scope, { id: 'tag_b', name: 'b' }));
  await harness.publish(folderDeleted.create(scope, { id: 'fld_b', name: 'b' }));
  await loaded('lnk_1', ['tag_a']);
  await loaded('lnk_2', []);
  await changed({ id: 'lnk_3', tag_ids: ['tag_b', 'tag_c'], folder_id: 'fld_b' });
  await loaded('lnk_3', ['tag_c']);
  expect(await rowsBy('tag')).toEqual({ none: 2, tag_a: 1, tag_c: 1 });
  expect(await rowsBy('folder')).toEqual({ none: 3, fld_a: 1 });
});

test('the service asks the owner for fields that events of 0.1.0 lack', async () => {
  const link = linkSnapshot({ id: 'lnk_2', revision: 5, tag_ids: ['tag_b', 'tag_d'], folder_id: 'fld_d' });
  harness.owned.push({ workspace: 'acme', link });
  const { tag_ids: _tags, folder_id: _folder, domain_id: _domain, ...former } = link;
  await harness.publish(linkUpdated.create(scope, { link: former }));
  await harness.publish(linkCreated.create(scope, { link: { ...former, id: 'lnk_gone' } }));
  await loaded('lnk_2', ['tag_d']);
  await loaded('lnk_gone', []);
  expect(await rowsBy('tag')).toEqual({ tag_d: 2, tag_a: 1, tag_c: 1 });
});

test('an emptied warehouse gets the links again', async () => {
  const before = await rowsBy('tag');
  const { pathname } = new URL(harness.backing.CLICKHOUSE_URL);
  await harness.warehouse(`DROP DATABASE \`${pathname.slice(1)}\` SYNC`);
  await waitFor('the same figures', async () => {
    const { status, body } = await harness.get('/breakdown?dimension=tag');
    return status === 200 && body.meta.total === 4 && (await rowsBy('tag'))['tag_d'] === before['tag_d'];
  });
  expect(await rowsBy('tag')).toEqual(before);
});

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, fr;q=0.9', 'fr'],
  ['de;q=0, nl', 'nl'],
  ['iw', 'he'],
  ['*', 'unknown'],
  ['', 'unknown'],
  ['zz-hostile, xx;q=2, qqq', 'unknown'],
  ["'); DROP TABLE scans --", 'unknown'],
])('%s prefers the language %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

test('a deleted tag on many links leaves turns to others, and each round is bounded', async () => {
  const { db, lifecycle } = createRuntime(
    'analytics',
    testProcess(analyticsConfig, { ...harness.env, ...freshBacking() }),
  );
  const copies = new LinkCopies(db);
  await db.start();
  const link = linkSnapshot({});
  const stored = (workspace: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{
        _id: `${workspace}_${index}`,
        workspace,
        shortCode: link.short_code,
        formerKeys: [],
        title: null,
        campaign: null,
      },
      ...{ status: 'active', revision: 1, domainId: null, folderId: null, tagIds: [`tag_${workspace}`], next: 'load' },
    }));
  await copies.putLinks([...stored('large', 2500), ...stored('small', 1)] as never[]);
  for (const workspace of ['large', 'small'])
    await copies.deleted.addDeletion({ workspace, field: 'tagIds', id: `tag_${workspace}` });
  const turns: [string, boolean][] = [];
  for (;;) {
    const detachment = await copies.deleted.claimDetachment(60_000);
    if (!detachment) break;
    const isDone = await copies.detachBatch(detachment);
    turns.push([detachment.workspace, isDone]);
    await (isDone ? copies.deleted.finishDetachment(detachment) : copies.deleted.requeueDetachment(detachment));
  }
  expect(turns).toEqual([
    ['large', false],
    ['small', true],
    ['large', false],
    ['large', true],
  ]);
  await lifecycle.stop();
});

test('a deleted tag is removed only from those links of a batch that name it', async () => {
  const backing = freshBacking();
  const url = new URL(backing.MONGODB_URI);
  url.searchParams.set('monitorCommands', 'true');
  const env = { ...harness.env, ...backing, MONGODB_URI: url.href };
  const { db, lifecycle } = createRuntime('analytics', testProcess(analyticsConfig, env));
  const copies = new LinkCopies(db);
  await db.start();
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  for (const number of numbers)
    await copies.deleted.addDeletion({ workspace: 'acme', field: 'tagIds', id: `tag_${number}` });
  const detached: [string, string][] = [];
  db.connection.getClient().on('commandStarted', ({ command }) => {
    const { update, updates = [] } = command as { update?: string; updates?: { q: Record<string, string> }[] };
    if (update !== 'links') return;
    for (const { q } of updates) if (q['tagIds'] !== undefined) detached.push([q['_id']!, q['tagIds']]);
  });
  const batch = numbers.map((number) => linkSnapshot({ id: `lnk_${number}`, tag_ids: [`tag_${number}`, 'tag_kept'] }));
  await copies.putLinks(batch.map((link) => receivedLink('acme', link)));
  expect(detached.sort()).toEqual(numbers.map((number) => [`lnk_${number}`, `tag_${number}`]));
  await lifecycle.stop();
});
