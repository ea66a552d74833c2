import { createClient, type ClickHouseClient } from '@clickhouse/client';
import fc from 'fast-check';
import {
  conversionDimension,
  dimension,
  type Device,
  type Dimension,
  type Interval,
} from '@waymark/contract/analytics';
import type { Deployment } from '@waymark/contract/deployments';
import { formatList } from '@waymark/contract/filter-list';
import { newId } from '@waymark/contract/ids';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import type { Scan } from '@waymark/analytics/ledger/scan';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import { isConversionFilter } from '@waymark/analytics/warehouse/query/conversion-figures';
import {
  CONVERSION_FILTER_NAMES,
  SCAN_FILTER_NAMES,
  type Filter,
  type FilterName,
} from '@waymark/analytics/warehouse/query/scan-query';
import { Harness } from './harness.js';
import { NaiveFigures, naiveLinks, type NaiveLinks, type Question } from './naive.js';
import { conversionArbitrary, conversionOf, NaiveConversions, SOURCES } from './naive-conversions.js';
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
  source: [...SOURCES, 'of no conversion'],
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

/** Half of the times are on a full quarter of an hour, because days begin there. */
const minutesArbitrary = fc.oneof(
  fc.integer({ min: 0, max: DAYS * 24 * 60 - 1 }),
  fc.integer({ min: 0, max: DAYS * 96 - 1 }).map((quarter) => quarter * 15),
);
const namedArbitrary = {
  minutes: minutesArbitrary,
  linkId: fc.constantFrom(...LINKS),
  campaign: fc.option(fc.constantFrom(...CAMPAIGNS), { freq: 3 }),
};
const convertedArbitrary = fc.tuple(fc.record(namedArbitrary), conversionArbitrary);

/** Few values, so that visitors return: on other links, with other triggers, at the same and at other times. */
const scanArbitrary = fc.record({
  ...namedArbitrary,
  visitor: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 6 }),
  trigger: fc.constantFrom(...TRIGGERS),
  isBot: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  country: fc.constantFrom('GB', 'DE', 'unknown'),
  city: fc.constantFrom('London', 'Köln', 'Bonn', 'unknown'),
  language: fc.constantFrom('de', 'en', undefined),
  referrer: fc.constantFrom('direct', 'example.com'),
});
type Drawn = typeof scanArbitrary extends fc.Arbitrary<infer T> ? T : never;

const filtersArbitrary = (among: readonly FilterName[]): fc.Arbitrary<Filter[]> =>
  fc.subarray([...among], { maxLength: 4 }).chain((names) => fc.tuple(...names.map((name) => filterArbitrary(name))));
const questionArbitrary = fc.record({
  from: fc.integer({ min: -1, max: DAYS }),
  days: fc.integer({ min: 1, max: DAYS + 1 }),
  timezone: fc.constantFrom(...ZONES),
  filters: filtersArbitrary(SCAN_FILTER_NAMES),
  conversionFilters: filtersArbitrary(CONVERSION_FILTER_NAMES),
  includeBots: fc.boolean(),
  dimensions: fc.subarray<Dimension>([...dimension.options], { minLength: 1 }),
  interval: fc.constantFrom<Interval>('hour', 'day', 'week', 'month'),
});
type Asked = typeof questionArbitrary extends fc.Arbitrary<infer T> ? T : never;

const caseArbitrary = fc.record({
  start: fc.constantFrom(...STARTS),
  links: naiveLinks(LINKS),
  scans: fc.array(scanArbitrary, { minLength: 1, maxLength: 300, size: 'max' }),
  conversions: fc.array(convertedArbitrary, { maxLength: 100, size: 'max' }),
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
  conversionFilters: [],
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

/** Records the conversions as the service does. */
const recordAll = ({ db, conversions, pending }: Stores, recorded: Conversion[]): Promise<void> =>
  db.transaction(async ({ session }) => {
    for (const conversion of recorded) await conversions.insertConversion(conversion, session);
    await pending.conversions.addRows(recorded, session);
  });

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
    const { from, days, dimensions, interval, conversionFilters: _, ...rest } = asked;
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
    const { data, meta } = await get('summary', trendQuery);
    const { kpis, trend, devices } = data;
    expect(kpis).toMatchObject(naive.summary);
    const asOf = Date.parse(meta.data_as_of as string);
    const isPast = ({ starts_at: start }: { starts_at: string }) => Date.parse(start) <= asOf;
    expect(trend.filter(isPast)).toMatchObject(naive.trend(interval).slice(0, trend.filter(isPast).length));
    expect(trend).toHaveLength(naive.trend(interval).length);
    for (const point of trend.filter((each: never) => !isPast(each))) expect(point).toMatchObject({ scans: null });
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

  /** The summary and the breakdowns of one selection, and the sum over a breakdown. */
  async function checkConversions(
    conversions: Conversion[],
    drawn: { workspace: string; start: string; links: NaiveLinks },
    asked: Asked,
  ) {
    const { workspace, start, links } = drawn;
    const { from, days, timezone, filters, conversionFilters } = asked;
    const [startDate, endDate] = [dateAfter(start, from), dateAfter(start, from + days - 1)];
    const naiveOf = (by: Filter[]) =>
      new NaiveConversions(
        conversions,
        { workspace, firstDate: startDate, lastDate: endDate, timeZone: timezone, filters: by },
        links,
      );
    const get = async (route: string, by: Filter[], more: Record<string, string>) => {
      const query = queryOf({ startDate, endDate, timezone, includeBots: false, filters: by }, 'links');
      for (const [name, value] of Object.entries(more)) query.set(name, value);
      return (await harness.get(`/${route}?${query.toString()}`, { workspace })).body;
    };
    const summary = await get('summary', filters, { interval: asked.interval });
    const applies = filters.every(isConversionFilter);
    const counted = naiveOf(applies ? filters : []);
    expect(summary.data.kpis).toMatchObject(
      applies
        ? { conversions: counted.selected.length, conversion_values: counted.sums }
        : { conversions: null, conversion_rate: null, conversion_values: null },
    );
    const naive = naiveOf(conversionFilters);
    const { data, meta } = await get('conversions/breakdowns', conversionFilters, {
      dimensions: conversionDimension.options.join(),
      limit: '100',
    });
    expect(meta).toMatchObject({ total: naive.selected.length, truncated: false, currencies_truncated: false });
    for (const name of conversionDimension.options) {
      expect(data[name]).toMatchObject(naive.breakdown(name));
      const count = data[name].reduce((sum: number, row: { conversions: number }) => sum + row.conversions, 0);
      expect(count).toBe(naive.selected.length);
    }
    if (conversionFilters.some(({ name }) => name === 'source')) return;
    const { kpis } = (await get('summary', conversionFilters, {})).data;
    expect(kpis).toMatchObject({ conversions: meta.total, conversion_values: naive.sums });
  }

  test('every figure equals the sum of the raw scans and conversions', async () => {
    const property = fc.asyncProperty(caseArbitrary, async (drawnCase) => {
      const { start, links, scans: drawn, conversions: converted, batchSizes, questions } = drawnCase;
      const workspace = `run-${(runs += 1)}`;
      const scans = drawn.map((each) => toScan(each, workspace, start));
      await ingest(stores, scans, batchSizes);
      const conversions = converted.map(([{ minutes, ...named }, given]) =>
        conversionOf({
          ...{ ...named, ...given, workspace },
          occurredAt: new Date(Date.parse(start) + minutes * 60_000),
        }),
      );
      if (conversions.length > 0) await recordAll(stores, conversions);
      await insertLinks(client, workspace, links);
      await harness.counted();
      const all = [...questions, UNKNOWN_CAMPAIGN];
      // No more at once than the limit on a caller's exports.
      for (let offset = 0; offset < all.length; offset += AT_ONCE) {
        await Promise.all(
          all.slice(offset, offset + AT_ONCE).map(async (asked) => {
            await check(workspace, scans, { start, links }, asked);
            if (deployment === 'links') await checkConversions(conversions, { workspace, start, links }, asked);
          }),
        );
      }
    });
    await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: TIME_MAX_MS, endOnFailure: true });
  });
});
