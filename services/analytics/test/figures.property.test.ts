import { createClient, type ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';
import { dimension, type Device, type Dimension, type Interval } from '@waymark/contract/analytics';
import type { Deployment } from '@waymark/contract/deployments';
import { formatList } from '@waymark/contract/filter-list';
import { newId } from '@waymark/contract/ids';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { FILTER_NAMES, type Filter, type FilterName } from '@waymark/analytics/warehouse/query/scan-query';
import { Harness } from './harness.js';
import { NaiveFigures, naiveLinks, type NaiveLinks, type Question } from './naive.js';
import { insertLinks } from './warehouse-harness.js';
import { openStores, type Stores } from './ledger.js';

const RUNS = 5;
const AT_ONCE = 3;
/** Generous, for a busy machine and for shrinking a failed case. */
const TIME_MAX_MS = 210_000;
const HOUR_MS = 3_600_000;
const DAYS = 6;

/** First days of ranges around clock changes of half and whole hours. */
const STARTS = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-10-02', '2026-10-23', '2026-11-07'];
const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/New_York',
  'America/St_Johns',
  'Africa/Cairo',
  'Antarctica/Troll',
  'Atlantic/Azores',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Europe/London',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
];
const DEVICES: Device[] = ['desktop', 'mobile', 'tablet', 'other'];
const LINKS = ['lnk_a', 'lnk_b', 'lnk|c%'];
const CAMPAIGNS = ['spring', 'été|%7C', 'all, of it', '!bang', 'back\\slash\\'];
const TRIGGERS = ['link', 'qr'] as const;
/** Values of filters: those of scans, and others. */
const VALUES: Record<FilterName, string[]> = {
  link: [...LINKS, 'lnk_foreign'],
  campaign: [...CAMPAIGNS, 'none', 'of no scan'],
  trigger: [...TRIGGERS],
  country: ['GB', 'DE', 'unknown'],
  region: ['England', 'unknown', 'nowhere'],
  city: ['London', 'Köln', 'Bonn', 'unknown'],
  device: DEVICES,
  browser: ['Chrome', 'Safari'],
  os: ['Windows', 'iOS', '!not'],
  language: ['de', 'en', 'unknown'],
  domain: ['dom_a', "dom'b", 'none'],
  tag: ['tag_a', 'tag_b', 'tag,c', 'none'],
  folder: ['fld_a', 'none'],
  referrer: ['direct', 'example.com'],
};
/** Parameter names that differ from the filter's name. */
const PARAMETERS: Record<Deployment, Partial<Record<FilterName, string>>> = {
  links: { link: 'link_id', domain: 'domain_id', tag: 'tag_id', folder: 'folder_id' },
  qr: { link: 'qr_code_id' },
};
/** Filters and dimensions that the QR deployment lacks. */
const LINKS_ONLY: ReadonlySet<string> = new Set(['trigger', 'domain', 'tag', 'folder']);
const filterArbitrary = (name: FilterName): fc.Arbitrary<Filter> =>
  fc.record({
    name: fc.constant(name),
    values: fc.subarray(VALUES[name], { minLength: 1 }),
    isNegated: fc.boolean(),
  });

/** Few values, so that visitors return: on other links, with other triggers, at the same and at other times. */
const scanArbitrary = fc.record({
  // Half of the times are on a full quarter of an hour, because days begin there.
  minutes: fc.oneof(
    fc.integer({ min: 0, max: DAYS * 24 * 60 - 1 }),
    fc.integer({ min: 0, max: DAYS * 96 - 1 }).map((quarter) => quarter * 15),
  ),
  visitor: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 6 }),
  linkId: fc.constantFrom(...LINKS),
  campaign: fc.option(fc.constantFrom(...CAMPAIGNS), { freq: 3 }),
  trigger: fc.constantFrom(...TRIGGERS),
  isBot: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  country: fc.constantFrom('GB', 'DE', 'unknown'),
  city: fc.constantFrom('London', 'Köln', 'Bonn', 'unknown'),
  language: fc.constantFrom('de', 'en', undefined),
  referrer: fc.constantFrom('direct', 'example.com'),
});
type Drawn = typeof scanArbitrary extends fc.Arbitrary<infer T> ? T : never;

const questionArbitrary = fc.record({
  from: fc.integer({ min: -1, max: DAYS }),
  days: fc.integer({ min: 1, max: DAYS + 1 }),
  timezone: fc.constantFrom(...ZONES),
  filters: fc
    .subarray(FILTER_NAMES, { maxLength: 4 })
    .chain((names) => fc.tuple(...names.map((name) => filterArbitrary(name)))),
  includeBots: fc.boolean(),
  dimensions: fc.subarray<Dimension>([...dimension.options], { minLength: 1 }),
  interval: fc.constantFrom<Interval>('hour', 'day', 'week', 'month'),
});
type Asked = typeof questionArbitrary extends fc.Arbitrary<infer T> ? T : never;

const caseArbitrary = fc.record({
  start: fc.constantFrom(...STARTS),
  links: naiveLinks(LINKS),
  scans: fc.array(scanArbitrary, { minLength: 1, maxLength: 300, size: 'max' }),
  batchSizes: fc.array(fc.integer({ min: 30, max: 120 }), { minLength: 1, maxLength: 5 }),
  questions: fc.array(questionArbitrary, { minLength: 16, maxLength: 16 }),
});
/** Filters by a link and by a campaign that no scan has. */
const UNKNOWN_CAMPAIGN: Asked = {
  from: 0,
  days: DAYS,
  timezone: 'UTC',
  filters: [
    { name: 'link', values: [LINKS[0]!], isNegated: false },
    { name: 'campaign', values: ['of no scan'], isNegated: false },
  ],
  includeBots: true,
  dimensions: ['city'],
  interval: 'day',
};

const dateAfter = (start: string, days: number) =>
  new Date(Date.parse(start) + days * 24 * HOUR_MS).toISOString().slice(0, 10);

/** A visitor keeps the address and browser, and so the device, all day; looked-up fields may change. */
function toScan(drawn: Drawn, workspace: string, start: string): Scan {
  const { minutes, visitor, ...given } = drawn;
  const isEven = (visitor ?? 0) % 2 === 0;
  return {
    ...given,
    _id: newId('scn'),
    batch: 'evt_1',
    workspace,
    shortCode: 'code',
    scannedAt: new Date(Date.parse(start) + minutes * 60_000),
    visitor: visitor === null ? null : Buffer.alloc(16, visitor + 1).toString('base64url'),
    device: DEVICES[(visitor ?? 0) % DEVICES.length]!,
    region: given.country === 'GB' ? 'England' : 'unknown',
    browser: isEven ? 'Chrome' : 'Safari',
    os: isEven ? 'Windows' : 'iOS',
    isUnique: false,
    botReason: null,
  };
}

/** Stores the scans in batches of these sizes, in rotation. */
async function ingest(stores: Stores, scans: Scan[], batchSizes: number[]): Promise<void> {
  for (let offset = 0, turn = 0; offset < scans.length; turn += 1) {
    const size = batchSizes[turn % batchSizes.length]!;
    await storeScans(stores, scans.slice(offset, offset + size));
    offset += size;
  }
}

function queryOf({ startDate, endDate, timezone, includeBots, filters = [] }: Question, deployment: Deployment) {
  const query = new URLSearchParams({ start_date: startDate, end_date: endDate, timezone });
  if (includeBots) query.set('include_bots', 'true');
  for (const { name, ...list } of filters) query.set(PARAMETERS[deployment][name] ?? name, formatList(list));
  return query;
}

describe.each(['links', 'qr'] as const)('in the %s deployment', (deployment) => {
  const harness = new Harness();
  let runs = 0;
  let stores: Stores;
  let close: () => Promise<void>;
  let client: ClickHouseClient;
  beforeAll(async () => {
    await harness.start({ deployment });
    ({ stores, close } = await openStores(harness.backing));
    client = createClient({ url: harness.backing.CLICKHOUSE_URL });
  });
  afterAll(async () => {
    await client.close();
    await close();
    await harness.stop();
  });

  async function check(workspace: string, scans: Scan[], drawn: { start: string; links: NaiveLinks }, asked: Asked) {
    const { start, links } = drawn;
    const { from, days, dimensions, interval, ...rest } = asked;
    const question: Question = {
      ...rest,
      filters: asked.filters.filter(({ name }) => deployment === 'links' || !LINKS_ONLY.has(name)),
      startDate: dateAfter(start, from),
      endDate: dateAfter(start, from + days - 1),
    };
    const naive = new NaiveFigures(scans, question, links);
    const query = queryOf(question, deployment);
    const get = async (route: string, by = query) =>
      (await harness.get(`/${route}?${by.toString()}`, { workspace })).body;

    const trendQuery = new URLSearchParams([...query, ['interval', interval]]);
    const { kpis, trend, devices } = (await get('summary', trendQuery)).data;
    expect(kpis).toMatchObject(naive.summary);
    expect(trend).toMatchObject(naive.trend(interval));
    const ranked = naive
      .breakdown('device')
      .map(({ value, scans: of, share }) => ({ device: value, scans: of, share }));
    expect(devices).toEqual(ranked);
    const rows = await get('scans');
    expect(rows.meta.total).toBe(naive.selected.length);
    expect(rows.data.map(({ id }: { id: string }) => id)).toEqual(naive.rows.slice(0, 15));
    const { text } = await harness.caller.call('GET', `/analytics/export?${query.toString()}`, { workspace });
    expect(text.match(/scn_\w+/g) ?? []).toEqual(naive.rows);
    const names = dimensions.filter((name) => deployment === 'links' || !LINKS_ONLY.has(name));
    if (names.length === 0) return;
    const parameter = (name: Dimension) => (deployment === 'qr' && name === 'link' ? 'qr_code' : name);
    query.set('dimensions', names.map(parameter).join());
    const rowsBy = await get('breakdowns');
    expect(rowsBy.meta).toMatchObject({ total: naive.selected.length, truncated: false, limit: 25 });
    for (const name of names) expect(rowsBy.data[parameter(name)]).toMatchObject(naive.breakdown(name));
    if (deployment === 'qr') return;
    query.delete('dimensions');
    query.set('dimension', names[0]!);
    expect(await get('breakdown')).toMatchObject({
      data: naive.breakdown(names[0]!),
      meta: { dimension: names[0], total: naive.selected.length, limit: 25, truncated: false },
    });
  }

  test('every figure equals the sum of the raw scans', async () => {
    const property = fc.asyncProperty(caseArbitrary, async ({ start, links, scans: drawn, batchSizes, questions }) => {
      const workspace = `run-${(runs += 1)}`;
      const scans = drawn.map((each) => toScan(each, workspace, start));
      await ingest(stores, scans, batchSizes);
      await insertLinks(client, workspace, links);
      await harness.counted();
      const all = [...questions, UNKNOWN_CAMPAIGN];
      // No more at once than the limit on a caller's exports.
      for (let offset = 0; offset < all.length; offset += AT_ONCE) {
        await Promise.all(
          all.slice(offset, offset + AT_ONCE).map((asked) => check(workspace, scans, { start, links }, asked)),
        );
      }
    });
    await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: TIME_MAX_MS, endOnFailure: true });
  });
});
