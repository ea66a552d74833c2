import { linkArchived, linkCreated, linkDeleted, type LinkSnapshot } from '@waymark/contract/events';
import { observeWhileBlocked, whileCommandFails } from '@waymark/testing/fail-command';
import { watchLimits } from '@waymark/testing/limit-runs';
import { waitFor } from '@waymark/testing/wait-for';
import { batchOf, Harness, linkSnapshot, rawScan } from './harness.js';

const LINKS_MAX = 1000;
const harness = new Harness();
const created = (workspace: string, given: Partial<LinkSnapshot>) =>
  linkCreated.create({ workspace }, { link: linkSnapshot(given) });
const known = (workspace: string) => harness.database.collection('links').countDocuments({ workspace });
const filters = async (query = '', workspace = 'acme') => (await harness.get(`/filters?${query}`, { workspace })).body;
const idsOf = async (query = '', workspace = 'acme') =>
  (await filters(query, workspace)).data.links.map(({ id }: { id: string }) => id);
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

beforeAll(async () => {
  await harness.start();
  // Scanned before the event of the link arrives; and the oldest scan arrives last.
  await harness.publish(
    batchOf([
      rawScan({ link_id: 'lnk_b', at: secondsAgo(10), campaign: 'old name' }),
      rawScan({ link_id: 'lnk_a', at: secondsAgo(20), campaign: 'spring' }),
    ]),
  );
  await harness.settled(2);
  await harness.publish(
    created('acme', { id: 'lnk_a', short_code: 'Alpha', title: 'A (1+1)', campaign_tag: 'spring' }),
  );
  await harness.publish(created('acme', { id: 'lnk_b', short_code: 'beta', title: 'Été', campaign_tag: 'new name' }));
  await harness.publish(
    created('acme', {
      id: 'lnk_c',
      short_code: 'gamma',
      campaign_tag: 'unscanned',
      former_codes: [{ hostname: null, short_code: 'Former' }],
    }),
  );
  await harness.publish(linkArchived.create({ workspace: 'acme' }, { link: linkSnapshot({ id: 'lnk_d' }) }));
  await harness.publish(linkDeleted.create({ workspace: 'acme' }, { link: linkSnapshot({ id: 'lnk_e', title: 'e' }) }));
  await harness.publish(created('other', { id: 'lnk_f', campaign_tag: 'foreign' }));
  await waitFor('the links', async () => (await known('acme')) === 5 && (await known('other')) === 1);
  await harness.publish(batchOf([rawScan({ link_id: 'lnk_a', at: secondsAgo(30), campaign: 'spring' })]));
  await harness.settled(3);
});
afterAll(() => harness.stop());

test('filters list links by latest scan, and the campaigns of links and scans', async () => {
  expect(await filters()).toEqual({
    data: {
      links: [
        { id: 'lnk_b', short_code: 'beta', title: 'Été' },
        { id: 'lnk_a', short_code: 'Alpha', title: 'A (1+1)' },
        { id: 'lnk_d', short_code: 'a', title: null },
        { id: 'lnk_c', short_code: 'gamma', title: null },
      ],
      campaigns: ['new name', 'old name', 'spring', 'unscanned'],
    },
    meta: { truncated: false, next_cursor: null },
  });
});

test('a scan moves its link to the front of the filters', async () => {
  const before = await harness.countScans();
  await harness.publish(batchOf([rawScan({ link_id: 'lnk_c', at: secondsAgo(0) })]));
  await harness.settled(before + 1);
  expect((await idsOf())[0]).toBe('lnk_c');
});

test.each([
  ['search=alpha', ['lnk_a']],
  ['search=ÉTÉ', ['lnk_b']],
  ['search=(1%2B1)', ['lnk_a']],
  ['search=forme', ['lnk_c']],
  ['search=A (', ['lnk_a']],
  ['search=.*', []],
  ['search=$', []],
  ['search=%00', []],
  ['search=a%00', []],
  ['search=', ['lnk_a', 'lnk_b', 'lnk_c', 'lnk_d']],
])('%s finds the links whose title, short code or earlier code contains it', async (query, ids) => {
  expect((await idsOf(query)).sort()).toEqual(ids);
});

test('filters follow the links of an import, in any order of their changes', async () => {
  const snapshots = Array.from({ length: 900 }, (_, index) => ({
    id: `lnk_${index % 300}`,
    short_code: `code${index % 300}`,
    revision: [2, 3, 1][(index + Math.floor(index / 300)) % 3],
    campaign_tag: ['2', '3', '1'][(index + Math.floor(index / 300)) % 3],
  }));
  await Promise.all(snapshots.map((snapshot) => harness.publish(created('importing', snapshot))));
  const newest = { workspace: 'importing', revision: 3, campaign: '3' };
  await waitFor('the newest of all', async () => {
    return (await harness.database.collection('links').countDocuments(newest)) === 300;
  });
  expect(await known('importing')).toBe(300);
  expect((await filters('', 'importing')).data.campaigns).toEqual(['3']);
});

test('filters contain only the values of the workspace', async () => {
  expect(await idsOf('', 'other')).toEqual(['lnk_f']);
  expect(await filters('', 'nobody')).toMatchObject({ data: { links: [], campaigns: [] } });
});

test('filters return at most a thousand links, including scanned ones', async () => {
  const links = Array.from({ length: LINKS_MAX + 20 }, (_, index) => ({
    _id: `lnk_${String(index).padStart(5, '0')}`,
    workspace: 'big',
    shortCode: `code${index}`,
    title: null,
    campaign: null,
    status: 'active',
    revision: 1,
  }));
  await harness.database.collection('links').insertMany(links as never[]);
  const before = await harness.countScans();
  await harness.publish(batchOf([rawScan({ workspace: 'big', link_id: 'lnk_00000' })]));
  await harness.settled(before + 1);
  const ids = await idsOf('', 'big');
  expect(ids).toHaveLength(LINKS_MAX);
  expect(ids.slice(0, 2)).toEqual(['lnk_00000', `lnk_${String(LINKS_MAX + 19).padStart(5, '0')}`]);
  const first = await filters('', 'big');
  expect(first.meta).toEqual({ truncated: true, next_cursor: expect.any(String) });

  // Scanned while the list is read: the list must not omit it.
  await harness.publish(batchOf([rawScan({ workspace: 'big', link_id: 'lnk_00005' })]));
  await harness.settled(before + 2);
  const rest = await filters(`cursor=${first.meta.next_cursor}`, 'big');
  expect(rest.meta).toEqual({ truncated: false, next_cursor: null });
  const restIds = rest.data.links.map(({ id }: { id: string }) => id);
  expect(restIds).toContain('lnk_00005');
  expect(new Set([...ids, ...restIds]).size).toBe(LINKS_MAX + 20);
  // A link that was scanned shortly before the first page may appear twice.
  expect(['', 'lnk_00000']).toContain(restIds.filter((id: string) => ids.includes(id)).join());
});

test('filters page the campaigns of a workspace with very many', async () => {
  const links = Array.from({ length: LINKS_MAX + 7 }, (_, index) => ({
    _id: `lnk_campaign_${index}`,
    workspace: 'campaigns',
    shortCode: `c${index}`,
    title: null,
    campaign: `campaign ${index % (LINKS_MAX + 5)}`,
    status: 'active',
    revision: 1,
  }));
  await harness.database.collection('links').insertMany(links as never[]);
  const seen: string[] = [];
  const seenLinks: string[] = [];
  for (let cursor = ''; ;) {
    const { data, meta } = await filters(`cursor=${cursor}`, 'campaigns');
    seen.push(...data.campaigns);
    seenLinks.push(...data.links.map(({ id }: { id: string }) => id));
    if (meta.next_cursor === null) break;
    cursor = meta.next_cursor;
  }
  expect(new Set(seen).size).toBe(LINKS_MAX + 5);
  expect(seen).toHaveLength(LINKS_MAX + 5);
  expect(new Set(seenLinks).size).toBe(LINKS_MAX + 7);
});

test('filters page and search the campaigns of scans and of links', async () => {
  const workspace = 'scanned';
  const name = (index: number) => `scans ${index} Été`;
  const before = await harness.countScans();
  const all = Array.from({ length: LINKS_MAX + 5 }, (_, index) => index);
  for (let from = 0; from < all.length; from += 400) {
    const scans = all.slice(from, from + 400).map((index) => rawScan({ workspace, campaign: name(index) }));
    await harness.publish(batchOf([...scans, scans[0]!]));
  }
  await harness.publish(created(workspace, { id: 'lnk_s', campaign_tag: name(7) }));
  await harness.settled(before + all.length);
  const seen: string[] = [];
  for (let cursor = ''; ;) {
    const { data, meta } = await filters(`cursor=${cursor}`, workspace);
    seen.push(...data.campaigns);
    if (meta.next_cursor === null) break;
    cursor = meta.next_cursor;
  }
  expect(seen).toEqual(all.map(name).sort());
  expect((await filters('search=100 éTÉ', workspace)).data.campaigns).toEqual([name(100)]);
  expect((await filters("search=x' OR 1", workspace)).data.campaigns).toEqual([]);
});

test('filters with an invalid cursor return 422', async () => {
  const { status, body } = await harness.get('/filters?cursor=nonsense');
  expect([status, Object.keys(body.error.details)]).toEqual([422, ['cursor']]);
});

test('three queries of a workspace run at once, further ones wait, and those of another are not delayed', async () => {
  const links = harness.database.collection('links');
  const runsOf = watchLimits();
  const { early, other, statuses } = await observeWhileBlocked(links, { command: 'aggregate', times: 3 }, async () => {
    const statuses: number[] = [];
    const runsBefore = runsOf('greedy').length;
    const requests = Array.from({ length: 120 }, async () => {
      statuses.push((await harness.get('/filters', { workspace: 'greedy' })).status);
    });
    await waitFor('all to be in line', () => runsOf('greedy').length >= runsBefore + 120);
    const other = (await harness.get('/filters', { workspace: 'other' })).status;
    return { early: [...statuses], other, statuses, rest: Promise.all(requests) };
  });
  expect([other, early]).toEqual([200, []]);
  // On a slow machine some wait for longer than they may.
  expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200]));
});

describe('a query of the links that takes too long', () => {
  const getWhileFailing = (command: string, path: string) => {
    const links = harness.database.collection('links');
    return whileCommandFails(links, { command, errorCode: 50 }, () => harness.get(path));
  };

  test.each([
    ['/filters?search=spring', 'find', 'Leave out `search`.'],
    ['/filters?search=spring', 'aggregate', 'Leave out `search`.'],
    ['/summary?campaign=spring', 'aggregate', 'Use fewer filters.'],
  ])('is a 422 with what to do in %s (%s)', async (path, command, advice) => {
    const { status, body } = await getWhileFailing(command, path);
    expect([status, body.error.details]).toEqual([422, { narrow: [advice] }]);
  });

  test.each([
    ['/filters', 'find'],
    ['/filters', 'aggregate'],
    ['/summary', 'aggregate'],
    ['/summary?country=DE', 'aggregate'],
  ])('is a 503 in %s (%s), which no search or filter of links narrows', async (path, command) => {
    const { status, body } = await getWhileFailing(command, path);
    expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
  });
});
