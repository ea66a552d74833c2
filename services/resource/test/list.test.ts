import { observeWhileBlocked, whileCommandFails } from '@waymark/testing/fail-command';
import { watchLimits } from '@waymark/testing/limit-runs';
import { waitFor } from '@waymark/testing/wait-for';
import { addedAddresses, withDerivedFields, type Link } from '@waymark/resource/links/link';
import { Stack, refused } from './stack.js';

let stack: Stack;
const made: Record<string, any> = {};
let folderId: string;
let tagId: string;

beforeAll(async () => {
  stack = await Stack.start();
  folderId = (await stack.call('POST', '/folders', { body: { name: 'Folder' } })).body.data.id as string;
  tagId = (await stack.call('POST', '/tags', { body: { name: 'Tag' } })).body.data.id as string;
  const { id: domain_id } = await stack.verifiedDomain('list.example.com');
  made.a = await stack.create({ title: 'banana', campaign_tag: 'spring', folder_id: folderId });
  made.b = await stack.create({ title: 'Apple', campaign_tag: 'spring', tag_ids: [tagId] });
  made.c = await stack.create({ title: 'cherry', campaign_tag: 'Cafe\u0301 ', status: 'archived', domain_id });
  made.d = await stack.create({ title: null, folder_id: folderId, tag_ids: [tagId] });
  await stack.scan(made.b);
  await stack.scan(made.b);
  await stack.scan(made.c);
  await waitFor('each scan to be counted', async () => {
    const { data } = await stack.list();
    return data.reduce((sum: number, { scans_count }: any) => sum + scans_count, 0) === 3;
  });
});
afterAll(() => stack.stop());

test('a hundred former codes of many words each keep a link small', () => {
  const shortCode = 'aBcDeFgH'.repeat(8);
  const formerCodes = Array.from({ length: 100 }, (_, index) => ({
    hostname: null,
    shortCode: `${index}${shortCode}`,
  }));
  const link = { shortCode, formerCodes, title: 'x', destinationUrl: 'https://example.com' } as unknown as Link;
  const { words } = withDerivedFields(link);
  expect(words).toEqual(expect.arrayContaining(['abcdefghabcdefghabcdefghabcdefghabcdefgh', 'x', 'example']));
  expect(words.length).toBeLessThanOrEqual(300);
});

test('comparing the addresses of a link with a hundred former codes reads each code once', () => {
  let readCount = 0;
  const code = (number: number) => ({
    hostname: null,
    get shortCode() {
      readCount += 1;
      return `code${number}`;
    },
  });
  const linkWith = (count: number) =>
    ({
      hostname: null,
      shortCode: 'now',
      formerCodes: Array.from({ length: count }, (_, number) => code(number)),
    }) as unknown as Link;
  const added = addedAddresses(linkWith(99), linkWith(100));
  expect(readCount).toBeLessThanOrEqual(199);
  expect(added.map(({ shortCode }) => shortCode)).toEqual(['code99']);
});

const names = (links: any[]) => links.map(({ id }) => Object.keys(made).find((name) => made[name].id === id)).join('');
const listed = async (query: string) => {
  const { data, meta } = await stack.list(query);
  expect(meta.total).toBe(data.length);
  return names(data);
};

test.each([
  ['', 'dcba'],
  ['status=active', 'dba'],
  ['status=archived', 'c'],
  ['campaign=spring', 'ba'],
  ['campaign=nothing', ''],
  ['campaign=Caf%C3%A9', 'c'],
  ['campaign=%20Cafe%CC%81', 'c'],
  ['campaign=all', 'dcba'],
  ['campaign=spring&status=archived', ''],
  ['sort=created_at', 'abcd'],
  ['sort=-created_at', 'dcba'],
  ['sort=title', 'dbac'],
  ['sort=-title', 'cabd'],
  ['folder_id=&tag_id=&search=&campaign=&domain_id=', 'dcba'],
  ['folder_id=fld_of_nobody', ''],
  ['tag_id=tag_of_nobody', ''],
  ['domain_id=dom_of_nobody', ''],
])('%s lists %p', async (query, expected) => {
  expect(await listed(query)).toBe(expected);
});

test('a folder, a tag and a domain narrow the list, alone and together', async () => {
  expect(await listed(`folder_id=${folderId}`)).toBe('da');
  expect(await listed(`tag_id=${tagId}`)).toBe('db');
  expect(await listed(`tag_id=${tagId}&folder_id=${folderId}`)).toBe('d');
  expect(await listed(`folder_id=${folderId}&sort=title&campaign=spring`)).toBe('a');
  expect(await listed(`domain_id=${made.c.domain.id}`)).toBe('c');
});

test('scans_count sorts by what was counted, ties by id', async () => {
  const { data } = await stack.list('sort=-scans_count');
  expect(data.map(({ scans_count }: any) => scans_count)).toEqual([2, 1, 0, 0]);
  expect(names(data)).toBe('bcda');
  expect(names((await stack.list('sort=scans_count')).data)).toBe('adcb');
});

test.each([
  ['status=paused', ['status']],
  ['sort=name', ['sort']],
  ['sort=-', ['sort']],
  ['status=active&status=archived', ['status']],
  ['search=a&search=b', ['search']],
  [`search=${'x'.repeat(256)}`, ['search']],
  [`campaign=${'x'.repeat(101)}`, ['campaign']],
  ['page=0&per_page=101&sort=1&status=2', ['page', 'per_page', 'sort', 'status']],
  ['status[$ne]=active&sort[$gt]=', ['sort', 'status']],
])('%s names %p', async (query, fields) => {
  const answer = await stack.call('GET', `/links?${query}`);
  expect([answer.status, refused(answer)]).toEqual([422, fields]);
});

describe('a search', () => {
  const found = async (search: string) =>
    ((await stack.list(`search=${encodeURIComponent(search)}&sort=created_at`, { workspace: 'search' })).data as any[])
      .map(({ title }) => title as string)
      .sort();

  beforeAll(async () => {
    for (const [title, destination_url, short_code] of [
      ['Spring Sale 50% off', 'https://shop.example.com/Offers/spring-26?ref=x', 'spring-50'],
      ['SummerSchool', 'https://example.org/école', 'k7Qm2xa'],
      ['春のセール', 'https://example.net/%E6%98%A5', 'haru'],
      ['C++ (draft) [v2] a.b*c', 'http://8.8.8.8:8080/path', 'cpp_x'],
      ['Plain', 'https://bücher.example/', 'plain'],
      ['Łódź Ørsted Straße Đakovo Cæsar œuvre Isparta ISPARTA ıspanak', 'https://example.edu/', 'folded'],
    ] as const) {
      await stack.create({ title, destination_url, short_code }, { workspace: 'search' });
    }
  });

  test.each([
    ['spring', ['Spring Sale 50% off']],
    ['SPRING', ['Spring Sale 50% off']],
    ['sale spr', ['Spring Sale 50% off']],
    ['offers', ['Spring Sale 50% off']],
    ['spring-26', ['Spring Sale 50% off']],
    ['shop.example.com/offers', ['Spring Sale 50% off']],
    ['https://shop.example.com/Offers/spring-26?ref=x', ['Spring Sale 50% off']],
    ['K7QM', ['SummerSchool']],
    ['school', ['SummerSchool']],
    ['ecole', ['SummerSchool']],
    ['école', ['SummerSchool']],
    ['セール', ['春のセール']],
    ['春', ['春のセール']],
    ['8.8.8.8', ['C++ (draft) [v2] a.b*c']],
    ['cpp_x', ['C++ (draft) [v2] a.b*c']],
    ['draft v2', ['C++ (draft) [v2] a.b*c']],
    ...['lodz', 'ŁÓDŹ', 'orsted', 'strasse', 'STRASSE', 'dakovo', 'caesar', 'oeuvre', 'ispanak', 'Ispanak'].map(
      (word): [string, string[]] => [word, ['Łódź Ørsted Straße Đakovo Cæsar œuvre Isparta ISPARTA ıspanak']],
    ),
    ['🎉', []],
    ['spring draft', []],
    ['pring', []],
    ['.*', []],
    ['(', []],
    ['^spring', ['Spring Sale 50% off']],
    ['spring$', ['Spring Sale 50% off']],
    ['s.ring', []],
    ['[a-z]+', []],
    ['%', []],
    ['\\', []],
    ['{"$ne":null}', []],
    ['(a+)+$', ['C++ (draft) [v2] a.b*c', 'Plain'].slice(0, 1)],
    ['\u0000', []],
  ])('for %p finds %p', async (search, titles) => {
    expect(await found(search)).toEqual(titles);
  });

  test('for a code finds a link with any number of words and of later codes', async () => {
    const workspace = 'wordy';
    const parameters = Array.from({ length: 150 }, (_, i) => `p${i}=v${i}`).join('&');
    const destination_url = `https://example.com/?${parameters}`;
    const { id } = await stack.create({ destination_url, short_code: 'oldest-1' }, { workspace });
    for (let i = 2; i <= 60; i += 1) {
      await stack.call('PATCH', `/links/${id}`, { body: { short_code: `renamed${i}-x${i}` }, workspace });
    }
    for (const search of ['oldest-1', 'renamed30-x30', 'renamed60', 'p20']) {
      const { data } = await stack.list(`search=${search}`, { workspace });
      expect([search, ...(data as { id: string }[]).map((link) => link.id)]).toEqual([search, id]);
    }
  });

  test('for what all have finds all, with and without other filters', async () => {
    expect(await found('http')).toHaveLength(6);
    const { meta } = await stack.list('search=example&status=active&per_page=2', { workspace: 'search' });
    expect(meta).toMatchObject({ total: 5, last_page: 3 });
  });

  test('has at most eight words', async () => {
    expect((await stack.call('GET', '/links?search=a+b+c+d+e+f+g+h')).status).toBe(200);
    const answer = await stack.call('GET', '/links?search=a+b+c+d+e+f+g+h+i');
    expect([answer.status, refused(answer)]).toEqual([422, ['search']]);
  });

  test('waits while three of its workspace run, however many wait, and delays no other workspace', async () => {
    const links = stack.database.collection('links');
    const runsOf = watchLimits();
    const search = (workspace: string) => stack.call('GET', '/links?search=example', { workspace });
    const { early, other, statuses } = await observeWhileBlocked(links, { command: 'find', times: 3 }, async () => {
      const statuses: number[] = [];
      const runsBefore = runsOf('greedy').length;
      const searches = Array.from({ length: 120 }, async () => statuses.push((await search('greedy')).status));
      await waitFor('all to be in line', () => runsOf('greedy').length === runsBefore + 120);
      const other = (await search('search')).status;
      return { early: [...statuses], other, statuses, rest: Promise.all(searches) };
    });
    expect([early, other]).toEqual([[], 200]);
    // On a slow machine some wait for longer than they may.
    expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200]));
  });

  test('counts up to 10,000 links that match, and its pages lead to all of them', async () => {
    const workspace = 'crowd';
    const { id } = await stack.create({ title: 'crowd' }, { workspace });
    const pattern = await stack.stored('links', id);
    const copies = Array.from({ length: 10_001 }, (_, index) => ({
      ...pattern,
      _id: `lnk_crowd${index}`,
      codeKeys: [`crowd${index}`],
    }));
    await stack.database.collection('links').insertMany(copies);
    const page = (number: number) => stack.list(`search=crowd&per_page=100&page=${number}`, { workspace });
    expect((await page(1)).meta).toMatchObject({ total: 10_000, last_page: 100, truncated: true });
    const last = await page(100);
    expect([last.data.length, last.links.next]).toEqual([100, expect.stringContaining('page=101')]);
    const beyond = await page(101);
    expect([beyond.data.length, beyond.links.next, beyond.meta.total]).toEqual([2, null, 10_002]);
  });

  test.each(['find', 'aggregate'])('whose %s takes too long is a 422 with what to do', async (command) => {
    const links = stack.database.collection('links');
    // More links than are sorted in memory have this word.
    const search = () => stack.call('GET', '/links?search=crowd', { workspace: 'crowd' });
    const answer = await whileCommandFails(links, { command, errorCode: 50 }, search);
    expect([answer.status, refused(answer)]).toEqual([422, ['narrow']]);
  });

  test('follows a change of the link', async () => {
    const { id } = await stack.create({ title: 'before' }, { workspace: 'searched' });
    await stack.call('PATCH', `/links/${id}`, { workspace: 'searched', body: { title: 'after' } });
    expect((await stack.list('search=before', { workspace: 'searched' })).data).toEqual([]);
    expect((await stack.list('search=after', { workspace: 'searched' })).data).toHaveLength(1);
  });

  test('finds a link by a code that it had before', async () => {
    const { id } = await stack.create({ short_code: 'Old3' }, { workspace: 'renamed' });
    await stack.call('PATCH', `/links/${id}`, { workspace: 'renamed', body: { short_code: 'New3' } });
    for (const code of ['old3', 'new3']) {
      expect((await stack.list(`search=${code}`, { workspace: 'renamed' })).data.map((link: any) => link.id)).toEqual([
        id,
      ]);
    }
  });
});

test('pages show each link once, in one order, while newer links are created', async () => {
  const workspace = 'paged';
  const ids: string[] = [];
  for (let i = 0; i < 25; i += 1) ids.push((await stack.create({ title: 'same' }, { workspace })).id as string);
  for (const [sort, expected] of [
    ['created_at', ids],
    ['-created_at', ids.toReversed()],
    ['title', ids],
    ['-title', ids.toReversed()],
    ['scans_count', ids],
    ['-scans_count', ids.toReversed()],
  ] as const) {
    const seen: string[] = [];
    for (let page = 1; page <= 4; page += 1) {
      const { data } = await stack.list(`sort=${sort}&per_page=7&page=${page}`, { workspace });
      seen.push(...data.map(({ id }: any) => id as string));
    }
    expect(seen).toEqual(expected);
  }
  // New links come after page 2 in this order, so page 2 stays unchanged.
  const { data: before } = await stack.list('sort=created_at&per_page=10&page=2', { workspace });
  await Promise.all(Array.from({ length: 10 }, () => stack.create({ title: 'new' }, { workspace })));
  const { data: after } = await stack.list('sort=created_at&per_page=10&page=2', { workspace });
  expect(after).toEqual(before);
});

test('a page past the end is empty and says how many there are', async () => {
  const { data, meta } = await stack.list('page=9');
  expect([data, meta.total, meta.from, meta.last_page]).toEqual([[], 4, null, 1]);
});

describe('the time of the last change', () => {
  const workspace = 'changed';
  const ids: string[] = [];
  const secondAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const changedSince = async (query: string) => {
    const { data, meta } = await stack.list(query, { workspace });
    expect(meta.total).toBe(data.length);
    return data.map(({ id }: { id: string }) => ids.indexOf(id));
  };
  beforeAll(async () => {
    for (let index = 0; index < 5; index += 1) {
      const title = `changed ${index}`;
      ids.push((await stack.create({ title, ...(index < 2 && { status: 'archived' }) }, { workspace })).id);
    }
    // The first two were changed last; the others are a tie.
    const seconds = [4, 3, 1, 1, 1];
    const links = stack.database.collection<{ _id: string }>('links');
    for (const [index, _id] of ids.entries()) {
      await links.updateOne({ _id }, { $set: { updatedAt: secondAt(seconds[index]!) } });
    }
  });

  test.each([
    ['sort=updated_at', [2, 3, 4, 1, 0]],
    ['sort=-updated_at', [0, 1, 4, 3, 2]],
    ['updated_since=2026-01-01&sort=-updated_at', [0, 1, 4, 3, 2]],
    ['updated_since=2026-01-02', []],
    ['updated_since=2026-01-01T00:00:03Z', [1, 0]],
    ['updated_since=2026-01-01T01:00:03%2B01:00&sort=updated_at', [1, 0]],
    ['updated_since=2026-01-01T00:00:03.001Z', [0]],
    ['updated_since=2026-01-01T00:00:01Z&status=active&sort=-updated_at', [4, 3, 2]],
    ['updated_since=2026-01-01T00:00:03Z&search=changed&sort=title', [0, 1]],
    ['updated_since=', [4, 3, 2, 1, 0]],
    ['updated_since=2030-01-01T00:00:00Z', []],
  ])('%s lists %p', async (query, expected) => {
    expect(await changedSince(query)).toEqual(expected);
  });

  test('orders ties the same way on every page', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => stack.list(`sort=-updated_at&per_page=2&page=${page}`, { workspace })),
    );
    expect(pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => ids.indexOf(id)))).toEqual([0, 1, 4, 3, 2]);
  });

  test('has an index in the order of the list', async () => {
    const indexes = await stack.database.collection('links').indexes();
    expect(indexes.map(({ key }) => Object.entries(key))).toContainEqual([
      ['workspace', 1],
      ['updatedAt', -1],
      ['_id', -1],
    ]);
  });

  test('is no scan, and a deleted link is not listed', async () => {
    const link = await stack.create({}, { workspace: 'changed-deleted' });
    const query = `updated_since=${encodeURIComponent(link.updated_at)}`;
    expect((await stack.list(query, { workspace: 'changed-deleted' })).data).toHaveLength(1);
    await stack.call('DELETE', `/links/${link.id}`, { workspace: 'changed-deleted' });
    expect((await stack.list(query, { workspace: 'changed-deleted' })).data).toEqual([]);
  });

  test.each(['updated_since=yesterday', 'updated_since=2026-13-01', 'sort=changed_at'])(
    '%s is a 422',
    async (query) => {
      const answer = await stack.call('GET', `/links?${query}`);
      expect([answer.status, refused(answer)]).toEqual([422, [query.split('=')[0]]]);
    },
  );
});

test('a page has 15 links unless told', async () => {
  const workspace = 'sixteen';
  for (let index = 0; index < 16; index += 1) await stack.create({}, { workspace });
  const { data, meta } = await stack.list('', { workspace });
  expect([data.length, meta.per_page, meta.total]).toEqual([15, 15, 16]);
});

describe('a list that is read by cursor', () => {
  const workspace = 'by-cursor';
  const readAll = async (query: string, onPage: () => Promise<unknown> = () => Promise.resolve()) => {
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { data, meta, links } = await stack.list(`${query}&per_page=3${cursor && `&cursor=${cursor}`}`, {
        workspace,
      });
      seen.push(...data.map(({ id }: { id: string }) => id));
      expect(links.next === null || meta.next_cursor !== null).toBe(true);
      if (meta.next_cursor === null) return seen;
      cursor = meta.next_cursor as string;
      await onPage();
    }
  };

  test('has every link once in each order, also while links are created', async () => {
    for (const title of ['b', 'a', 'b', 'c', 'b', 'a', 'd']) await stack.create({ title }, { workspace });
    for (const sort of ['created_at', 'updated_at', 'title', 'scans_count']) {
      for (const direction of ['', '-']) {
        const query = `sort=${direction}${sort}`;
        const { data } = await stack.list(`${query}&per_page=100`, { workspace });
        expect(await readAll(query)).toEqual(data.map(({ id }: { id: string }) => id));
      }
    }
    const { data: before } = await stack.list('per_page=100', { workspace });
    const seen = await readAll('', () => stack.create({ title: 'new' }, { workspace }));
    expect(seen).toEqual(before.map(({ id }: { id: string }) => id));
  });

  test('combines with filters, search and a page of any size', async () => {
    for (const query of ['search=b', 'status=active&sort=title', 'search=b&sort=-title']) {
      const { data } = await stack.list(`${query}&per_page=100`, { workspace });
      expect(await readAll(query)).toEqual(data.map(({ id }: { id: string }) => id));
    }
  });

  test('refuses a cursor of another order, one that it has not issued, and one beside a page', async () => {
    const { meta } = await stack.list('per_page=3', { workspace });
    const cursor = meta.next_cursor as string;
    const [order, , ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const forged = Buffer.from(JSON.stringify([order, { $gt: '' }, ...rest])).toString('base64url');
    for (const query of [`sort=title&cursor=${cursor}`, 'cursor=x', `cursor=${forged}`, `page=1&cursor=${cursor}`]) {
      const answer = await stack.call('GET', `/links?${query}`, { workspace });
      expect([query, answer.status, refused(answer)]).toEqual([query, 422, ['cursor']]);
    }
  });
});
