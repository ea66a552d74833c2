import { createClient } from '@clickhouse/client';
import { newId } from '@waymark/shared/contract/ids';
import { createLog } from '@waymark/shared/kernel/log';
import { freshBacking } from '@waymark/shared/testing/backing';
import { PendingScansStore } from '@waymark/analytics/ledger/pending-scans';
import { LinkStore } from '@waymark/analytics/links/store';
import { Fill } from '@waymark/analytics/rebuild/keep-filled';
import { compareWorkspace, fillWarehouse } from '@waymark/analytics/rebuild/compare-workspace';
import type { RebuildContext } from '@waymark/analytics/rebuild/compare-day';
import type { Scan } from '@waymark/analytics/scans/scan';
import { ScanStore } from '@waymark/analytics/scans/store';
import { loadScans, type LoadContext } from '@waymark/analytics/warehouse/load/load-scans';
import { WarehouseReader } from '@waymark/analytics/warehouse/query/reader';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness';

const log = createLog('test', 'silent');
const DAYS = ['2026-02-28', '2026-03-01', '2026-03-02'];

let open: OpenWarehouse;
let ctx: RebuildContext & LoadContext;
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    const stores = { pending: new PendingScansStore(db), links: new LinkStore(db), scans: new ScanStore(db) };
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

async function store(scans: Scan[], isPending: boolean): Promise<void> {
  await open.db.transaction(async ({ session }) => {
    await ctx.scans.insert(scans, session);
    if (isPending) await ctx.pending.add(scans, session);
  });
}

async function loadAll(): Promise<void> {
  while ((await loadScans(ctx)) > 0);
}

const compare = (workspace: string, repair = false) => compareWorkspace(ctx, workspace, repair);
const same = { missing: 0, surplus: 0, days_different: [] };

test('finds no difference between a ledger and a warehouse that are equal', async () => {
  await store(scansOf('equal', 20), true);
  await loadAll();
  expect(await compare('equal')).toMatchObject({ days: 3, scans: 60, repaired: false, ...same });
});

test('counts scans that are pending as neither missing nor surplus', async () => {
  await store(scansOf('pending', 5), true);
  const [report] = await Promise.all([compare('pending'), loadAll()]);
  expect(report).toMatchObject({ scans: 15, ...same });
});

test('finds and repairs scans that are missing, and rows of scans that are gone', async () => {
  const scans = scansOf('broken', 10);
  await store(scans, true);
  await loadAll();
  const lost = scans.slice(12, 15).map(({ _id }) => _id);
  await open.warehouse.client.command({
    query: 'DELETE FROM scans WHERE id IN {ids:Array(String)}',
    query_params: { ids: lost },
  });
  const gone = scans.slice(0, 2).map(({ _id }) => _id);
  await open.db.transaction(({ session }) => ctx.scans.remove(gone, session));
  const found = { scans: 28, missing: 3, surplus: 2, days_different: DAYS.slice(0, 2) };
  expect(await compare('broken')).toMatchObject({ ...found, repaired: false });
  expect(await compare('broken', true)).toMatchObject({ ...found, repaired: true });
  await loadAll();
  expect(await compare('broken')).toMatchObject({ scans: 28, ...same });
});

async function digestOf(): Promise<unknown> {
  const query = 'SELECT count() AS n, groupBitXor(cityHash64(*)) AS x FROM (SELECT * FROM scans FINAL)';
  return (await open.warehouse.client.query({ query, format: 'JSONEachRow' })).json();
}

/** As the service does it: scans are loaded meanwhile. */
async function fill(): Promise<void> {
  let isFilling = true;
  const loading = (async () => {
    while (isFilling) await loadAll();
  })();
  await fillWarehouse(ctx, log);
  isFilling = false;
  await loading;
  await loadAll();
}

test('a warehouse that was emptied is filled from the ledger with the same rows', async () => {
  const before = await digestOf();
  await open.warehouse.client.command({ query: 'TRUNCATE TABLE scans' });
  await fill();
  expect(await digestOf()).toEqual(before);
});

test('a warehouse restored from an older backup is completed from the ledger', async () => {
  const run = (query: string) => server.command({ query });
  const server = createClient({ url: new URL('/', open.backing.CLICKHOUSE_URL) });
  const database = new URL(open.backing.CLICKHOUSE_URL).pathname.slice(1);
  await new Fill(open.warehouse).recordEnd(new Date());
  await run(`BACKUP DATABASE \`${database}\` TO File('${database}')`);
  await store(scansOf('later', 5), true);
  await loadAll();
  const before = await digestOf();
  await run(`DROP DATABASE \`${database}\``);
  await run(`RESTORE DATABASE \`${database}\` FROM File('${database}')`);
  expect(await digestOf()).not.toEqual(before);
  expect(await new Fill(open.warehouse).isEnded()).toBe(true);
  await run(`TRUNCATE TABLE \`${database}\`.fills`);
  expect(await new Fill(open.warehouse).isEnded()).toBe(false);
  await fill();
  expect(await digestOf()).toEqual(before);
  await server.close();
});
