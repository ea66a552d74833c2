import { createClient } from '@clickhouse/client';
import { newId } from '@waymark/contract/ids';
import type { SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import { ConversionStore } from '@waymark/analytics/conversions/conversion-store';
import { dataAsOf } from '@waymark/analytics/reports/selection/report-context';
import { openPendingTables } from '@waymark/analytics/loading/pending-tables';
import { LinkCopies } from '@waymark/analytics/links/link-copies';
import { receivedLink } from '@waymark/analytics/links/link';
import { LinkStore } from '@waymark/analytics/links/link-store';
import { fillLinks, fillWarehouse, startWarehouseFill } from '@waymark/analytics/loading/fill-warehouse';
import { FillState } from '@waymark/analytics/warehouse/fill';
import { compareWorkspace, type RebuildContext } from '@waymark/analytics/loading/compare-workspace';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { RetentionStore } from '@waymark/analytics/retention/retention-store';
import { ScanStore } from '@waymark/analytics/ledger/scan-store';
import { loadRows, type LoadContext } from '@waymark/analytics/loading/load-rows';
import { WarehouseReader } from '@waymark/analytics/warehouse/query/reader';
import { linkSnapshot } from './harness.js';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

const log = createLog('test', 'silent');
const DAYS = ['2026-02-28', '2026-03-01', '2026-03-02'];

let open: OpenWarehouse;
let ctx: RebuildContext & LoadContext & { copies: LinkCopies };
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    const ledger = { scans: new ScanStore(db), conversions: new ConversionStore(db) };
    const stores = {
      pending: openPendingTables(db),
      links: new LinkStore(db),
      copies: new LinkCopies(db),
      retention: new RetentionStore(db),
      ...ledger,
    };
    ctx = { ...stores, db, log } as typeof ctx;
  });
  ctx.warehouse = open.warehouse;
  ctx.reader = new WarehouseReader(open.warehouse);
});
afterAll(() => open.close());

function scansOf(workspace: string, perDay: number): Scan[] {
  return DAYS.flatMap((day) =>
    Array.from({ length: perDay }, (_, index) => ({
      _id: newId('scn'),
      batch: 'evt_1',
      workspace,
      linkId: `lnk_${index % 3}`,
      shortCode: 'code',
      scannedAt: new Date(Date.parse(day) + index * 1000),
      trigger: 'link' as const,
      country: 'GB',
      region: 'England',
      city: 'London',
      device: 'desktop' as const,
      browser: 'Chrome',
      os: 'Windows',
      referrer: 'direct',
      campaign: null,
      visitor: null,
      isUnique: false,
      isBot: false,
      botReason: null,
    })),
  );
}

/** One recorded conversion per day, and one that is not recorded. */
function conversionsOf(workspace: string): Conversion[] {
  const conversion = (day: string, status: Conversion['status']) => ({
    _id: newId('cnv'),
    workspace,
    status,
    linkId: status === 'recorded' ? 'lnk_1' : null,
    shortCode: 'code',
    campaign: null,
    source: 'shop',
    meta: null,
    value: 1,
    currency: 'EUR',
    externalId: null,
    occurredAt: new Date(day),
    recordedAt: new Date(day),
    updatedAt: new Date(day),
  });
  return [...DAYS.map((day) => conversion(day, 'recorded')), conversion(DAYS[0]!, 'rejected')];
}

async function store(scans: Scan[], conversions: Conversion[] = []): Promise<void> {
  await open.db.transaction(async ({ session }) => {
    await ctx.scans.insertScans(scans, session);
    await ctx.pending.scans.addRows(scans, session);
    for (const conversion of conversions) await ctx.conversions.insertConversion(conversion, session);
    const recorded = conversions.filter(({ status }) => status === 'recorded');
    await ctx.pending.conversions.addRows(recorded, session);
  });
}

/** Until nothing is pending: a claim that a busy warehouse did not take in time is tried again. */
async function loadAll(): Promise<void> {
  while ((await ctx.pending.scans.oldestStoredAt()) !== null) await loadRows(ctx, ctx.pending.scans);
  while ((await ctx.pending.conversions.oldestStoredAt()) !== null) await loadRows(ctx, ctx.pending.conversions);
}

/** As the service does it: rows are loaded meanwhile, also those that the work puts back. */
async function whileLoading<Result>(work: () => Promise<Result>): Promise<Result> {
  let isWorking = true;
  const loading = (async () => {
    while (isWorking) await loadAll();
  })();
  const result = await work().finally(() => (isWorking = false));
  await loading;
  await loadAll();
  return result;
}

const compare = (workspace: string, repair = false) => compareWorkspace(ctx, workspace, repair);
const same = { missing: 0, surplus: 0, days_different: [] };

test('a comparison finds no difference when ledger and warehouse are equal', async () => {
  await store(scansOf('equal', 20), conversionsOf('equal'));
  await loadAll();
  expect(await compare('equal')).toEqual({
    workspace: 'equal',
    repaired: false,
    scans: { days: 3, stored: 60, ...same },
    conversions: { days: 3, stored: 3, ...same },
  });
});

test('a comparison counts pending rows as neither missing nor surplus', async () => {
  await store(scansOf('pending', 5), conversionsOf('pending'));
  const report = await whileLoading(() => compare('pending'));
  expect(report).toMatchObject({ scans: { stored: 15, ...same }, conversions: { stored: 3, ...same } });
});

async function removeFromWarehouse(table: string, ids: string[]): Promise<void> {
  const query = `DELETE FROM ${table} WHERE id IN {ids:Array(String)}`;
  await open.warehouse.client.command({ query, query_params: { ids } });
}

test('a repair adds missing rows and removes rows of deleted documents', async () => {
  const [scans, conversions] = [scansOf('broken', 10), conversionsOf('broken')];
  await store(scans, conversions);
  await loadAll();
  const ids = (documents: { _id: string }[]) => documents.map(({ _id }) => _id);
  await removeFromWarehouse('scans', ids(scans.slice(12, 15)));
  await removeFromWarehouse('conversions', ids(conversions.slice(2, 3)));
  await ctx.scans.deleteScans(ids(scans.slice(0, 2)));
  await open.db.connection.collection('conversions').deleteOne({ _id: conversions[1]!._id as never });
  const found = {
    scans: { stored: 28, missing: 3, surplus: 2, days_different: DAYS.slice(0, 2) },
    // One of the days has no conversion left in the ledger.
    conversions: { days: 3, stored: 2, missing: 1, surplus: 1, days_different: DAYS.slice(1) },
  };
  expect(await compare('broken')).toMatchObject({ ...found, repaired: false });
  expect(await compare('broken', true)).toMatchObject({ ...found, repaired: true });
  await loadAll();
  expect(await compare('broken')).toMatchObject({
    scans: { stored: 28, ...same },
    conversions: { stored: 2, ...same },
  });
});

test('a repair adds thousands of missing rows of a day while some are pending', async () => {
  await store(scansOf('large', 2500));
  await loadAll();
  await open.warehouse.client.command({ query: "DELETE FROM scans WHERE workspace = 'large'" });
  await store(scansOf('large', 200));
  const report = await whileLoading(() => compare('large', true));
  expect(report.scans).toMatchObject({ stored: 8100, missing: 7500 });
  expect((await compare('large')).scans).toEqual({ days: 3, stored: 8100, ...same });
});

async function digestOf(): Promise<unknown> {
  const digest = (table: string) =>
    `SELECT '${table}' AS name, count() AS rows, groupBitXor(cityHash64(toString(tuple(*)))) AS hash FROM (SELECT * FROM ${table} FINAL)`;
  const query = `SELECT * FROM (${digest('scans')} UNION ALL ${digest('conversions')}) ORDER BY name`;
  return (await open.warehouse.client.query({ query, format: 'JSONEachRow' })).json();
}

const skipItem: SkipItem = (error) => {
  throw error;
};
const fill = () => whileLoading(() => fillWarehouse(ctx, { log, skipItem }));

test('an emptied warehouse is filled from the ledger with the same rows', async () => {
  const before = await digestOf();
  for (const table of ['scans', 'conversions'])
    await open.warehouse.client.command({ query: `TRUNCATE TABLE ${table}` });
  await fill();
  expect(await digestOf()).toEqual(before);
});

describe('a workspace that cannot be filled', () => {
  const fillState = () => new FillState(open.warehouse);
  let wrong: Scan;

  async function idsInWarehouse(workspace: string): Promise<number> {
    const query = 'SELECT uniq(id) AS ids FROM scans WHERE workspace = {workspace:String}';
    const result = await open.warehouse.client.query({ query, query_params: { workspace }, format: 'JSONEachRow' });
    return (await result.json<{ ids: number }>())[0]!.ids;
  }

  const asOf = () => dataAsOf({ ...ctx, fill: fillState() });

  /** Runs the worker of the service until the condition holds. @returns the work that has failed */
  async function fillUntil(name: string, condition: (failed: string[]) => Promise<boolean>): Promise<string[]> {
    const lifecycle = new Lifecycle(log);
    const failed: string[] = [];
    lifecycle.onWorkFailed((work) => failed.push(work));
    startWarehouseFill({ db: open.db, log, lifecycle }, { ...ctx, fill: fillState() });
    try {
      await whileLoading(() => waitFor(name, () => condition(failed)));
    } finally {
      await lifecycle.stop();
    }
    return failed;
  }

  beforeAll(async () => {
    await store([...scansOf('a_failing', 2), ...scansOf('b_filled', 2)], conversionsOf('c_sold'));
    await loadAll();
    for (const table of ['scans', 'conversions', 'fills'])
      await open.warehouse.client.command({ query: `TRUNCATE TABLE ${table}` });
    wrong = { ...scansOf('a_failing', 1)[0]!, city: 7 as never };
    await open.db.connection.collection<Scan>('scans').insertOne(wrong);
  });

  test('delays no others, and the fill does not end', async () => {
    const isTried = async (failed: string[]) =>
      failed.length > 0 && (await compare('c_sold')).conversions.missing === 0;
    expect(await fillUntil('the others to be filled', isTried)).toEqual(['filling the warehouse']);
    expect(await idsInWarehouse('b_filled')).toBe(6);
    expect(await fillState().isComplete()).toBe(false);
    expect(await asOf()).toBeNull();
  });

  test('is filled by a later attempt once the cause is fixed', async () => {
    await open.db.connection.collection<Scan>('scans').updateOne({ _id: wrong._id }, { $set: { city: 'London' } });
    expect(await fillUntil('the end of the fill', () => fillState().isComplete())).toEqual([]);
    expect(await idsInWarehouse('a_failing')).toBe(7);
    expect(await asOf()).toBeInstanceOf(Date);
  });
});

test('a warehouse restored from an older backup is completed from the ledger', async () => {
  const run = (query: string) => server.command({ query });
  const server = createClient({ url: new URL('/', open.backing.CLICKHOUSE_URL) });
  const database = new URL(open.backing.CLICKHOUSE_URL).pathname.slice(1);
  const done = new FillState(open.warehouse);
  await done.recordStart();
  await done.recordEnd();
  await run(`BACKUP DATABASE \`${database}\` TO File('${database}')`);
  await store(scansOf('later', 5), conversionsOf('later'));
  await loadAll();
  const before = await digestOf();
  await run(`DROP DATABASE \`${database}\``);
  await run(`RESTORE DATABASE \`${database}\` FROM File('${database}')`);
  expect(await digestOf()).not.toEqual(before);
  expect(await new FillState(open.warehouse).isComplete()).toBe(true);
  await run(`TRUNCATE TABLE \`${database}\`.fills`);
  expect(await new FillState(open.warehouse).isComplete()).toBe(false);
  await fill();
  expect(await digestOf()).toEqual(before);
  await server.close();
});

test('a fill is incomplete when the tables were lost meanwhile', async () => {
  const { client } = open.warehouse;
  await client.command({ query: 'TRUNCATE TABLE fills' });
  const fill = new FillState(open.warehouse);
  await fill.recordStart();
  await client.command({ query: 'TRUNCATE TABLE fills' });
  await fill.recordEnd();
  expect(await fill.isComplete()).toBe(false);
  await fill.recordStart();
  await fill.recordEnd();
  expect(await fill.isComplete()).toBe(true);
});

test('a fill of links stops at the signal, and the next one loads the rest', async () => {
  const { copies } = ctx;
  const fillState = new FillState(open.warehouse);
  await open.warehouse.client.command({ query: 'TRUNCATE TABLE fills' });
  await copies.putLinks([receivedLink('stopped', linkSnapshot({ id: 'lnk_stopped' }))]);
  const loaded = async () => {
    const query = "SELECT id FROM links WHERE workspace = 'stopped'";
    return (await open.warehouse.client.query({ query, format: 'JSONEachRow' })).json();
  };
  const parts = { copies, warehouse: open.warehouse, fill: fillState, log };
  const stopFill = () => expect(fillLinks(parts, AbortSignal.abort())).rejects.toThrow('aborted');
  await stopFill();
  expect(await loaded()).toEqual([]);
  await fillLinks(parts, new AbortController().signal);
  expect(await loaded()).toEqual([{ id: 'lnk_stopped' }]);

  // A retry, because the fill of scans has failed.
  await stopFill();
  expect(await copies.linksToLoad(10)).toEqual([]);
  await open.warehouse.client.command({ query: 'TRUNCATE TABLE fills' });
  await stopFill();
  expect(await copies.linksToLoad(10)).toMatchObject([{ _id: 'lnk_stopped' }]);
});
