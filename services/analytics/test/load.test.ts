import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Types } from 'mongoose';
import { newId } from '@waymark/contract/ids';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { runWithShortTurns } from '@waymark/testing/event-loop';
import { openPendingTables, type PendingTables } from '@waymark/analytics/loading/pending-tables';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import { LinkCopies } from '@waymark/analytics/links/link-copies';
import { receivedLink } from '@waymark/analytics/links/link';
import { LinkStore } from '@waymark/analytics/links/link-store';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { SCANS_TABLE } from '@waymark/analytics/ledger/scan-rows';
import { LinkLoader } from '@waymark/analytics/loading/load-links';
import { loadRows, type LoadContext } from '@waymark/analytics/loading/load-rows';
import { Warehouse } from '@waymark/analytics/warehouse/warehouse';
import { conversionOf } from './naive-conversions.js';
import { linkSnapshot } from './harness.js';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

const log = createLog('test', 'silent');
let open: OpenWarehouse;
let ctx: LoadContext & { pending: PendingTables; copies: LinkCopies };
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    ctx = { pending: openPendingTables(db), links: new LinkStore(db), copies: new LinkCopies(db), log } as typeof ctx;
  });
  ctx.warehouse = open.warehouse;
});
afterAll(() => open.close());
afterEach(async () => {
  for (const table of ['scans', 'conversions']) {
    await open.db.connection.collection(`pending_${table}`).deleteMany({});
    await open.db.connection.collection(`pending_${table}_set_aside`).deleteMany({});
    await open.warehouse.client.command({ query: `TRUNCATE TABLE ${table}` });
  }
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

const store = (scans: Scan[]) => open.db.transaction(({ session }) => ctx.pending.scans.addRows(scans, session));
const pendingCount = () => open.db.connection.collection('pending_scans').countDocuments({});
const due = () => open.db.connection.collection('pending_scans').updateMany({}, { $set: { leasedUntil: new Date(0) } });

async function loadedIds(final = false): Promise<string[]> {
  const query = `SELECT id FROM scans ${final ? 'FINAL' : ''} ORDER BY id`;
  const result = await open.warehouse.client.query({ query, format: 'JSONEachRow' });
  return (await result.json<{ id: string }>()).map(({ id }) => id);
}

test('a loader loads every column of a scan as stored', async () => {
  const texts = { campaign: 'été "25"\n\t\\', city: "N'Djamena", referrer: 'a\ud800b', browser: '\0' };
  const scan = scanOf(texts);
  await store([scan, scanOf({ _id: 'scn_none', visitor: null, isBot: true, isUnique: false, linkId: 'lnk_2' })]);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(2);
  const query =
    'SELECT * REPLACE (hex(visitor) AS visitor, toString(visit) AS visit) FROM scans WHERE id = {id:String}';
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
    language: 'unknown',
    os: 'Windows',
    referrer: 'a\ufffdb',
    campaign: texts.campaign,
    visitor: '000102030405060708090A0B0C0D0E0F',
    visit: expect.stringMatching(/^[1-9]\d+$/),
    is_unique: true,
    is_bot: false,
    version: expect.anything(),
  });
  expect(await rowOf('scn_none')).toMatchObject({ campaign: null, visitor: '0'.repeat(32), visit: '0', is_bot: true });
  expect(await pendingCount()).toBe(0);
});

test('a loader records the last scan of links', async () => {
  const later = new Date('2026-03-29T00:40:00.000Z');
  await store([scanOf({ linkId: 'lnk_seen', scannedAt: later }), scanOf({ linkId: 'lnk_seen' })]);
  await loadRows(ctx, ctx.pending.scans);
  const link = await open.db.connection.collection<{ _id: string }>('links').findOne({ _id: 'lnk_seen' });
  expect(link).toMatchObject({ lastScannedAt: later });
});

test('four concurrent loaders load each scan exactly once', async () => {
  const scans = Array.from({ length: 600 }, () => scanOf());
  for (let from = 0; from < scans.length; from += 3) await store(scans.slice(from, from + 3));
  const loadAll = async (): Promise<void> => {
    while ((await pendingCount()) > 0) await loadRows(ctx, ctx.pending.scans);
  };
  await Promise.all([loadAll(), loadAll(), loadAll(), loadAll()]);
  expect(await loadedIds()).toEqual(scans.map(({ _id }) => _id).sort());
});

test('the batches of one loader are free for others only after the lease has expired', async () => {
  await store([scanOf()]);
  const claim = await ctx.pending.scans.claimBatches();
  expect(claim.batches).toHaveLength(1);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(0);
  await due();
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(1);
  // The first loader was suspended: neither its acknowledgement nor its release affects other loaders.
  await store([scanOf()]);
  await ctx.pending.scans.acknowledgeBatches(claim);
  await ctx.pending.scans.releaseBatches(claim);
  expect(await pendingCount()).toBe(1);
});

test('a batch that is reloaded after a lost acknowledgement adds no row', async () => {
  const scan = scanOf();
  await store([scan]);
  const lost = Object.assign(Object.create(ctx.pending.scans) as PendingTables['scans'], {
    acknowledgeBatches: () => Promise.reject(new Error('the process has ended')),
  });
  await expect(loadRows(ctx, lost)).rejects.toThrow('ended');
  await due();
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(1);
  expect(await loadedIds()).toEqual([scan._id]);
});

test('a scan in two batches of different composition counts once', async () => {
  const scan = scanOf();
  await store([scan]);
  await loadRows(ctx, ctx.pending.scans);
  await store([scan, scanOf({ _id: 'scn_other' })]);
  await loadRows(ctx, ctx.pending.scans);
  expect(await loadedIds(true)).toEqual([scan._id, 'scn_other'].sort());
});

/** The warehouse has only positive versions. */
const refusedScan = (given: Partial<Scan> = {}): Scan => scanOf({ version: -1, ...given });
const setAside = () => open.db.connection.collection('pending_scans_set_aside');

test('a loader sets aside only the refused rows and loads all others, also those of the same batch', async () => {
  const good = Array.from({ length: 34 }, (_, index) => scanOf({ workspace: `good-${index % 3}` }));
  for (const scan of good.slice(0, 29)) await store([scan]);
  const refused = [
    refusedScan({ workspace: 'a', linkId: 'lnk_refused' }),
    refusedScan({ workspace: 'b' }),
    refusedScan({ workspace: 'a' }),
  ];
  await store([good[29]!, refused[0]!, ...good.slice(30, 33), refused[1]!, refused[2]!, good[33]!]);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(good.length);
  expect(await pendingCount()).toBe(0);
  expect(await loadedIds()).toEqual(good.map(({ _id }) => _id).sort());
  const error = expect.stringMatching(/version/);
  const asides = await setAside().find({}).sort({ workspace: 1 }).toArray();
  expect(asides).toMatchObject([
    { workspace: 'a', rowCount: 2, error },
    { workspace: 'b', rowCount: 1, error },
  ]);
  const ids = asides.map(({ rows }) => (String(rows).match(/scn_\w+/g) ?? []).sort());
  expect(ids).toEqual([[refused[0]!._id, refused[2]!._id].sort(), [refused[1]!._id]]);
  expect(await ctx.pending.scans.countSetAside()).toBe(2);
});

test('a loader that ends while it sets rows aside leaves the batch to another, which loads and keeps each row once', async () => {
  const good = scanOf();
  await store([good, refusedScan()]);
  const interrupted = Object.assign(Object.create(ctx.pending.scans) as PendingTables['scans'], {
    setRowsAside: () => Promise.reject(new Error('the process has ended')),
  });
  await expect(loadRows(ctx, interrupted)).rejects.toThrow('ended');
  expect(await ctx.pending.scans.countSetAside()).toBe(0);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(1);
  expect(await loadedIds()).toEqual([good._id]);
  expect([await pendingCount(), await ctx.pending.scans.countSetAside()]).toEqual([0, 1]);
});

test('rows that an interrupted loader left load after an erasure has shortened their batch', async () => {
  const kept = scanOf({ workspace: 'kept' });
  await store([
    scanOf({ workspace: 'erased' }),
    refusedScan({ workspace: 'erased' }),
    kept,
    refusedScan({ workspace: 'kept' }),
  ]);
  const interrupted = Object.assign(Object.create(ctx.pending.scans) as PendingTables['scans'], {
    setRowsAside: () => Promise.reject(new Error('the process has ended')),
  });
  await expect(loadRows(ctx, interrupted)).rejects.toThrow('ended');
  expect(await ctx.pending.scans.removeRows('erased', 10)).toEqual({ removed: 2, leased: 0 });
  await open.warehouse.client.command({ query: 'TRUNCATE TABLE scans' });
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(1);
  expect(await ctx.pending.scans.countSetAside()).toBe(1);
});

test('a loader whose lease has expired sets no rows aside, and cannot renew it', async () => {
  await store([refusedScan()]);
  const claim = await ctx.pending.scans.claimBatches();
  expect(await ctx.pending.scans.renewLease(claim)).toBe(true);
  await due();
  expect(await ctx.pending.scans.renewLease(claim)).toBe(false);
  const [batch] = claim.batches;
  const refused = [{ row: batch!.rows, error: new Error('refused') }];
  expect(await ctx.pending.scans.setRowsAside({ owner: claim.owner, batch: batch! }, refused)).toEqual([]);
  expect([await pendingCount(), await ctx.pending.scans.countSetAside()]).toEqual([1, 0]);
});

test('a loader that has lost its lease sets no rows aside', async () => {
  await store([refusedScan()]);
  const { owner, batches } = await ctx.pending.scans.claimBatches();
  await due();
  await ctx.pending.scans.claimBatches();
  const refused = [{ row: batches[0]!.rows, error: new Error('refused') }];
  expect(await ctx.pending.scans.setRowsAside({ owner, batch: batches[0]! }, refused)).toEqual([]);
  expect([await pendingCount(), await ctx.pending.scans.countSetAside()]).toEqual([1, 0]);
});

test('an erasure removes the rows of its workspace that were set aside', async () => {
  await store([refusedScan({ workspace: 'erased' }), refusedScan({ workspace: 'kept' })]);
  await loadRows(ctx, ctx.pending.scans);
  expect(await ctx.pending.scans.removeRows('erased', 10)).toEqual({ removed: 1, leased: 0 });
  expect(await setAside().find({}).toArray()).toMatchObject([{ workspace: 'kept' }]);
});

test('a loader leaves a batch of a later layout to a newer version of the service', async () => {
  await store([scanOf()]);
  await open.db.connection.collection('pending_scans').updateMany({}, { $set: { layout: SCANS_TABLE.layout + 1 } });
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(0);
  expect([await pendingCount(), await ctx.pending.scans.countSetAside()]).toEqual([1, 0]);
});

test('a retry loads rows that were set aside once the cause is fixed', async () => {
  const scan = refusedScan();
  await store([scan]);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(0);
  expect(await ctx.pending.scans.listSetAside(10)).toEqual([
    {
      _id: expect.any(Types.ObjectId),
      workspace: 'acme',
      rowCount: 1,
      error: expect.stringMatching(/version/),
      setAsideAt: expect.any(Date),
    },
  ]);
  const found = await setAside().findOne({});
  await setAside().updateOne({}, { $set: { rows: String(found!['rows']).replace(',-1,', ',1,') } });
  expect(await ctx.pending.scans.retryOneSetAside()).toBe(true);
  expect(await ctx.pending.scans.retryOneSetAside()).toBe(false);
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(1);
  expect(await loadedIds()).toEqual([scan._id]);
});

test('a loader sets aside only the refused links and loads all others; a retry loads them once the cause is fixed', async () => {
  const idsOf = (workspace: string) => ['1', '2', '3'].map((number) => `lnk_${workspace}_${number}`);
  const linksOf = (workspace: string) => idsOf(workspace).map((id) => receivedLink(workspace, linkSnapshot({ id })));
  await ctx.copies.putLinks(['a', 'b', 'c'].flatMap(linksOf));
  const links = open.db.connection.collection<{ _id: string; version: number }>('links');
  for (const _id of ['lnk_a_1', 'lnk_b_2']) await links.updateOne({ _id }, { $set: { version: -1 } });
  const loader = new LinkLoader(ctx);
  expect(await loader.loadSome()).toBe(9);
  expect(await loader.loadSome()).toBe(0);

  const loaded = async () => {
    const query = 'SELECT DISTINCT id FROM links ORDER BY id';
    const result = await open.warehouse.client.query({ query, format: 'JSONEachRow' });
    return (await result.json<{ id: string }>()).map(({ id }) => id);
  };
  const all = ['a', 'b', 'c'].flatMap(idsOf);
  expect(await loaded()).toEqual(all.filter((id) => id !== 'lnk_a_1' && id !== 'lnk_b_2'));
  expect(await ctx.copies.countSetAside()).toBe(2);
  const error = expect.stringMatching(/version/);
  expect(await ctx.copies.listSetAside(1)).toEqual([{ _id: 'lnk_a_1', workspace: 'a', error }]);

  await links.updateMany({ version: -1 }, { $set: { version: 2 } });
  expect(await ctx.copies.retrySetAside()).toBe(2);
  expect(await loader.loadSome()).toBe(2);
  expect(await loaded()).toEqual(all);
  expect(await links.countDocuments({ refusal: { $exists: true } })).toBe(0);
});

describe('links of workspaces that take turns', () => {
  const links = () => open.db.connection.collection<{ _id: string }>('links');
  const insert = (workspace: string, count: number, next: 'load' | 'ask') =>
    links().insertMany(
      Array.from({ length: count }, (_, index) => ({
        ...{ _id: `lnk_${workspace}_${index}`, workspace, revision: 1, version: 1, tagIds: [], next },
      })),
    );
  afterEach(() => links().deleteMany({}));

  test('are loaded while another workspace changes more of its links than are loaded at a time', async () => {
    await insert('changing', 2500, 'load');
    await insert('waiting', 1, 'load');
    const loader = new LinkLoader(ctx);
    const waitingCount = () => links().countDocuments({ workspace: 'waiting', next: 'load' });
    expect([await loader.loadSome(), await waitingCount()]).toEqual([2000, 1]);
    await links().updateMany({ workspace: 'changing' }, { $set: { next: 'load' }, $inc: { version: 1 } });
    expect([await loader.loadSome(), await waitingCount()]).toEqual([1, 0]);
    expect(await loader.loadSome()).toBe(2000);
  });

  test('are completed by the owner one workspace after the other, and then from the start', async () => {
    for (const workspace of ['a', 'b', 'c']) await insert(workspace, 2, 'ask');
    const workspaceAfter = async (after: string | null, excluded: string[] = []) => {
      const found = await ctx.copies.linksToComplete(10, { after, excluded });
      return [...new Set(found.map(({ workspace }) => workspace))];
    };
    expect(await workspaceAfter(null)).toEqual(['a']);
    expect(await workspaceAfter('a')).toEqual(['b']);
    expect(await workspaceAfter('a', ['b'])).toEqual(['c']);
    expect(await workspaceAfter('c')).toEqual(['a']);
    expect(await workspaceAfter('c', ['a'])).toEqual(['b']);
  });
});

test('an insert has a limited number of rows', async () => {
  const rows = `${JSON.stringify(['acme'])}\n`;
  const batch = {
    layout: 1,
    rows,
    rowCount: 20_000,
    lastScanned: [],
    leasedUntil: new Date(0),
    owner: null,
  };
  const batches = Array.from({ length: 7 }, () => ({ ...batch, _id: new Types.ObjectId() }));
  await open.db.connection.collection('pending_scans').insertMany(batches);
  const claims = [await ctx.pending.scans.claimBatches(), await ctx.pending.scans.claimBatches()];
  expect(claims.map(({ batches: claimed }) => claimed.length)).toEqual([2, 2]);
});

test('a claim reads few more batches than it chooses from, however many are pending', async () => {
  const batch = { layout: 1, rows: '', rowCount: 50_000, lastScanned: [], owner: null };
  const batches = Array.from({ length: 200 }, () => ({
    ...batch,
    _id: new Types.ObjectId(),
    leasedUntil: new Date(0),
  }));
  await open.db.connection.collection('pending_scans').insertMany(batches);
  const uri = new URL(open.backing.MONGODB_URI);
  uri.searchParams.set('monitorCommands', 'true');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri.href, { log, lifecycle });
  const { scans } = openPendingTables(db);
  await db.start();
  let readCount = 0;
  db.connection.getClient().on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { firstBatch?: object[]; nextBatch?: object[] } };
    const found = [...(cursor?.firstBatch ?? []), ...(cursor?.nextBatch ?? [])];
    readCount += found.filter((row) => 'characters' in row).length;
  });
  const claiming = scans.claimBatches();
  await Promise.allSettled([claiming]);
  await lifecycle.stop();
  expect((await claiming).batches).toHaveLength(1);
  expect(readCount).toBeGreaterThan(0);
  expect(readCount).toBeLessThan(50);
});

test('scans stay pending during an outage of the warehouse and are loaded afterwards', async () => {
  const scans = [scanOf(), scanOf()];
  await store(scans);
  const lifecycle = new Lifecycle(log);
  const away = {
    ...ctx,
    warehouse: new Warehouse({ CLICKHOUSE_URL: 'http://127.0.0.1:1/nowhere' }, open.db, { log, lifecycle }),
  };
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await expect(loadRows(away, away.pending.scans)).rejects.toMatchObject({ code: 'service_unavailable' });
  }
  const before = await ctx.pending.scans.oldestStoredAt();
  expect(before).not.toBeNull();
  expect(await loadRows(ctx, ctx.pending.scans)).toBe(2);
  expect(await ctx.pending.scans.oldestStoredAt()).toBeNull();
  expect(await loadedIds()).toEqual(scans.map(({ _id }) => _id).sort());
  await lifecycle.stop();
});

describe('conversions', () => {
  const conversion = (given: Partial<Conversion> = {}): Conversion =>
    conversionOf({
      workspace: 'acme',
      linkId: 'lnk_1',
      shortCode: 'spring',
      occurredAt: new Date('2026-03-29T00:30:00.123Z'),
      recordedAt: new Date('2026-03-29T00:31:00.456Z'),
      updatedAt: new Date('2026-03-29T00:31:00.456Z'),
      ...given,
    });
  const queue = (conversions: Conversion[]) =>
    open.db.transaction(({ session }) => ctx.pending.conversions.addRows(conversions, session));
  const rows = async () => {
    const query = 'SELECT * EXCEPT version FROM conversions FINAL ORDER BY at, id';
    const result = await open.warehouse.client.query({ query, format: 'JSONEachRow' });
    return result.json<Record<string, unknown>>();
  };

  test('conversions are loaded with every column as stored', async () => {
    const full = conversion({ campaign: 'été "25"\n', source: 'a\ud800b', value: 12.5, currency: 'EUR' });
    await queue([full]);
    await queue([conversion({ _id: 'cnv_none', occurredAt: new Date('2026-04-01') })]);
    expect(await loadRows(ctx, ctx.pending.conversions)).toBe(2);
    expect(await rows()).toEqual([
      {
        workspace: 'acme',
        at: '2026-03-29 00:30:00.123',
        link_id: 'lnk_1',
        id: full._id,
        short_code: 'spring',
        campaign: 'été "25"\n',
        source: 'a\ufffdb',
        value: 12.5,
        currency: 'EUR',
        recorded_at: '2026-03-29 00:31:00.456',
      },
      expect.objectContaining({ id: 'cnv_none', campaign: null, value: null, currency: null }),
    ]);
  });

  test('conversions of every month since 2000 are loaded together', async () => {
    const months = Array.from({ length: 27 * 12 }, (_, month) => new Date(Date.UTC(2000, month)));
    await queue(months.map((occurredAt) => conversion({ occurredAt })));
    expect(await loadRows(ctx, ctx.pending.conversions)).toBe(months.length);
    expect((await rows()).map(({ at }) => String(at).slice(0, 10))).toEqual(
      months.map((month) => month.toISOString().slice(0, 10)),
    );
  });

  test('conversions are loaded exactly once by four loaders, even when a batch is reloaded', async () => {
    const conversions = Array.from({ length: 300 }, () => conversion());
    for (const conversion of conversions) await queue([conversion]);
    const left = () => open.db.connection.collection('pending_conversions').countDocuments({});
    const loadAll = async (): Promise<void> => {
      while ((await left()) > 0) await loadRows(ctx, ctx.pending.conversions);
    };
    await Promise.all([loadAll(), loadAll(), loadAll(), loadAll()]);
    await queue(conversions.slice(0, 100));
    await loadAll();
    expect((await rows()).map(({ id }) => id).sort()).toEqual(conversions.map(({ _id }) => _id).sort());
  });
});

test('a process with a small heap removes the pending rows of a workspace, however many bytes they have together', async () => {
  const wide = 'x'.repeat(500_000);
  const batches = 40;
  for (let batch = 0; batch < batches; batch += 1) {
    const erased = Array.from({ length: 4 }, () => scanOf({ workspace: 'erased', campaign: wide }));
    await store([...erased, scanOf({ workspace: 'kept' })]);
  }
  const module = (path: string) => JSON.stringify(require.resolve(path));
  const script = `
    const { Database } = require(${module('../../../shared/kernel/dist/mongo/database.js')});
    const { Lifecycle } = require(${module('../../../shared/kernel/dist/process/lifecycle.js')});
    const { createLog } = require(${module('../../../shared/kernel/dist/process/log.js')});
    const { openPendingTables } = require(${module('../dist/loading/pending-tables.js')});
    const log = createLog('test', 'silent');
    const lifecycle = new Lifecycle(log);
    const db = new Database(process.env.MONGODB_URI, { log, lifecycle });
    const { scans } = openPendingTables(db);
    db.start()
      .then(() => scans.removeRows('erased', 1000))
      .then((counts) => console.log(JSON.stringify(counts)))
      .finally(() => lifecycle.stop());`;
  const child = spawn(process.execPath, ['--max-old-space-size=56', '-e', script], {
    env: { ...process.env, ...open.backing },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(JSON.parse((await text(child.stdout)) || 'null')).toEqual({ removed: 4 * batches, leased: 0 });
  const left = await open.db.connection.collection('pending_scans').find({}).toArray();
  expect(left.map(({ rowCount }) => rowCount)).toEqual(Array.from({ length: batches }, () => 1));
});

describe('a full claim', () => {
  const batchCount = 32;
  /** Makes a claim of 16 MB that has 32,000 links: the rows of each batch are one long row that the warehouse accepts. */
  async function fill(): Promise<void> {
    const row = JSON.stringify(SCANS_TABLE.valuesOf(scanOf({ campaign: 'é'.repeat(250_000) })));
    const batches = Array.from({ length: batchCount }, (_, batch) => ({
      _id: new Types.ObjectId(),
      layout: SCANS_TABLE.layout,
      rows: `${row}\n`,
      rowCount: 1,
      lastScanned: Array.from({ length: 1000 }, (_item, link) => ({ linkId: `lnk_${batch}_${link}`, at: new Date() })),
      oldest: new Date(),
      ...{ leasedUntil: new Date(0), owner: null },
    }));
    for (const batch of batches) await open.db.connection.collection('pending_scans').insertOne(batch);
  }

  test('is read in parts, between which other work runs', async () => {
    await fill();
    const claimAll = async () => {
      const claim = await ctx.pending.scans.claimBatches();
      await ctx.pending.scans.releaseBatches(claim);
      return claim.batches.length;
    };
    expect(await runWithShortTurns(claimAll, { runs: 3, limitMs: (cpuMs) => cpuMs / 3 })).toBe(batchCount);
  });
});

test('the last scans of very many links are recorded in parts, between which other work runs', async () => {
  const scans = new Map(Array.from({ length: 6000 }, (_, index) => [`lnk_wide_${index}`, new Date()]));
  // Creates the rows.
  await ctx.links.recordLastScans(scans);
  await runWithShortTurns(() => ctx.links.recordLastScans(scans), { runs: 3, limitMs: (cpuMs) => cpuMs / 3 });
});
