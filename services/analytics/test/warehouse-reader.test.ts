import { setTimeout as sleep } from 'node:timers/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import { isOutage } from '@waymark/kernel/errors';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { asOutage, isLimitExceeded } from '@waymark/analytics/warehouse/errors';
import { campaignsSql } from '@waymark/analytics/warehouse/query/campaigns';
import { conversionBreakdownsSql, conversionsSql } from '@waymark/analytics/warehouse/query/conversion-figures';
import { countRowsSql, deleteRowsSql, ERASED_TABLES } from '@waymark/analytics/warehouse/query/erase-rows';
import { breakdownsSql, FIGURE_DIMENSIONS, summarySql } from '@waymark/analytics/warehouse/query/figures';
import {
  CONVERSION_FILTER_NAMES,
  SCAN_FILTER_NAMES,
  scanRowCountSql,
  workspaceRowCountSql,
  type FilterName,
  type ScanQuery,
} from '@waymark/analytics/warehouse/query/scan-query';
import { QUERY_LIMITS, WarehouseReader } from '@waymark/analytics/warehouse/query/reader';
import { scanCountSql, scanRowsSql } from '@waymark/analytics/warehouse/query/scan-pages';
import { conversionDimension } from '@waymark/contract/analytics';
import { sql } from '@waymark/analytics/warehouse/query/sql';
import { deleteOfDaySql, nextDaySql, rowsOfDaySql } from '@waymark/analytics/warehouse/query/table-day';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

const ROWS = 600_000;
const ROWS_AT_ONCE = 100_000;
const VISITORS = 100_000;
/** A query that takes longer than the test lets it run. */
const HEAVY = { dimensions: FIGURE_DIMENSIONS, limit: 10 };

const excluding = (names: readonly FilterName[]) => names.map((name) => ({ name, values: ["it's"], isNegated: true }));
const question: ScanQuery = {
  workspace: 'large',
  firstDate: '2026-03-01',
  lastDate: '2026-03-31',
  timeZone: 'Europe/Berlin',
  filters: excluding(SCAN_FILTER_NAMES),
  includeBots: true,
};
const conversionQuestion = { ...question, filters: excluding(CONVERSION_FILTER_NAMES) };
/** Every dimension of conversions. */
const CONVERSIONS = { dimensions: conversionDimension.options, limit: 10 };

const DAY = { table: 'conversions', workspace: 'large', day: '2026-03-01' } as const;

let open: OpenWarehouse;
let reader: WarehouseReader;
const insert = (workspace: string, from: number, count: number) =>
  open.warehouse.client.command({
    query: `INSERT INTO scans (workspace, at, link_id, id, short_code, trigger, country, region, city, device, browser,
        os, referrer, visitor_hex, is_unique, is_bot, version)
      SELECT {workspace:String}, toDateTime64('2026-03-01', 3, 'UTC') + toIntervalSecond(number * 4),
        'lnk_' || toString(number % 500), toString(number), 'code', 'link', 'GB', 'England',
        'city ' || toString(number % 1000), 'desktop', 'Chrome', 'Windows', 'direct',
        hex(sipHash128(number % ${VISITORS})), false, false, 1
      FROM numbers(${from}, ${count})`,
    query_params: { workspace },
  });

/** Inserts rows of a kilobyte. */
const insertLong = (workspace: string, count: number) =>
  open.warehouse.client.command({
    query: `INSERT INTO scans (workspace, at, link_id, id, referrer, version)
      SELECT {workspace:String}, toDateTime64('2026-03-01', 3, 'UTC'), 'lnk_1', toString(number), repeat('x', 1000), 1
      FROM numbers(${count})`,
    query_params: { workspace },
  });

beforeAll(async () => {
  open = await openWarehouse(freshBacking());
  reader = new WarehouseReader(open.warehouse);
  for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) await insert('large', from, ROWS_AT_ONCE);
  await insert('small', 0, 10);
});
afterAll(() => open.close());

const runningCount = async (): Promise<number> => {
  const query =
    "SELECT count() AS n FROM system.processes WHERE query LIKE '%GROUPING SETS%' AND query NOT LIKE '%system.processes%'";
  const result = await open.warehouse.client.query({ query, format: 'JSONEachRow' });
  return Number((await result.json<{ n: string }>())[0]!.n);
};

const memoryExceeded = (message: string) =>
  new ClickHouseError({ code: '241', type: 'MEMORY_LIMIT_EXCEEDED', message });

describe('every query', () => {
  const queries = [
    summarySql(question, 'week', 'exact'),
    breakdownsSql(question, HEAVY, 'estimated'),
    scanRowsSql(question, { limit: 10, after: { scannedAt: new Date(), id: 'scn_1' } }),
    scanCountSql(question),
    scanRowCountSql(question),
    workspaceRowCountSql('large'),
    conversionsSql(conversionQuestion, 'hour'),
    conversionBreakdownsSql(conversionQuestion, CONVERSIONS),
    campaignsSql({ ...question, keptFrom: null, after: "it's", search: 'large', limit: 10 }),
    rowsOfDaySql(DAY, sql`id`),
    nextDaySql(DAY),
    deleteOfDaySql(DAY, ['scn_1'], undefined),
    ...ERASED_TABLES.flatMap((table) => [countRowsSql(table, 'large'), deleteRowsSql(table, 'large', undefined)]),
  ];

  test('every query reads only the rows of its workspace', () => {
    for (const query of queries) {
      const { query: text, query_params: params } = query.render();
      const reads = [
        ...text.matchAll(/FROM (?:scans|conversions|links) (?:FINAL )?WHERE workspace = \{(\w+):String\}/g),
      ];
      expect(reads).toHaveLength(text.match(/FROM (scans|conversions|links)/g)!.length);
      expect(reads.length).toBeGreaterThan(0);
      for (const [, name] of reads) expect(params[name!]).toBe('large');
    }
  });

  test('every query binds the values of callers', () => {
    for (const query of queries) expect(query.render().query).not.toMatch(/large|it's|2026|Berlin|scn_1/);
  });

  test('no query uses the time zones of the warehouse, which can be older than those of Node.js', () => {
    for (const query of queries) {
      const { query: text, query_params: params } = query.render();
      expect(Object.values(params)).not.toContain('Europe/Berlin');
      expect(text).not.toMatch(/toTimeZone|timeZoneOffset|toDateTime64\(/);
    }
  });

  test('a query cannot be built without a workspace or from text', () => {
    expect(() => summarySql({ ...question, workspace: '' }, 'day', 'exact')).toThrow(TypeError);
    expect(() => conversionBreakdownsSql({ ...question, workspace: '' }, CONVERSIONS)).toThrow(TypeError);
    expect(() => rowsOfDaySql({ ...DAY, workspace: '' }, sql`id`)).toThrow(TypeError);
    expect(() => nextDaySql({ ...DAY, workspace: '' })).toThrow(TypeError);
    expect(() => countRowsSql('scans', '')).toThrow(TypeError);
    expect(() => deleteRowsSql('scans', '', undefined)).toThrow(TypeError);
    expect(() => sql`SELECT ${'1' as never}`).toThrow(TypeError);
  });

  test('only the modules that add the workspace build queries', () => {
    const source = join(__dirname, '../src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const readers = files.filter((file) =>
      /FROM\s+(scans\b|conversions\b|links\b|\$)/.test(readFileSync(join(source, file), 'utf8')),
    );
    expect(readers.sort()).toEqual([
      'warehouse/query/erase-rows.ts',
      'warehouse/query/scan-query.ts',
      'warehouse/query/table-day.ts',
    ]);
  });
});

test('the reader estimates visitors within 2 % and reports it above the documented size', async () => {
  const all = { ...question, filters: [] };
  const exact = await reader.querySummary(all, 'month');
  const estimated = await new WarehouseReader(open.warehouse, { exactRowsMax: ROWS - 1 }).querySummary(all, 'month');
  const visitorsOf = ({ rows }: typeof exact) => rows.find(({ part }) => part === 'total')!.unique_visitors;
  expect([exact.isEstimated, estimated.isEstimated]).toEqual([false, true]);
  expect(Math.abs(visitorsOf(estimated) / visitorsOf(exact) - 1)).toBeLessThan(0.02);
});

test('the reader estimates visitors when an exact count would exceed the memory of a query', async () => {
  const limits = { ...QUERY_LIMITS, max_memory_usage: '70000000' };
  const limited = new WarehouseReader(open.warehouse, { limits });
  const breakdown = {
    dimensions: ['country', 'device', 'os', 'browser', 'trigger', 'region', 'language', 'referrer'] as const,
    limit: 1,
  };
  const { rows, isEstimated } = await limited.queryBreakdowns({ ...question, filters: [] }, breakdown);
  expect(isEstimated).toBe(true);
  expect(rows).toHaveLength(breakdown.dimensions.length);
  for (const { scans, unique_visitors: visitors } of rows) {
    expect(scans).toBe(ROWS);
    expect(Math.abs(visitors / ROWS - 1)).toBeLessThan(0.02);
  }
});

test('queries of a workspace that need more memory than an ordinary one run one at a time', async () => {
  const all = { ...question, filters: [] };
  const limits = { ...QUERY_LIMITS, max_memory_usage: '123456789' };
  const { counted, queries } = openCountingReader({ limits, memory: limits.max_memory_usage });
  await Promise.allSettled([1, 2, 3].map(() => counted.queryBreakdowns(all, HEAVY)));
  expect(queries.started).toBeGreaterThanOrEqual(3);
  expect(queries.runningMax).toBe(1);
});

test('the reader caches that a workspace is small', async () => {
  const small = { ...question, workspace: 'growing', filters: [] };
  const [remembers, forgets] = [300_000, 1].map(
    (sizeFreshMs) => new WarehouseReader(open.warehouse, { exactRowsMax: 20, sizeFreshMs }),
  );
  const isEstimated = async (one: WarehouseReader) => (await one.querySummary(small, 'month')).isEstimated;
  await insert('growing', 0, 10);
  expect([await isEstimated(remembers!), await isEstimated(forgets!)]).toEqual([false, false]);
  await insert('growing', 10, 11);
  await sleep(10);
  expect([await isEstimated(remembers!), await isEstimated(forgets!)]).toEqual([false, true]);
});

test.each([
  ['time', { max_execution_time: 0.01 }],
  ['memory', { max_memory_usage: '20000000' }],
  ['rows', { max_rows_to_read: '100000' }],
])('a query that runs out of its %s is a 422 that says how to narrow it', async (_, limit) => {
  const limited = new WarehouseReader(open.warehouse, {
    exactRowsMax: Infinity,
    limits: { ...QUERY_LIMITS, ...limit },
  });
  const asked = { ...question, filters: [] };
  await expect(limited.queryBreakdowns(asked, HEAVY)).rejects.toMatchObject({
    code: 'validation_failed',
    details: { narrow: [expect.stringContaining('fewer days')] },
  });
});

test('a query that runs out of a limit after its first rows is a 422 as well', async () => {
  const limits = { ...QUERY_LIMITS, max_block_size: '10', max_result_rows: '5000' };
  const limited = new WarehouseReader(open.warehouse, { limits });
  const page = { columns: ['id' as const], limit: ROWS };
  const read = limited.readExportRows({ ...question, filters: [] }, page, new AbortController().signal);
  await expect(read).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a query for conversions that runs out of its rows is a 422 that says how to narrow it', async () => {
  const columns = 'workspace, at, link_id, id, short_code, campaign, source, value, currency, recorded_at, version';
  await open.warehouse.client.command({
    query: `INSERT INTO conversions (${columns})
      SELECT 'large', toDateTime64('2026-03-01', 3, 'UTC'), 'lnk_' || toString(number), toString(number), 'code', NULL, 'shop',
        1, 'EUR', toDateTime64('2026-03-01', 3, 'UTC'), 1 FROM numbers(20000)`,
  });
  const all = { ...question, filters: [] };
  const limited = new WarehouseReader(open.warehouse, { limits: { ...QUERY_LIMITS, max_rows_to_read: '10000' } });
  const refusal = { code: 'validation_failed', details: { narrow: [expect.stringContaining('fewer days')] } };
  await expect(limited.queryConversionBreakdowns(all, CONVERSIONS)).rejects.toMatchObject(refusal);
  await expect(limited.queryConversions(all, 'day')).rejects.toMatchObject(refusal);
  expect(await reader.queryConversionBreakdowns(all, CONVERSIONS)).toHaveLength(12);
});

test('the server kills a query when its client disconnects', async () => {
  const abort = new AbortController();
  const answer = reader.queryBreakdowns({ ...question, filters: [] }, HEAVY, abort.signal).then(
    () => 'answered',
    (error: Error) => error.name,
  );
  await waitFor('the query runs', async () => (await runningCount()) > 0);
  abort.abort();
  expect(await answer).toBe('AbortError');
  await waitFor('the query is gone', async () => (await runningCount()) === 0);
});

/**
 * A reader that counts its queries on the warehouse.
 * @param memory counts only the queries with this limit
 */
function openCountingReader({ limits, memory }: { limits?: typeof QUERY_LIMITS; memory?: string } = {}) {
  const { queryClient } = open.warehouse;
  const queries = { started: 0, running: 0, runningMax: 0 };
  const query: typeof queryClient.query = (params) => {
    if (memory !== undefined && params.clickhouse_settings?.max_memory_usage !== memory)
      return queryClient.query(params);
    queries.started += 1;
    queries.running += 1;
    queries.runningMax = Math.max(queries.runningMax, queries.running);
    return queryClient.query(params).finally(() => (queries.running -= 1));
  };
  const warehouse = Object.create(open.warehouse, { queryClient: { value: { query } } }) as typeof open.warehouse;
  return { counted: new WarehouseReader(warehouse, { limits }), queries };
}

test('pages of exports take turns, and all of them are read', async () => {
  const { counted, queries } = openCountingReader();
  const abort = new AbortController();
  const page = (workspace: string) =>
    counted.readExportRows({ ...question, workspace, filters: [] }, { columns: ['id'], limit: 1000 }, abort.signal);
  const large = Promise.all(Array.from({ length: 30 }, () => page('large')));
  expect((await page('small')).rows).toHaveLength(10);
  expect((await large).every(({ rows }) => rows.length === 1000)).toBe(true);
  // Two of the large workspace, and that of the small one.
  expect(queries.runningMax).toBe(3);
});

test('a page of an export ends by the length of its rows', async () => {
  await insertLong('long', 3000);
  const page = { columns: ['id', 'referrer', 'campaign'] as const, limit: 5000 };
  const signal = new AbortController().signal;
  const { rows, isCut } = await reader.readExportRows({ ...question, workspace: 'long', filters: [] }, page, signal);
  const length = rows.reduce((sum, { text }) => sum + text.length, 0);
  expect(isCut).toBe(true);
  expect(length).toBeGreaterThan(900_000);
  expect(length).toBeLessThan(1_010_000);
});

test('a page of an export stops waiting for its turn when its client disconnects', async () => {
  const { counted, queries } = openCountingReader();
  const page = (signal: AbortSignal) =>
    counted.readExportRows({ ...question, filters: [] }, { columns: ['id'], limit: 1000 }, signal);
  const abort = new AbortController();
  const reading = [1, 2].map(() => page(new AbortController().signal));
  const waiting = page(abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect((await Promise.all(reading)).map(({ rows }) => rows.length)).toEqual([1000, 1000]);
  expect(queries.started).toBe(2);
});

test('pages of exports that need more memory than an ordinary query are read one at a time', async () => {
  const { queryClient } = open.warehouse;
  const limits: unknown[] = [];
  let [large, largeMax] = [0, 0];
  const query: typeof queryClient.query = async (params) => {
    const limit = params.clickhouse_settings!.max_memory_usage;
    limits.push(limit);
    if (limit !== QUERY_LIMITS.max_memory_usage) throw memoryExceeded('Query memory limit exceeded');
    largeMax = Math.max(largeMax, (large += 1));
    return queryClient.query(params).finally(() => (large -= 1));
  };
  const warehouse = Object.create(open.warehouse, { queryClient: { value: { query } } }) as typeof open.warehouse;
  const full = new WarehouseReader(warehouse);
  const page = () =>
    full.readExportRows({ ...question, filters: [] }, { columns: ['id'], limit: 1000 }, new AbortController().signal);
  const pages = await Promise.all([page(), page(), page()]);
  expect(pages.map(({ rows }) => rows.length)).toEqual([1000, 1000, 1000]);
  expect([limits.length, largeMax]).toEqual([6, 1]);
});

test('heavy queries of one workspace do not block another', async () => {
  const { counted, queries } = openCountingReader();
  let ended = 0;
  const abort = new AbortController();
  const all = { ...question, filters: [] };
  const heavy = Array.from({ length: 10 }, () =>
    counted
      .queryBreakdowns(all, HEAVY, abort.signal)
      .catch(() => 'aborted')
      .finally(() => (ended += 1)),
  );
  await waitFor('three run', () => queries.running >= 3);
  const { rows } = await counted.querySummary({ ...all, workspace: 'small' }, 'day');
  expect(rows.find(({ part }) => part === 'total')).toMatchObject({ scans: 10 });
  expect(ended).toBeLessThan(10);
  abort.abort();
  expect(await Promise.all(heavy)).toContain('aborted');
  // Three ordinary ones and a large one, and that of the small workspace.
  expect(queries.runningMax).toBeLessThanOrEqual(5);
});

test('the reader fails with 503 when the warehouse is unavailable', async () => {
  const away = new WarehouseReader({ ...open.warehouse, isReady: false } as never);
  await expect(away.querySummary(question, 'day')).rejects.toMatchObject({ code: 'service_unavailable' });
});

test.each([
  ['Query memory limit exceeded: would use 1.00 GiB', true],
  ['(total) memory limit exceeded: would use 1.52 GiB', false],
])('%s: a limit of the query itself: %s; else the server is busy with others', (message, isOwn) => {
  const error = memoryExceeded(message);
  expect([isLimitExceeded(error), isOutage(asOutage(error))]).toEqual([isOwn, !isOwn]);
});
