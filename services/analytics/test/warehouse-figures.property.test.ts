import fc from 'fast-check';
import { conversionDimension, type Device, type Interval } from '@waymark/contract/analytics';
import { newId } from '@waymark/contract/ids';
import { createLog } from '@waymark/kernel/process/log';
import { openPendingTables, type PendingTables } from '@waymark/analytics/loading/pending-tables';
import { LinkStore } from '@waymark/analytics/links/link-store';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { loadRows, type LoadContext } from '@waymark/analytics/loading/load-rows';
import { FIGURE_DIMENSIONS } from '@waymark/analytics/warehouse/query/figures';
import {
  CONVERSION_FILTER_NAMES,
  SCAN_FILTER_NAMES,
  type Filter,
  type FilterName,
  type ScanQuery,
} from '@waymark/analytics/warehouse/query/scan-query';
import { WarehouseReader } from '@waymark/analytics/warehouse/query/reader';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import type { ScanRecord } from '@waymark/analytics/warehouse/query/scan-pages';
import { freshBacking } from '@waymark/testing/backing';
import { naiveLinks, type NaiveLinks } from './naive.js';
import { conversionArbitrary, conversionOf, NaiveConversions, SOURCES } from './naive-conversions.js';
import { NaiveWarehouse } from './naive-warehouse.js';
import { insertLinks, openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

const RUNS = Number(process.env.WAREHOUSE_RUNS ?? 5);
const TIME_MAX_MS = 210_000;
const DAYS = 8;
/** As many questions at once as two workspaces may ask without waiting for each other. */
const SHARES = 6;
/** First days of ranges with clock changes of half and whole hours and at midnight, and with leap days. */
const STARTS = [
  '2024-02-25',
  '2026-03-06',
  '2026-03-27',
  '2026-04-03',
  '2026-04-22',
  '2026-10-02',
  '2026-10-24',
  '2026-12-28',
];
const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/Havana',
  'America/New_York',
  'America/St_Johns',
  'Africa/Cairo',
  'Antarctica/Troll',
  'Asia/Beirut',
  'Atlantic/Azores',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Niue',
];
const DEVICES: Device[] = ['desktop', 'mobile', 'tablet', 'other'];
const VALUES: Record<FilterName, string[]> = {
  link: ['lnk_a', 'lnk_b', 'lnk|c%', "lnk'); DROP TABLE scans --"],
  campaign: ['spring', 'été|%7C', "it's \\ {p0:String}", 'none'],
  trigger: ['link', 'qr'],
  country: ['GB', 'DE', 'US', 'unknown'],
  region: ['England', 'unknown', 'nowhere'],
  city: ['London', 'Köln', 'Bonn', 'unknown'],
  device: [...DEVICES, 'fridge'],
  browser: ['Chrome', 'Safari'],
  os: ['Windows', 'iOS'],
  language: ['de', 'en', 'unknown'],
  domain: ['dom_a', 'none', "dom'b"],
  tag: ['tag_a', 'tag_b', 'tag,c', 'none'],
  folder: ['fld_a', 'fld_b', 'none'],
  referrer: ['direct', 'example.com'],
  source: [...SOURCES, 'of no conversion'],
};

const linksArbitrary = naiveLinks(VALUES.link);

const workspaceArbitrary = fc.constantFrom('one', 'other');
/** Many times are on a full quarter of an hour, because days begin there. */
const minutesArbitrary = fc.oneof(
  fc.integer({ min: 0, max: DAYS * 24 * 60 - 1 }),
  fc.integer({ min: 0, max: DAYS * 96 - 1 }).map((quarter) => quarter * 15),
);
const campaignArbitrary = fc.constantFrom(...VALUES.campaign).map((name) => (name === 'none' ? null : name));
const scanArbitrary = fc.record({
  workspace: workspaceArbitrary,
  minutes: minutesArbitrary,
  visitor: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 6 }),
  linkId: fc.constantFrom(...VALUES.link),
  campaign: campaignArbitrary,
  trigger: fc.constantFrom('link' as const, 'qr' as const),
  isBot: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  country: fc.constantFrom(...VALUES.country),
  region: fc.constantFrom('England', 'unknown'),
  city: fc.constantFrom(...VALUES.city),
  device: fc.constantFrom(...DEVICES),
  browser: fc.constantFrom(...VALUES.browser),
  os: fc.constantFrom(...VALUES.os),
  // Scans stored by 0.1.0 have none.
  language: fc.constantFrom('de', 'en', undefined),
  referrer: fc.constantFrom(...VALUES.referrer),
});
type Drawn = typeof scanArbitrary extends fc.Arbitrary<infer T> ? T : never;

const convertedArbitrary = fc.tuple(
  fc.record({
    workspace: workspaceArbitrary,
    minutes: minutesArbitrary,
    linkId: fc.constantFrom(...VALUES.link),
    campaign: campaignArbitrary,
  }),
  conversionArbitrary,
);

const filterArbitrary = (names: readonly FilterName[]): fc.Arbitrary<Filter> =>
  fc.constantFrom(...names).chain((name) =>
    fc.record({
      name: fc.constant(name),
      values: fc.subarray(VALUES[name], { minLength: 1 }),
      isNegated: fc.boolean(),
    }),
  );
const questionArbitrary = fc.record({
  from: fc.integer({ min: -1, max: DAYS }),
  days: fc.integer({ min: 1, max: DAYS + 1 }),
  timeZone: fc.constantFrom(...ZONES),
  filters: fc.array(filterArbitrary(SCAN_FILTER_NAMES), { maxLength: 3 }),
  conversionFilters: fc.array(filterArbitrary(CONVERSION_FILTER_NAMES), { maxLength: 2 }),
  conversionDimensions: fc.subarray([...conversionDimension.options], { minLength: 1 }),
  includeBots: fc.boolean(),
  interval: fc.constantFrom<Interval>('hour', 'day', 'week', 'month'),
  dimensions: fc.subarray(FIGURE_DIMENSIONS, { minLength: 1, maxLength: 7 }),
  limit: fc.integer({ min: 1, max: 5 }),
});
type Asked = typeof questionArbitrary extends fc.Arbitrary<infer T> ? T : never;

const caseArbitrary = fc.record({
  start: fc.constantFrom(...STARTS),
  links: fc.record({ one: linksArbitrary, other: linksArbitrary }),
  scans: fc.array(scanArbitrary, { minLength: 1, maxLength: 300, size: 'max' }),
  conversions: fc.array(convertedArbitrary, { minLength: 1, maxLength: 150, size: 'max' }),
  batches: fc.array(fc.integer({ min: 30, max: 120 }), { minLength: 1, maxLength: 5 }),
  /** Scans that repeat in another batch. */
  repeated: fc.integer({ min: 0, max: 60 }),
  questions: fc.array(questionArbitrary, { minLength: 24, maxLength: 24 }),
});

const dateAfter = (start: string, days: number) =>
  new Date(Date.parse(start) + days * 86_400_000).toISOString().slice(0, 10);

function toScan({ minutes, visitor, workspace, ...given }: Drawn, run: number, start: string): Scan {
  return {
    ...given,
    _id: newId('scn'),
    batch: 'evt_1',
    workspace: `${workspace}-${run}`,
    shortCode: 'code',
    scannedAt: new Date(Date.parse(start) + minutes * 60_000),
    visitor: visitor === null ? null : Buffer.alloc(16, visitor + 1).toString('base64url'),
    isUnique: false,
    botReason: null,
  };
}

let open: OpenWarehouse;
let ctx: LoadContext & { pending: PendingTables };
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    const log = createLog('test', 'silent');
    ctx = { pending: openPendingTables(db), links: new LinkStore(db), log } as typeof ctx;
  });
  ctx.warehouse = open.warehouse;
});
afterAll(() => open.close());

async function loadConversions(conversions: Conversion[]): Promise<void> {
  const { pending } = ctx;
  // Twice: a repeated conversion counts once.
  for (const some of [conversions, conversions.slice(0, 20)])
    await open.db.transaction(({ session }) => pending.conversions.addRows(some, session));
  while ((await loadRows(ctx, pending.conversions)) > 0);
}

async function load(scans: Scan[], batches: number[]): Promise<void> {
  for (let offset = 0, turn = 0; offset < scans.length; turn += 1) {
    const size = batches[turn % batches.length]!;
    await open.db.transaction(({ session }) => ctx.pending.scans.addRows(scans.slice(offset, offset + size), session));
    offset += size;
    if (turn % 2 === 1) await loadRows(ctx, ctx.pending.scans);
  }
  while ((await loadRows(ctx, ctx.pending.scans)) > 0);
}

/** Reads page by page, each after the last row of the one before. */
async function allRows(reader: WarehouseReader, question: ScanQuery, pageSize: number): Promise<string[]> {
  const rows: ScanRecord[] = [];
  for (;;) {
    const last = rows.at(-1);
    const after = last && { scannedAt: new Date(last.scanned_at), id: last.id };
    const page = await reader.listScanRows(question, { limit: pageSize, after });
    rows.push(...page);
    if (page.length < pageSize) return rows.map(({ id }) => id);
  }
}

const sorted = <T extends object>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

async function check(
  reader: WarehouseReader,
  scans: Scan[],
  { start, asked, workspace, links }: { start: string; asked: Asked; workspace: string; links: NaiveLinks },
) {
  const { from, days, interval, dimensions, limit, conversionFilters: _, conversionDimensions: __, ...rest } = asked;
  const question = {
    ...rest,
    workspace,
    firstDate: dateAfter(start, from),
    lastDate: dateAfter(start, from + days - 1),
  };
  const naive = new NaiveWarehouse(scans, question, links);
  const { rows } = await reader.querySummary(question, interval);
  expect(sorted(rows)).toEqual(sorted(naive.summary(interval)));
  const breakdowns = await reader.queryBreakdowns(question, { dimensions, limit });
  const expected = dimensions.toSorted().flatMap((dimension) => naive.breakdown(dimension, limit));
  expect(breakdowns.rows).toEqual(expected);
  expect(sorted(await reader.countLinkDays(question))).toEqual(sorted(naive.linkDays()));
  expect(await allRows(reader, question, 40)).toEqual(naive.rows);
  const byDays = new WarehouseReader(open.warehouse, { listedRowsMax: 3 });
  expect(await allRows(byDays, question, 40)).toEqual(naive.rows);
  const page = await byDays.listScanRows(question, { limit: 7, offset: 5 });
  expect(page.map(({ id }) => id)).toEqual(naive.rows.slice(5, 12));
  expect(await reader.countScans(question)).toBe(naive.counted.length);
}

async function checkConversions(
  reader: WarehouseReader,
  conversions: Conversion[],
  { start, asked, workspace, links }: { start: string; asked: Asked; workspace: string; links: NaiveLinks },
) {
  const { from, days, interval, conversionFilters: filters, conversionDimensions: dimensions, limit } = asked;
  const question = {
    ...{ workspace, filters, timeZone: asked.timeZone, includeBots: false },
    firstDate: dateAfter(start, from),
    lastDate: dateAfter(start, from + days - 1),
  };
  const naive = new NaiveConversions(conversions, question, links);
  const rows = await reader.queryConversions(question, interval);
  const points = rows.filter(({ part }) => part === 'point');
  expect(new Map(points.map(({ value, conversions: count }) => [value, count]))).toEqual(naive.points(interval));
  const sums = rows.filter(({ part }) => part === 'currency');
  expect(sums.map(({ value, amount }) => ({ currency: value, value: amount }))).toEqual(naive.sums);
  const breakdowns = await reader.queryConversionBreakdowns(question, { dimensions, limit });
  const expected = dimensions.toSorted().flatMap((dimension) =>
    naive
      .breakdown(dimension)
      .slice(0, limit)
      .map(({ value, conversions: count, conversion_values: values }) => ({
        ...{ dimension, value, conversions: count, total: naive.selected.length },
        amounts: values.map(({ currency, value: amount }) => [currency, amount]),
      })),
  );
  expect(breakdowns).toEqual(expected);
}

test('every figure equals the sum of the scans and conversions of its workspace', async () => {
  const reader = new WarehouseReader(open.warehouse);
  let runs = 0;
  const property = fc.asyncProperty(caseArbitrary, async (drawnCase) => {
    const { start, scans: drawn, conversions: converted, links, batches, repeated, questions } = drawnCase;
    const run = (runs += 1);
    const scans = drawn.map((each) => toScan(each, run, start));
    await load([...scans, ...scans.slice(0, repeated)], batches);
    const conversions = converted.map(([{ workspace, minutes, ...named }, given]) =>
      conversionOf({
        ...{ ...named, ...given },
        workspace: `${workspace}-${run}`,
        occurredAt: new Date(Date.parse(start) + minutes * 60_000),
      }),
    );
    await loadConversions(conversions);
    for (const name of ['one', 'other'] as const)
      await insertLinks(open.warehouse.client, `${name}-${run}`, links[name]);
    const checkShare = async (share: number) => {
      const name = share % 2 === 0 ? 'one' : 'other';
      for (const asked of questions.filter((_, index) => index % SHARES === share)) {
        const parts = { start, asked, workspace: `${name}-${run}`, links: links[name] };
        await check(reader, scans, parts);
        await checkConversions(reader, conversions, parts);
      }
    };
    await Promise.all(Array.from({ length: SHARES }, (_, share) => checkShare(share)));
  });
  await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: TIME_MAX_MS, endOnFailure: true });
});
