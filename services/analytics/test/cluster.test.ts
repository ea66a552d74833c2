import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { createLog } from '@waymark/kernel/process/log';
import { startOwnClickHouse, type OwnClickHouse } from '@waymark/stack/own-clickhouse';
import { SCANS_TABLE } from '@waymark/analytics/ledger/scan-rows';
import { encodeRows } from '@waymark/analytics/warehouse/loaded-table';
import { MIGRATIONS, warehouseJournal } from '@waymark/analytics/warehouse/schema';
import { deleteRowsSql, ERASED_TABLES } from '@waymark/analytics/warehouse/query/erase-rows';
import { CONVERSIONS_TABLE } from '@waymark/analytics/conversions/conversion-rows';
import { conversionBreakdownsSql, conversionsSql } from '@waymark/analytics/warehouse/query/conversion-figures';
import { breakdownsSql, linkDaysSql, summarySql } from '@waymark/analytics/warehouse/query/figures';
import { QUERY_LIMITS } from '@waymark/analytics/warehouse/query/reader';
import { scanRowsSql } from '@waymark/analytics/warehouse/query/scan-pages';
import { deleteExpiredSql, type ScanQuery } from '@waymark/analytics/warehouse/query/scan-query';
import type { Sql } from '@waymark/analytics/warehouse/query/sql';
import { deleteOfDaySql } from '@waymark/analytics/warehouse/query/table-day';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { conversionOf } from './naive-conversions.js';

/** A cluster of the local ClickHouse: two shards that are both itself, so that each row is read twice. */
const CLUSTER = 'twice';
const log = createLog('test', 'silent');
const COUNT = 60;
const VISITORS = 7;
const LINKS = 4;

let own: OwnClickHouse;
let client: ClickHouseClient;
beforeAll(async () => {
  own = await startOwnClickHouse();
  const server = createClient({ url: own.url });
  await server.command({ query: 'CREATE DATABASE figures' });
  await server.close();
  client = createClient({ url: `${own.url}/figures` });
});
afterAll(async () => {
  await client?.close();
  await own?.remove();
});

/** The statements that the migrations and the journal send for a cluster. */
async function schemaStatements(cluster: string): Promise<string[]> {
  const statements: string[] = [];
  const recorder = {
    command: ({ query }: { query: string }) => Promise.resolve(void statements.push(query)),
    query: () => Promise.resolve({ json: () => Promise.resolve([]) }),
  } as unknown as ClickHouseClient;
  const store = { client: recorder, cluster };
  await warehouseJournal(store).applied();
  for (const migration of MIGRATIONS) await migration.run(store, log);
  return statements;
}

async function rowsOf<T>(query: Sql): Promise<T[]> {
  const options = { format: 'JSONEachRow', clickhouse_settings: QUERY_LIMITS } as const;
  return (await client.query({ ...query.render(), ...options })).json<T>();
}

test.each([CLUSTER, 'eu-west `1`'])('ClickHouse can parse every statement for the cluster %s', async (cluster) => {
  const day = { table: 'scans', workspace: 'acme', day: '2026-03-01' } as const;
  const deletions = [
    deleteExpiredSql(['acme'], new Date(), cluster),
    deleteOfDaySql(day, ['scn_1'], cluster),
    ...ERASED_TABLES.map((table) => deleteRowsSql(table, 'acme', cluster)),
  ];
  const statements = [...(await schemaStatements(cluster)), ...deletions.map((each) => each.render().query)];
  for (const query of statements) {
    const parsed = client.query({
      query: 'SELECT formatQuery({query:String}) AS text',
      query_params: { query },
      format: 'JSONEachRow',
    });
    await expect(parsed.then((result) => result.json())).resolves.toHaveLength(1);
  }
});

describe('distributed tables', () => {
  const scans = Array.from({ length: COUNT }, (_, index): Scan => ({
    _id: `scn_${index}`,
    batch: 'evt_1',
    workspace: 'acme',
    linkId: `lnk_${index % LINKS}`,
    shortCode: 'code',
    scannedAt: new Date(Date.UTC(2026, 2, 1, 12)),
    trigger: 'link',
    country: 'DE',
    region: 'unknown',
    city: 'Bonn',
    device: 'mobile',
    browser: 'Safari',
    os: 'iOS',
    language: 'de',
    referrer: 'direct',
    campaign: null,
    visitor: Buffer.alloc(16, (index % VISITORS) + 1).toString('base64url'),
    isUnique: false,
    isBot: false,
    botReason: null,
  }));
  const conversions = Array.from({ length: LINKS }, (_, index) =>
    conversionOf({
      ...{ workspace: 'acme', linkId: `lnk_${index}`, occurredAt: new Date(Date.UTC(2026, 2, 1, 12)) },
      ...{ value: 0.1, currency: 'EUR' },
    }),
  );
  const question: ScanQuery = {
    workspace: 'acme',
    firstDate: '2026-03-01',
    lastDate: '2026-03-01',
    timeZone: 'Europe/Berlin',
    filters: [],
    includeBots: false,
  };

  beforeAll(async () => {
    // Without the parts that need ClickHouse Keeper, which the library does not have.
    const withoutKeeper = (statement: string) =>
      statement
        .replaceAll(` ON CLUSTER \`${CLUSTER}\``, '')
        .replace(/ReplicatedReplacingMergeTree\('[^']*', '[^']*'(?:, )?([^)]*)\)/, 'ReplacingMergeTree($1)')
        .replace('replicated_deduplication_window', 'non_replicated_deduplication_window');
    for (const query of await schemaStatements(CLUSTER)) await client.command({ query: withoutKeeper(query) });
    const insert = ({ name, columns }: { name: string; columns: readonly string[] }, rows: string) =>
      client.command({
        query: `INSERT INTO ${name} (${columns.join(', ')}) FORMAT JSONCompactEachRow\n${rows}`,
        clickhouse_settings: { distributed_foreground_insert: 1 },
      });
    await insert(SCANS_TABLE, encodeRows(SCANS_TABLE, scans));
    await insert(CONVERSIONS_TABLE, encodeRows(CONVERSIONS_TABLE, conversions));
    const links = [0, 1].map((index) => ({
      workspace: 'acme',
      id: `lnk_${index}`,
      domain: 'dom_a',
      folder: 'fld_a',
      tags: ['tag_a', 'tag_b'],
      version: 1,
    }));
    await client.insert({ table: 'links', values: links, format: 'JSONEachRow' });
  });

  test('store each row in the table of one shard', async () => {
    const result = await client.query({ query: 'SELECT count() AS rows FROM scans_local', format: 'JSONEachRow' });
    expect(Number((await result.json<{ rows: string }>())[0]!.rows)).toBe(COUNT);
  });

  test.each(['exact', 'estimated'] as const)(
    'add up the scans of all shards, and count a visitor once: %s',
    async (count) => {
      const summary = await rowsOf<object>(summarySql(question, 'day', count));
      const figures = { scans: 2 * COUNT, unique_visitors: VISITORS, bot_scans: 0 };
      expect(summary).toHaveLength(3);
      expect(summary).toEqual(
        expect.arrayContaining([
          { part: 'total', value: '', ...figures },
          { part: 'point', value: '2026-03-01', ...figures },
          { part: 'device', value: 'mobile', ...figures },
        ]),
      );
    },
  );

  test('break down by the current fields of links, and rank the values of all shards', async () => {
    const breakdown = { dimensions: ['tag', 'folder', 'city'] as const, limit: 2 };
    expect(await rowsOf(breakdownsSql(question, breakdown, 'exact'))).toMatchObject([
      { dimension: 'city', value: 'Bonn', scans: 2 * COUNT, unique_visitors: VISITORS, total: 2 * COUNT },
      { dimension: 'folder', value: 'fld_a', scans: COUNT, total: 2 * COUNT },
      { dimension: 'folder', value: 'none', scans: COUNT, total: 2 * COUNT },
      { dimension: 'tag', value: 'none', scans: COUNT, total: 2 * COUNT },
      { dimension: 'tag', value: 'tag_a', scans: COUNT, total: 2 * COUNT },
    ]);
  });

  test.each([
    ['tag_b', false],
    ['none', true],
  ])('filter by the current fields of links: %s, negated %s', async (tag, isNegated) => {
    const filters = [{ name: 'tag' as const, values: [tag], isNegated }];
    const days = await rowsOf<{ link: string; scans: number }>(linkDaysSql({ ...question, filters }));
    expect(new Map(days.map(({ link, scans: count }) => [link, count]))).toEqual(
      new Map([
        ['lnk_0', (2 * COUNT) / LINKS],
        ['lnk_1', (2 * COUNT) / LINKS],
      ]),
    );
  });

  test('add up the conversions of all shards and their values, by link, source and the fields of links', async () => {
    const tagged = { ...question, filters: [{ name: 'tag' as const, values: ['tag_a'], isNegated: false }] };
    expect(await rowsOf(conversionsSql(question, 'day'))).toEqual([
      { part: 'currency', value: 'EUR', conversions: 2 * LINKS, amount: 0.8 },
      { part: 'point', value: '2026-03-01', conversions: 2 * LINKS, amount: null },
    ]);
    const breakdown = { dimensions: ['link', 'source'] as const, limit: 1 };
    expect(await rowsOf(conversionBreakdownsSql(tagged, breakdown))).toEqual([
      { dimension: 'link', value: 'lnk_0', conversions: 2, total: 4, amounts: [['EUR', 0.2]] },
      { dimension: 'source', value: 'shop', conversions: 4, total: 4, amounts: [['EUR', 0.4]] },
    ]);
  });

  test('list the rows of all shards in one order', async () => {
    const rows = await rowsOf<{ id: string }>(scanRowsSql(question, { limit: 4 }));
    expect(rows.map(({ id }) => id)).toEqual(['scn_9', 'scn_9', 'scn_8', 'scn_8']);
  });
});
