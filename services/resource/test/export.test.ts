import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { UTM_KEYS } from '@waymark/contract/links';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { waitFor } from '@waymark/testing/wait-for';
import { readAllLinks } from '@waymark/resource/links/list-links';
import { ImportStack } from './import-stack.js';
import { flatLogo } from './logos.js';
import { refused, Stack } from './stack.js';

const TIMEOUT_MS = 120_000;
jest.setTimeout(TIMEOUT_MS);

let stack: ImportStack;
let qr: Stack;
beforeAll(async () => {
  [stack, qr] = await Promise.all([ImportStack.start(), Stack.start('qr')]);
});
afterAll(() => Promise.all([stack.stop(), qr.stop()]));

const get = (workspace: string, query = '') => stack.call('GET', `/links/export?${query}`, undefined, { workspace });
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });

/** The fields of the links that a client chose, in the order of the list. */
async function chosen(workspace: string): Promise<object[]> {
  const links: any[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = (await stack.call('GET', `/links?per_page=100&page=${page}`, undefined, { workspace })).body;
    links.push(...data);
    if (data.length < 100) break;
  }
  return links.map(({ id: _id, created_at: _created, updated_at: _updated, archived_at, tags, ...link }) => ({
    ...link,
    isArchived: archived_at !== null,
    tags: tags.map(({ id }: { id: string }) => id),
  }));
}

async function deleteAll(workspace: string): Promise<void> {
  for (;;) {
    const ids = (await stack.links(workspace)).map(({ id }) => id as string);
    if (ids.length === 0) return;
    await stack.call('POST', '/links/bulk', { ids, action: 'delete' }, { workspace });
  }
}

const byCode = (links: any[]) => links.toSorted((a, b) => (a.short_code < b.short_code ? -1 : 1));

const STARTS = ['=', '+', '-', '@', "'", "''", "'=", '＝', '－', '"', ',', ';', '\\', '#', '\ufeffx'];
const hostile = fc
  .tuple(
    fc.constantFrom(...STARTS, ''),
    fc.string({ unit: fc.constantFrom('a', 'é', '🦊', '"', "'", ',', ';', '=', ' ', '\\', '|', 'ß'), maxLength: 30 }),
  )
  .map(([start, rest]) => start + rest);

test('an import of an exported file makes the same links, with any texts', async () => {
  const workspace = 'hostile';
  const call = (path: string, name: string) => stack.call('POST', path, { name }, { workspace });
  const folder = (await call('/folders', 'F')).body.data.id as string;
  const tags = [(await call('/tags', 'one')).body.data.id, (await call('/tags', 'two')).body.data.id] as string[];
  const rows = fc.sample(
    fc.record({
      destination_url: fc.constantFrom(
        'https://example.com/',
        'https://example.com/?a=1,2&b="\'#=x',
        'HTTP://EXAMPLE.com:80/é',
      ),
      title: fc.option(hostile),
      campaign_tag: fc.option(hostile),
      utm_defaults: fc.record(Object.fromEntries(UTM_KEYS.map((key) => [key, fc.option(hostile)])), {
        requiredKeys: [],
      }),
      query_policy: fc.constantFrom('append', 'override', 'drop'),
      starts_at: fc.constantFrom(null, '2020-01-01T00:00:00.000Z'),
      expires_at: fc.constantFrom(null, '2021-01-01T00:00:00.000Z'),
      expired_url: fc.constantFrom(null, 'https://example.com/over?a=1,2'),
      max_scans: fc.constantFrom(null, 1, 1_000_000_000),
      redirect_status: fc.constantFrom(301, 302, 307, 308),
      forward_path: fc.boolean(),
      status: fc.constantFrom('active', 'archived'),
      folder_id: fc.constantFrom(null, folder),
      tag_ids: fc.constantFrom([], tags, tags.slice(1)),
    }),
    { numRuns: 400, seed: 7 },
  );
  // Those that a create refuses are no part of this.
  const job = await stack.import(
    { links: rows.map((row, index) => ({ ...row, short_code: `-_${index}` })) },
    { workspace },
  );
  expect(job.created_count).toBeGreaterThan(300);
  const before = await chosen(workspace);
  const { text } = await get(workspace, 'sort=created_at');
  for (const cell of Object.values(read(text)).flatMap((row) => Object.values(row)))
    expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);

  const again = await stack.import({ csv: text, options: { on_duplicate: 'update' } }, { workspace });
  expect(again).toMatchObject({ status: 'completed', total_rows: before.length, unchanged_count: before.length });
  expect(await chosen(workspace)).toEqual(before);

  await deleteAll(workspace);
  const fresh = await stack.import({ csv: text }, { workspace });
  expect(fresh).toMatchObject({ status: 'completed', created_count: before.length, errors: [] });
  expect(byCode(await chosen(workspace))).toEqual(byCode(before));
});

test('a quote in front of other text is imported as it is', async () => {
  const csv = `destination_url,title\nhttps://example.com,'s-Hertogenbosch\nhttps://example.com,'=1+1\nhttps://example.com,''x'`;
  await stack.import({ csv }, { workspace: 'quotes' });
  expect((await stack.links('quotes')).map(({ title }) => title as string).sort()).toEqual([
    "'s-Hertogenbosch",
    "'x'",
    '=1+1',
  ]);
});

describe('of a workspace with hundreds of links', () => {
  const workspace = 'large';
  beforeAll(async () => {
    const folder = await stack.call('POST', '/folders', { name: 'F' }, { workspace });
    const links = Array.from({ length: 1300 }, (_, index) => ({
      destination_url: `https://example.com/${index}`,
      title: index % 2 === 0 ? `Even ${index}` : `Odd ${1300 - index}`,
      campaign_tag: index % 3 === 0 ? 'third' : null,
      status: index % 5 === 0 ? 'archived' : 'active',
      folder_id: index % 7 === 0 ? folder.body.data.id : null,
    }));
    await stack.import({ links }, { workspace });
  });

  test.each([
    '',
    'sort=created_at',
    'sort=title',
    'sort=-scans_count&status=active',
    'status=archived&sort=-updated_at',
    'search=even',
    'search=example&sort=title',
    'search=odd&campaign=third&sort=-title',
    'campaign=third&status=active&sort=scans_count',
    'folder_id=fld_none',
    'search=...',
    'updated_since=2000-01-01T00:00:00Z',
    'updated_since=2999-01-01T00:00:00Z',
  ])('an export with the query %j has the rows of the list, in their order', async (query) => {
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = await stack.call('GET', `/links?per_page=100&${query}&cursor=${cursor}`, undefined, {
        workspace,
      });
      listed.push(...page.body.data.map(({ id }: { id: string }) => id));
      cursor = page.body.meta.next_cursor;
    }
    const rows = read((await get(workspace, query)).text);
    expect(rows.map(({ id }) => id)).toEqual(listed);
  });

  test('more exports than read at the same time all complete', async () => {
    const whole = (await get(workspace)).text;
    const exports = await Promise.all(Array.from({ length: 8 }, (_, i) => get(workspace, i % 2 ? 'sort=title' : '')));
    expect(exports.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const { text } of exports) expect(text).toHaveLength(whole.length);
  });

  test('each row has what the link shows', async () => {
    const [row] = read((await get(workspace, 'search=even&folder_id=all&sort=title')).text);
    const { data: link } = (await stack.call('GET', `/links/${row!['id']}`, undefined, { workspace })).body;
    expect(row).toMatchObject({
      short_url: link.short_url,
      destination_url: link.destination_url,
      short_code: link.short_code,
      title: link.title,
      status: link.status,
      folder_id: link.folder_id ?? '',
      scans_count: '0',
      last_scanned_at: '',
      created_at: link.created_at,
      updated_at: link.updated_at,
    });
  });
});

test('the exports of one workspace read two batches at a time, those of all workspaces four', async () => {
  const reading = new Map<string, number>();
  const [most, mostOf] = [{ count: 0 }, new Map<string, number>()];
  const findPage = async ({ workspace }: { workspace: string }, _order: unknown, { cursor }: { cursor?: string }) => {
    reading.set(workspace, (reading.get(workspace) ?? 0) + 1);
    mostOf.set(workspace, Math.max(mostOf.get(workspace) ?? 0, reading.get(workspace)!));
    most.count = Math.max(
      most.count,
      [...reading.values()].reduce((sum, count) => sum + count),
    );
    await sleep(5);
    reading.set(workspace, reading.get(workspace)! - 1);
    const batchNumber = Number(cursor ?? 1);
    return { items: [], nextCursor: batchNumber === 4 ? null : String(batchNumber + 1) };
  };
  const ctx: any = {
    contentType: { target: 'link' },
    links: { findPage },
    tags: { findItems: () => Promise.resolve([]) },
    exportBatches: new KeyedLimit({ total: 4, perKey: 2 }),
  };
  const exported = await Promise.all(
    ['a', 'b', 'c'].flatMap((workspace) =>
      Array.from({ length: 8 }, () =>
        countBatches(readAllLinks(ctx, { workspace, filters: { sort: '-created_at' } }, () => null)),
      ),
    ),
  );
  expect(exported).toEqual(Array(24).fill(4));
  expect([most.count, ...mostOf.values()]).toEqual([4, 2, 2, 2]);
});

async function countBatches(batches: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _batch of batches) count += 1;
  return count;
}

test('an export without links has its header, which an import reads', async () => {
  const { status, headers, text } = await get('nothing');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe('attachment; filename="links-nothing.csv"');
  expect(text.split('\r\n')).toHaveLength(2);
  const row = `${text}"","","https://example.com"${',""'.repeat(text.split(',').length - 3)}`;
  expect(await stack.import({ csv: row }, { workspace: 'nothing' })).toMatchObject({ created_count: 1 });
});

test('an export leaves one audited event with its filters; a HEAD request and a refused one leave none', async () => {
  const workspace = 'audited';
  await stack.link({}, workspace);
  expect((await stack.call('HEAD', '/links/export', undefined, { workspace })).status).toBe(200);
  const query = 'bom=true&status=active&search=a%20b&updated_since=2026-01-01T00:00:00%2B01:00&sort=title';
  await get(workspace, query);
  const many = await get(
    workspace,
    `search=${'word%20'.repeat(9)}${Array.from({ length: 9 }, (_, i) => `w${i}`).join('%20')}`,
  );
  expect([many.status, refused(many)]).toEqual([422, ['search']]);
  const paged = await get(workspace, 'page=1&per_page=2');
  expect([paged.status, refused(paged)]).toEqual([422, ['page', 'per_page']]);
  const events = (await stack.emitted(workspace)).filter(({ type }) => type === 'link.exported');
  const filters = { status: 'active', search: 'a b', updated_since: '2025-12-31T23:00:00.000Z', sort: 'title' };
  expect(events.map(({ data, audit, actor }) => ({ data, audit, by: actor.id }))).toEqual([
    {
      data: { filters },
      audit: {
        target: { type: 'workspace', id: workspace, label: null },
        changes: { filters: { from: null, to: filters } },
      },
      by: 'usr_1',
    },
  ]);
});

test('an export of QR codes has their styles and no logos', async () => {
  const style = {
    foreground: '#102030',
    background: '#ffffff',
    error_correction: 'L',
    margin: 3,
    logo_url: flatLogo(16, 16),
  };
  const code = await qr.create({ title: '=1+1', style });
  await qr.create({ title: 'other' }, { workspace: 'other' });
  const { status, headers, text } = await qr.call('GET', '/qr-codes/export');
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="qr-codes-acme.csv"']);
  expect(text).not.toContain('data:image');
  expect(read(text)).toEqual([
    {
      id: code.id,
      short_url: code.short_url,
      destination_url: code.destination_url,
      short_code: code.short_code,
      title: "'=1+1",
      campaign_tag: '',
      query_policy: 'append',
      starts_at: '',
      expires_at: '',
      expired_url: '',
      max_scans: '',
      redirect_status: '302',
      forward_path: 'false',
      blocked_at: '',
      blocked_reason: '',
      status: 'active',
      ...Object.fromEntries(UTM_KEYS.map((key) => [key, ''])),
      foreground: '#102030',
      background: '#ffffff',
      error_correction: 'H',
      margin: '3',
      availability: 'available',
      scans_count: '0',
      last_scanned_at: '',
      created_at: code.created_at,
      updated_at: code.updated_at,
    },
  ]);
  await waitFor('the event', () => qr.told.some(({ type }) => type === 'qr_code.exported'));
});
