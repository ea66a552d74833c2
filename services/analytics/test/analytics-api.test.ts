import { Types } from 'mongoose';
import { linkArchived, linkCreated, linkDeleted, linkUpdated, type LinkSnapshot } from '@waymark/contract/events';
import { summary } from '@waymark/contract/analytics';
import { ROUTES } from '@waymark/contract/routes';
import { waitFor } from '@waymark/testing/wait-for';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, linkSnapshot, rawScan } from './harness.js';

const harness = new Harness();
const TODAY = new Date().toISOString().slice(0, 10);

/** Ten scans: of two links, three campaigns, two devices, both triggers, four visitors and one bot. */
const SCANS = [
  { link_id: 'lnk_a', campaign: 'spring', user_agent: CHROME, trigger: 'link', address: addressOf(1) },
  { link_id: 'lnk_a', campaign: 'spring', user_agent: CHROME, trigger: 'link', address: addressOf(1) },
  { link_id: 'lnk_a', campaign: 'spring', user_agent: IPHONE, trigger: 'qr', address: addressOf(2) },
  { link_id: 'lnk_a', campaign: 'autumn', user_agent: IPHONE, trigger: 'qr', address: addressOf(2) },
  { link_id: 'lnk_a', campaign: null, user_agent: CHROME, trigger: 'qr', address: addressOf(3) },
  { link_id: 'lnk_b', campaign: 'spring', user_agent: CHROME, trigger: 'link', address: addressOf(1) },
  { link_id: 'lnk_b', campaign: 'all of Café', user_agent: IPHONE, trigger: 'link', address: addressOf(2) },
  { link_id: 'lnk_b', campaign: null, user_agent: IPHONE, trigger: 'qr', address: addressOf(4) },
  { link_id: 'lnk_b', campaign: null, user_agent: CHROME, trigger: 'link', address: addressOf(4) },
  { link_id: 'lnk_b', campaign: 'spring', user_agent: GOOGLEBOT, trigger: 'link', address: addressOf(9) },
] as const;

const FILTERS = [
  'link_id',
  'campaign',
  'trigger',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
  'language',
  'referrer',
  'domain_id',
  'tag_id',
  'folder_id',
];
const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, 'all']));

const scanAt = (time: string) => rawScan({ workspace: 'zones', at: time, address: '' });
/** Around New York's clock changes, and around midnight in Kolkata and Kathmandu. */
const ZONED = [
  scanAt('2026-03-08T04:59:59.999Z'), // 23:59 on the 7th in New York
  scanAt('2026-03-08T05:00:00.000Z'), // 00:00 on the 8th
  scanAt('2026-03-09T03:59:59.999Z'), // 23:59 on the 8th, daylight saving time
  scanAt('2026-03-09T04:00:00.000Z'), // 00:00 on the 9th
  scanAt('2025-11-02T04:00:00.000Z'), // 00:00 on the 2nd
  scanAt('2025-11-03T04:59:59.999Z'), // 23:59 on the 2nd, 25 hours later
  scanAt('2025-11-03T05:00:00.000Z'), // 00:00 on the 3rd
  scanAt('2026-01-10T18:14:59.999Z'), // 23:59 on the 10th in Kathmandu, 23:44 in Kolkata
  scanAt('2026-01-10T18:15:00.000Z'), // 00:00 on the 11th in Kathmandu
  scanAt('2026-01-10T18:30:00.000Z'), // 00:00 on the 11th in Kolkata
];

const snapshot = (given: Partial<LinkSnapshot>) => ({ link: linkSnapshot(given) });
const acme = { workspace: 'acme' };

beforeAll(async () => {
  await harness.start();
  const now = Date.now();
  const scans = SCANS.map((scan, i) => rawScan({ ...scan, at: new Date(now + i).toISOString() }));
  await harness.publish(batchOf([...scans, rawScan({ workspace: 'foreign', link_id: 'lnk_f' }), ...ZONED]));
  // Out of order and twice: the highest revision wins.
  await harness.publish(linkArchived.create(acme, snapshot({ id: 'lnk_c', revision: 2, status: 'archived' })));
  await harness.publish(linkCreated.create(acme, snapshot({ id: 'lnk_c', revision: 1 })));
  await harness.publish(linkDeleted.create(acme, snapshot({ id: 'lnk_d', revision: 9 })));
  await harness.publish(linkUpdated.create(acme, snapshot({ id: 'lnk_d', revision: 8 })));
  await harness.publish(linkCreated.create(acme, snapshot({ id: 'lnk_b', campaign_tag: 'spring' })));
  await harness.publish(linkCreated.create(acme, snapshot({ id: 'lnk_a', title: 'old' })));
  await harness.publish(linkCreated.create(acme, snapshot({ id: 'lnk_a', title: 'old' })));
  await harness.publish(linkUpdated.create(acme, snapshot({ id: 'lnk_a', title: 'new', revision: 2 })));
  await harness.settled(SCANS.length + 1 + ZONED.length);
  await waitFor('the links', async () => {
    const link = await harness.database.collection('links').findOne({ _id: 'lnk_a' as never });
    return link?.['title'] === 'new';
  });
});
afterAll(() => harness.stop());

const summaryOf = async (query = '') => (await harness.get(`/summary${query}`)).body.data;
const zoned = async (path: string) => (await harness.get(path, { workspace: 'zones' })).body;

const NO_CURSOR = 'The cursor must be a next_cursor of this list, with the same filters.';

describe('the summary', () => {
  test('the summary matches the contract and counts the last 30 days without bots', async () => {
    const { status, body } = await harness.get('/summary');
    expect(status).toBe(200);
    expect(summary.parse(body)).toEqual(body);
    expect(body.data.kpis).toEqual({
      total_scans: 9,
      unique_visitors: 5,
      conversions: 0,
      conversion_rate: 0,
      conversion_values: [],
      active_links: 2,
      bot_scans: 1,
    });
    expect(body.data.devices).toEqual([
      { device: 'desktop', scans: 5, share: 5 / 9 },
      { device: 'mobile', scans: 4, share: 4 / 9 },
    ]);
    expect(body.data.trend).toHaveLength(30);
    const starts_at = `${TODAY}T00:00:00.000Z`;
    expect(body.data.trend.at(-1)).toEqual({ date: TODAY, starts_at, scans: 9, unique_visitors: 5, conversions: 0 });
    expect(body.data.trend[0]).toMatchObject({ scans: 0, unique_visitors: 0, conversions: 0 });
    expect(body.meta).toEqual({
      start_date: body.data.trend[0].date,
      end_date: TODAY,
      timezone: 'UTC',
      filters: { ...NO_FILTERS, include_bots: false },
      data_as_of: expect.stringMatching(/^\d{4}-.*Z$/),
      rows_kept_from: null,
      interval: 'day',
      compared_with: null,
      unique_visitors_estimated: false,
      currencies_truncated: false,
    });
  });

  test.each([
    ['link_id=lnk_a', 5, 3, 1],
    ['link_id=lnk_b', 4, 4, 1],
    ['campaign=spring', 4, 2, 1],
    ['campaign=all of Café', 1, 1, 0],
    ['campaign=%20all of Cafe%CC%81', 1, 1, 0],
    ['device=mobile', 4, 2, 2],
    ['trigger=qr', 4, 3, 2],
    ['trigger=link', 5, 3, 2],
    ['link_id=lnk_a&campaign=spring', 3, 2, 0],
    ['link_id=lnk_a&campaign=spring&device=desktop&trigger=link', 2, 1, 0],
    ['link_id=lnk_a&campaign=spring&device=mobile&trigger=link', 0, 0, 0],
    ['link_id=lnk_b&campaign=spring', 1, 1, 1],
    ['link_id=lnk_a,lnk_b', 9, 5, 2],
    ['link_id=lnk_a, lnk_b', 9, 5, 2],
    ['link_id=!lnk_a,lnk_f', 4, 4, 1],
    ['link_id=!', 9, 5, 2],
    ['link_id=,', 9, 5, 2],
    ['campaign=autumn,all of Café', 2, 1, 0],
    ['campaign=!spring', 5, 4, 1],
    ['campaign=none', 3, 3, 1],
    ['campaign=!none,autumn', 5, 2, 1],
    ['device=mobile,desktop', 9, 5, 2],
    ['device=!mobile', 5, 3, 2],
    ['os=iOS&browser=!Chrome', 4, 2, 2],
    ['country=unknown&region=unknown&city=unknown', 9, 5, 2],
    ['country=!unknown', 0, 0, 2],
    ['referrer=direct', 9, 5, 2],
    ['trigger=link,qr', 9, 5, 2],
    ['link_id=lnk_f', 0, 0, 0],
    ['link_id=$ne', 0, 0, 0],
    ['device=tablet', 0, 0, 2],
    ['campaign=unheard', 0, 0, 0],
    ['include_bots=true', 10, 6, 2],
    ['include_bots=true&campaign=spring&trigger=link', 4, 2, 1],
    ['link_id=all&device=all&campaign=all&trigger=all&start_date=all&end_date=all', 9, 5, 2],
  ])(
    'the summary filtered by %s counts %i scans, %i visitors and %i active links',
    async (query, scans, visitors, links) => {
      const { kpis, trend, devices } = await summaryOf(`?${query}`);
      expect(kpis).toMatchObject({ total_scans: scans, unique_visitors: visitors, active_links: links });
      expect(trend.at(-1)).toMatchObject({ scans, unique_visitors: visitors });
      expect(devices.reduce((sum: number, device: { scans: number }) => sum + device.scans, 0)).toBe(scans);
      expect((await harness.get(`/scans?${query}`)).body.meta.total).toBe(scans);
    },
  );

  test('the summary accepts as many and as long filter values as fit in a URL', async () => {
    const values = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(200, "'")).join();
    expect((await summaryOf(`?city=!${values}`)).kpis.total_scans).toBe(9);
  });

  test('the summary returns the filters in the form of a request', async () => {
    const { body } = await harness.get(String.raw`/summary?country=!DE,+US&campaign=a\,b,\!c,d\e`);
    const filters = { country: '!DE,US', campaign: String.raw`a\,b,\!c,d\\e` };
    expect(body.meta.filters).toEqual({ ...NO_FILTERS, ...filters, include_bots: false });
    const again = await harness.get(`/summary?campaign=${encodeURIComponent(filters.campaign)}`);
    expect(again.body.meta.filters.campaign).toBe(filters.campaign);
  });

  test.each(['device=mobile', 'trigger=qr', 'country=DE', 'referrer=!direct'])(
    'the summary filtered by %s has no conversion figures',
    async (query) => {
      const { kpis, trend } = await summaryOf(`?${query}`);
      expect(kpis).toMatchObject({ conversions: null, conversion_rate: null, conversion_values: null });
      expect(trend[0].conversions).toBeNull();
    },
  );

  test('the summary reports the bots of the selection separately', async () => {
    expect((await summaryOf('?link_id=lnk_b&campaign=spring')).kpis.bot_scans).toBe(1);
    expect((await summaryOf('?link_id=lnk_a')).kpis.bot_scans).toBe(0);
    expect((await summaryOf('?include_bots=true')).devices).toContainEqual({ device: 'other', scans: 1, share: 0.1 });
  });

  test('the summary of a workspace without scans is all zeros', async () => {
    const { body } = await harness.get('/summary', { workspace: 'empty' });
    expect(body.data.kpis).toMatchObject({ total_scans: 0, unique_visitors: 0, conversion_rate: 0, active_links: 0 });
    expect(body.data.devices).toEqual([]);
    expect(Date.parse(body.meta.data_as_of)).not.toBeNaN();
  });

  test.each([
    ['America/New_York', '2026-03-07', '2026-03-09', [1, 2, 1]],
    ['America/New_York', '2025-11-01', '2025-11-03', [0, 2, 1]],
    ['UTC', '2026-03-07', '2026-03-09', [0, 2, 2]],
    ['Asia/Kathmandu', '2026-01-10', '2026-01-11', [1, 2]],
    ['Asia/Kolkata', '2026-01-10', '2026-01-11', [2, 1]],
    ['Asia/Kolkata', '2026-01-11', '2026-01-11', [1]],
  ])('the summary in %s from %s to %s has days from midnight to midnight', async (timezone, start, end, scans) => {
    const query = `start_date=${start}&end_date=${end}&timezone=${timezone}`;
    const { data, meta } = await zoned(`/summary?${query}`);
    expect(data.trend.map((day: { scans: number }) => day.scans)).toEqual(scans);
    expect(meta).toMatchObject({ start_date: start, end_date: end, timezone });
    const total = scans.reduce((sum, count) => sum + count, 0);
    expect(data.kpis.total_scans).toBe(total);
    expect((await zoned(`/scans?${query}`)).meta.total).toBe(total);
    expect((await zoned(`/scans?${query}`)).data).toHaveLength(total);
  });
});

describe('the scans', () => {
  test('scans are listed newest first, without bots, in pages that keep the filters', async () => {
    const { status, body } = await harness.get('/scans?per_page=2&page=2&trigger=link');
    expect(status).toBe(200);
    expect(ROUTES['analytics.scans'].response.schema.parse(body)).toEqual(body);
    expect(body.meta).toMatchObject({ current_page: 2, per_page: 2, total: 5, last_page: 3, from: 3, to: 4 });
    expect(new URL(body.links.next).searchParams.toString()).toBe('per_page=2&page=3&trigger=link');
    expect((await harness.get('/scans')).body.meta.per_page).toBe(15);
    const all = (await harness.get('/scans?per_page=100')).body.data as { scanned_at: string; is_bot: boolean }[];
    expect(all.map(({ scanned_at }) => scanned_at)).toEqual(
      all
        .map(({ scanned_at }) => scanned_at)
        .sort()
        .toReversed(),
    );
    expect(all.some(({ is_bot }) => is_bot)).toBe(false);
  });

  test('scans of the same time are ordered by id', async () => {
    const moment = '2026-02-02T12:00:00.000Z';
    const scans = [1, 2, 3].map(() => rawScan({ workspace: 'ties', at: moment }));
    await harness.publish(batchOf([scans[1]!, scans[2]!, scans[0]!]));
    const path = '/scans?start_date=2026-02-01&end_date=2026-02-03';
    const { data } = await waitFor('the scans', async () => {
      const { body } = await harness.get(path, { workspace: 'ties' });
      return body.data.length === 3 && body;
    });
    expect(data.map(({ id }: { id: string }) => id)).toEqual(scans.map(({ id }) => id).toReversed());
  });

  test('cursors return the same scans as page numbers and the total of the first page, despite new scans', async () => {
    const scan = (minute: number) =>
      rawScan({ workspace: 'walk', at: new Date(Date.now() - minute * 60_000).toISOString() });
    const walk = (query: string) => harness.get(`/scans?per_page=2${query}`, { workspace: 'walk' });
    const before = await harness.countScans();
    const scans = [1, 2, 3, 4, 5].map(scan);
    await harness.publish(batchOf(scans));
    await harness.settled(before + 5);
    const first = (await walk('')).body;
    const ids = first.data.map(({ id }: { id: string }) => id);
    // One newer than all others, and one older than those already read.
    await harness.publish(batchOf([scan(0), scan(10)]));
    await harness.settled(before + 7);
    let cursor: string | null = first.meta.next_cursor;
    while (cursor !== null) {
      const { status, body } = await walk(`&cursor=${cursor}`);
      expect(status).toBe(200);
      expect(ROUTES['analytics.scans'].response.schema.parse(body)).toEqual(body);
      const next = body.links.next && new URL(body.links.next).searchParams.get('cursor');
      expect(next).toBe(body.meta.next_cursor);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.meta.next_cursor;
    }
    expect(ids.slice(0, 5)).toEqual(scans.map(({ id }) => id));
    expect(ids).toHaveLength(6);
    const second = (await walk(`&cursor=${first.meta.next_cursor}`)).body;
    expect(second.meta).toMatchObject({ current_page: 2, from: 3, to: 4, total: 5, last_page: 3 });
    expect(second.links.prev).toBeNull();
    expect((await walk('&page=4')).body.meta.next_cursor).toBeNull();
    expect((await walk('&page=3')).body.meta.next_cursor).not.toBeNull();
  });

  test('a cursor of other filters or of another workspace is a 422', async () => {
    const { meta } = (await harness.get('/scans?per_page=2')).body;
    const [key, , ...rest] = JSON.parse(Buffer.from(meta.next_cursor, 'base64url').toString()) as unknown[];
    const late = Buffer.from(JSON.stringify([key, 8.64e15, ...rest])).toString('base64url');
    expect((await harness.get(`/scans?per_page=2&cursor=${late}`)).status).toBe(422);
    const dates = 'start_date=&end_date=';
    for (const [query, workspace, expected] of [
      ['per_page=2&country=&' + dates, 'acme', 200],
      ['per_page=2&start_date=all', 'acme', 200],
      ['per_page=2&country=AT', 'acme', 422],
      ['per_page=2&include_bots=true', 'acme', 422],
      ['per_page=2&start_date=2026-01-01', 'acme', 422],
      ['per_page=2', 'walk', 422],
    ] as const) {
      const { status, body } = await harness.get(`/scans?${query}&cursor=${meta.next_cursor}`, { workspace });
      expect([query, status]).toEqual([query, expected]);
      if (status === 422) expect(body.error.details).toEqual({ cursor: [NO_CURSOR] });
    }
  });

  test.each([
    ['cursor=x', NO_CURSOR],
    ['cursor=x&page=1', 'The cursor must not be given with a page.'],
  ])('the list of scans rejects %s with 422', async (query, message) => {
    const { status, body } = await harness.get(`/scans?${query}`);
    expect([status, body.error.details]).toEqual([422, { cursor: [message] }]);
  });

  test('the page after the last one is empty', async () => {
    const { status, body } = await harness.get('/scans?page=1000000&per_page=100');
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.meta).toMatchObject({ from: null, to: null, total: 9 });
  });
});

test('late scans count on their own day, without a visitor once its salt is destroyed', async () => {
  const [now, hour] = [Date.now(), 3_600_000];
  const midnight = now - (now % (24 * hour));
  const times = [Math.max(midnight, now - 3 * hour), midnight - hour, now - 5 * 24 * hour];
  const late = times.map((at) => rawScan({ workspace: 'late', at: new Date(at).toISOString() }));
  const before = await harness.countScans();
  for (const scan of late) await harness.publish(batchOf([scan]));
  await harness.settled(before + late.length);
  const { kpis, trend } = (await harness.get('/summary', { workspace: 'late' })).body.data;
  expect(kpis).toMatchObject({ total_scans: 3, unique_visitors: 2 });
  const counted = trend.filter((day: { scans: number }) => day.scans > 0);
  expect(counted.map((day: { date: string }) => day.date)).toEqual(
    [...new Set(late.map(({ at: time }) => time.slice(0, 10)))].sort(),
  );
  expect(counted[0]).toMatchObject({ scans: 1, unique_visitors: 0 });
});

test('a changed, archived or deleted link keeps the history of its scans', async () => {
  const context = { workspace: 'history' };
  const ids = ['lnk_old', 'lnk_gone'];
  for (const id of ids) {
    await harness.publish(linkCreated.create(context, snapshot({ id, campaign_tag: 'first' })));
  }
  const before = await harness.countScans();
  const time = new Date(Date.now() - 5000).toISOString();
  await harness.publish(
    batchOf(ids.map((id) => rawScan({ at: time, workspace: 'history', link_id: id, campaign: 'first' }))),
  );
  const later = { campaign_tag: 'second', revision: 2 };
  await harness.publish(
    linkArchived.create(context, snapshot({ ...later, id: 'lnk_old', status: 'archived', title: 'renamed' })),
  );
  await harness.publish(linkDeleted.create(context, snapshot({ ...later, id: 'lnk_gone' })));
  await harness.settled(before + ids.length);
  const countWithStatus = (status: string) =>
    harness.database.collection('links').countDocuments({ workspace: 'history', status });
  await waitFor(
    'the links',
    async () => (await countWithStatus('archived')) === 1 && (await countWithStatus('deleted')) === 1,
  );

  const get = async (path: string) => (await harness.get(path, { workspace: 'history' })).body;
  const { data } = await get('/summary');
  expect(data.kpis).toMatchObject({ total_scans: 2, active_links: 0 });
  for (const id of ids) {
    expect((await get(`/summary?link_id=${id}&campaign=first`)).data.kpis.total_scans).toBe(1);
    expect((await get(`/summary?link_id=${id}&campaign=second`)).data.kpis.total_scans).toBe(0);
    expect((await get(`/breakdown?dimension=os&link_id=${id}`)).meta.total).toBe(1);
    expect((await get(`/scans?link_id=${id}`)).data).toMatchObject([{ link_id: id, campaign: 'first' }]);
  }
  const { links, campaigns } = (await get('/filters')).data;
  expect([links.map(({ id }: { id: string }) => id), campaigns]).toEqual([['lnk_old'], ['first', 'second']]);
});

test.each(['scans', 'conversions'])(
  'data_as_of is the time up to which all stored %s are counted, even in a quiet workspace',
  async (table) => {
    const asOf = async (workspace: string) =>
      Date.parse((await harness.get('/summary', { workspace })).body.meta.data_as_of);
    const sentAt = Date.now();
    const before = await harness.countScans();
    await harness.publish(batchOf([rawScan({ workspace: 'wide' })]));
    await harness.settled(before + 1);
    expect(await asOf('wide')).toBeGreaterThanOrEqual(sentAt);
    expect(await asOf('quiet')).toBeGreaterThanOrEqual(sentAt);
    // A batch that another loader has leased.
    const storedAt = Math.floor(sentAt / 1000) - 60;
    const oldest = new Date(storedAt * 1000);
    const held = { layout: 1, rows: '', rowCount: 0, lastScanned: [], oldest, owner: 'other' };
    const leasedUntil = new Date(sentAt + 600_000);
    const pending = harness.database.collection(`pending_${table}`);
    await pending.insertOne({ _id: Types.ObjectId.createFromTime(storedAt), ...held, leasedUntil });
    expect(await asOf('wide')).toBe(storedAt * 1000);
    await pending.deleteMany({});
    expect(await asOf('wide')).toBeGreaterThanOrEqual(sentAt);
  },
);
