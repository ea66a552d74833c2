import { createClient } from '@clickhouse/client';
import { Types } from 'mongoose';
import { newId } from '@waymark/shared/contract/ids';
import { createLog } from '@waymark/shared/kernel/log';
import { freshBacking } from '@waymark/shared/testing/backing';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { PendingScansStore } from '@waymark/analytics/ledger/pending-scans';
import { LinkStore } from '@waymark/analytics/links/store';
import type { Scan } from '@waymark/analytics/scans/scan';
import { loadScans, type LoadContext } from '@waymark/analytics/warehouse/load/load-scans';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness';

const log = createLog('test', 'silent');
let open: OpenWarehouse;
let ctx: LoadContext;
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    ctx = { pending: new PendingScansStore(db), links: new LinkStore(db), log } as LoadContext;
  });
  ctx.warehouse = open.warehouse;
});
afterAll(() => open.close());
afterEach(async () => {
  await open.db.connection.collection('pending_scans').deleteMany({});
  await open.db.connection.collection('pending_scans_set_aside').deleteMany({});
  await open.warehouse.client.command({ query: 'TRUNCATE TABLE scans' });
});

function scanOf(given: Partial<Scan> = {}): Scan {
  return {
    _id: newId('scn'),
    batch: 'evt_1',
    workspace: 'acme',
    linkId: 'lnk_1',
    shortCode: 'spring',
    scannedAt: new Date('2026-03-29T00:30:00.123Z'),
    trigger: 'link',
    country: 'GB',
    region: 'England',
    city: 'London',
    device: 'desktop',
    browser: 'Chrome',
    os: 'Windows',
    referrer: 'direct',
    campaign: null,
    visitor: 'AAECAwQFBgcICQoLDA0ODw',
    isUnique: true,
    isBot: false,
    botReason: null,
    ...given,
  };
}

const store = (scans: Scan[]) => open.db.transaction(({ session }) => ctx.pending.add(scans, session));
const pendingCount = () => open.db.connection.collection('pending_scans').countDocuments({});
const due = () => open.db.connection.collection('pending_scans').updateMany({}, { $set: { leasedUntil: new Date(0) } });

async function loadedIds(final = false): Promise<string[]> {
  const query = `SELECT id FROM scans ${final ? 'FINAL' : ''} ORDER BY id`;
  const result = await open.warehouse.client.query({ query, format: 'JSONEachRow' });
  return (await result.json<{ id: string }>()).map(({ id }) => id);
}

test('loads every column of a scan as it was stored', async () => {
  const texts = { campaign: 'été "25"\n\t\\', city: "N'Djamena", referrer: 'a\ud800b', browser: '\0' };
  const scan = scanOf(texts);
  await store([scan, scanOf({ _id: 'scn_none', visitor: null, isBot: true, isUnique: false, linkId: 'lnk_2' })]);
  expect(await loadScans(ctx)).toBe(2);
  const query = 'SELECT * REPLACE (hex(visitor) AS visitor) FROM scans WHERE id = {id:String}';
  const rowOf = async (id: string) => {
    const result = await open.warehouse.client.query({ query, query_params: { id }, format: 'JSONEachRow' });
    return (await result.json<Record<string, unknown>>())[0];
  };
  expect(await rowOf(scan._id)).toEqual({
    workspace: 'acme',
    at: '2026-03-29 00:30:00.123',
    link_id: 'lnk_1',
    id: scan._id,
    short_code: 'spring',
    trigger: 'link',
    country: 'GB',
    region: 'England',
    city: texts.city,
    device: 'desktop',
    browser: '\0',
    os: 'Windows',
    referrer: 'a\ufffdb',
    campaign: texts.campaign,
    visitor: '000102030405060708090A0B0C0D0E0F',
    is_unique: true,
    is_bot: false,
    version: expect.anything(),
  });
  expect(await rowOf('scn_none')).toMatchObject({ campaign: null, visitor: '0'.repeat(32), is_bot: true });
  expect(await pendingCount()).toBe(0);
});

test('notes when links were scanned last', async () => {
  const later = new Date('2026-03-29T00:40:00.000Z');
  await store([scanOf({ linkId: 'lnk_seen', scannedAt: later }), scanOf({ linkId: 'lnk_seen' })]);
  await loadScans(ctx);
  const link = await open.db.connection.collection<{ _id: string }>('links').findOne({ _id: 'lnk_seen' });
  expect(link).toMatchObject({ lastScannedAt: later });
});

test('four loaders at once load each scan exactly once', async () => {
  const scans = Array.from({ length: 600 }, () => scanOf());
  for (let from = 0; from < scans.length; from += 3) await store(scans.slice(from, from + 3));
  const loadAll = async (): Promise<void> => {
    while ((await pendingCount()) > 0) await loadScans(ctx);
  };
  await Promise.all([loadAll(), loadAll(), loadAll(), loadAll()]);
  expect(await loadedIds()).toEqual(scans.map(({ _id }) => _id).sort());
});

test('a claim of one loader is free for others only after its lease has ended', async () => {
  await store([scanOf()]);
  const claim = await ctx.pending.claim();
  expect(claim.batches).toHaveLength(1);
  expect(await loadScans(ctx)).toBe(0);
  await due();
  expect(await loadScans(ctx)).toBe(1);
  // The first loader was frozen: neither its acknowledgement nor its release changes what others do.
  await store([scanOf()]);
  await ctx.pending.acknowledge(claim);
  await ctx.pending.release(claim);
  expect(await pendingCount()).toBe(1);
});

test('a batch that is loaded again after a lost acknowledgement adds no row', async () => {
  const scan = scanOf();
  await store([scan]);
  const lost = {
    ...ctx,
    pending: Object.assign(Object.create(ctx.pending) as PendingScansStore, {
      acknowledge: () => Promise.reject(new Error('the process has ended')),
    }),
  };
  await expect(loadScans(lost)).rejects.toThrow('ended');
  await due();
  expect(await loadScans(ctx)).toBe(1);
  expect(await loadedIds()).toEqual([scan._id]);
});

test('a scan in two batches of different composition counts once', async () => {
  const scan = scanOf();
  await store([scan]);
  await loadScans(ctx);
  await store([scan, scanOf({ _id: 'scn_other' })]);
  await loadScans(ctx);
  expect(await loadedIds(true)).toEqual([scan._id, 'scn_other'].sort());
});

test('sets aside what the warehouse refuses, of its workspace alone, and loads all others', async () => {
  const good = Array.from({ length: 30 }, (_, index) => scanOf({ workspace: `good-${index % 3}` }));
  for (const scan of good.slice(0, 29)) await store([scan]);
  const bad = scanOf({ workspace: 'bad', _id: 'scn_bad', scannedAt: { getTime: () => 'never' } as unknown as Date });
  // In one batch with a scan of another workspace.
  await store([good[29]!, bad]);
  await waitFor('what is left is set aside', async () => {
    await loadScans(ctx).catch(() => undefined);
    await due();
    return (await pendingCount()) === 0;
  });
  expect(await loadedIds(true)).toEqual(good.map(({ _id }) => _id).sort());
  const aside = await open.db.connection.collection('pending_scans_set_aside').find({}).toArray();
  expect(aside).toMatchObject([{ workspace: 'bad', rowCount: 1, error: expect.stringMatching(/DateTime/) }]);
  expect(await ctx.pending.setAsideCount()).toBe(1);
});

test('loads what was set aside once its cause is fixed and it is retried', async () => {
  const scan = scanOf({ scannedAt: { getTime: () => 'never' } as unknown as Date });
  await store([scan]);
  await waitFor('it is set aside', async () => {
    await loadScans(ctx).catch(() => undefined);
    await due();
    return (await pendingCount()) === 0;
  });
  expect(await ctx.pending.listSetAside(10)).toEqual([
    {
      _id: expect.any(Types.ObjectId),
      workspace: 'acme',
      rowCount: 1,
      error: expect.stringMatching(/DateTime/),
      setAsideAt: expect.any(Date),
    },
  ]);
  const aside = open.db.connection.collection('pending_scans_set_aside');
  const batch = await aside.findOne({});
  await aside.updateOne({}, { $set: { rows: String(batch!['rows']).replace('"never"', '1774744200123') } });
  expect(await ctx.pending.retrySetAside()).toBe(true);
  expect(await ctx.pending.retrySetAside()).toBe(false);
  expect(await loadScans(ctx)).toBe(1);
  expect(await loadedIds()).toEqual([scan._id]);
});

test('an insert has at most so many rows', async () => {
  const rows = `${JSON.stringify(['acme'])}\n`;
  const batch = {
    layout: 1,
    rows,
    rowCount: 20_000,
    lastScanned: [],
    leasedUntil: new Date(0),
    owner: null,
    refusals: 0,
  };
  const batches = Array.from({ length: 7 }, () => ({ ...batch, _id: new Types.ObjectId() }));
  await open.db.connection.collection('pending_scans').insertMany(batches);
  const claims = [await ctx.pending.claim(), await ctx.pending.claim()];
  expect(claims.map(({ batches: claimed }) => claimed.length)).toEqual([2, 2]);
});

test('keeps scans pending while the warehouse is away, refuses none, and loads them when it is back', async () => {
  const scans = [scanOf(), scanOf()];
  await store(scans);
  const client = createClient({ url: 'http://127.0.0.1:1/nowhere', log: { level: 127 } });
  const away = { ...ctx, warehouse: { client, cluster: undefined, recreateAfter: () => undefined } as never };
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await expect(loadScans(away)).rejects.toMatchObject({ code: 'service_unavailable' });
  }
  const before = await ctx.pending.oldestStoredAt();
  expect(before).not.toBeNull();
  expect(await loadScans(ctx)).toBe(2);
  expect(await ctx.pending.oldestStoredAt()).toBeNull();
  expect(await loadedIds()).toEqual(scans.map(({ _id }) => _id).sort());
  await client.close();
});
