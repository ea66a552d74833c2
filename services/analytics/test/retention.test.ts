import type { WorkspaceAccess } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { Broker } from '@waymark/kernel/broker/connection';
import { openRequester } from '@waymark/kernel/broker/requests';
import { ConfigError, loadConfig } from '@waymark/kernel/process/config';
import { secretKey } from '@waymark/testing/keys';
import { isOutage } from '@waymark/kernel/errors';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { analyticsConfig } from '@waymark/analytics/config';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import { expireScans } from '@waymark/analytics/retention/expire-scans';
import { retentionDaysByPlan } from '@waymark/analytics/config';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { Harness, linkSnapshot } from './harness.js';
import { openStores, type Stores } from './ledger.js';

const NOW = Date.parse('2026-06-15T10:00:00Z');
const DAY_MS = 86_400_000;
const harness = new Harness();
let stores: Stores;
let compare: Awaited<ReturnType<typeof openStores>>['compare'];
let compareDayOf: Awaited<ReturnType<typeof openStores>>['compareDayOf'];
let close: () => Promise<void>;

beforeAll(async () => {
  await harness.start();
  ({ stores, compare, compareDayOf, close } = await openStores(harness.backing));
});
afterAll(async () => {
  await close();
  await harness.stop();
});

const settings = (given: Record<string, string> = {}) =>
  loadConfig(analyticsConfig, {
    ...harness.backing,
    IDENTITY_KEY: secretKey(),
    API_BASE_URL: 'https://api.test',
    SHORT_BASE_URL: 'https://go.test',
    ...given,
  });
const contextOf = (requester = harness.requester, ledgerDays: number | null = null) => ({
  ...stores,
  requester,
  retentionDays: retentionDaysByPlan(settings()),
  ledgerDays,
});
const dateAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);

async function store(workspace: string, daysAgo: number[], count = 1): Promise<void> {
  const scans = daysAgo.flatMap((days) => Array.from({ length: count }, () => scanOf(workspace, days)));
  await storeScans(stores, scans);
  await harness.counted();
}

function scanOf(workspace: string, daysAgo: number): Scan {
  return {
    _id: newId('scn'),
    batch: 'evt_1',
    workspace,
    linkId: 'lnk_1',
    shortCode: 'spring',
    scannedAt: new Date(NOW - daysAgo * DAY_MS),
    trigger: 'link',
    country: 'GB',
    region: 'England',
    city: 'London',
    device: 'mobile',
    browser: 'Safari',
    os: 'iOS',
    referrer: 'direct',
    campaign: null,
    visitor: `visitor${daysAgo}`,
    isUnique: false,
    isBot: false,
    botReason: null,
  };
}

/** Runs like the worker until no rows are left to delete. */
async function expireAll(workspace: string, ledgerDays: number | null = null): Promise<number> {
  let sum = 0;
  for (let some = -1; some !== 0; sum += some)
    some = await expireScans(contextOf(undefined, ledgerDays), workspace, NOW);
  return sum;
}

async function keptDaysAgo(workspace: string): Promise<number[]> {
  const rows = await harness.database.collection<Scan>('scans').find({ workspace }).toArray();
  return rows.map(({ scannedAt }) => (NOW - scannedAt.getTime()) / DAY_MS).sort((a, b) => a - b);
}

test.each([
  ['free', 30],
  ['pro', 365],
  ['business', 730],
] as const)('on the %s plan rows are kept for %i whole days before today', async (plan, days) => {
  harness.plans[plan] = plan;
  await store(plan, [0, days, days + 1, days + 400]);
  expect(await expireAll(plan)).toBe(2);
  expect(await keptDaysAgo(plan)).toEqual([0, days]);
});

test('every row is kept for the enterprise plan and for a workspace unknown to auth', async () => {
  harness.plans['large'] = 'enterprise';
  for (const workspace of ['large', 'stray']) {
    await store(workspace, [0, 4000]);
    expect(await expireAll(workspace)).toBe(0);
    expect(await keptDaysAgo(workspace)).toEqual([0, 4000]);
  }
});

test('a redelivered scan is refused after its row was deleted', async () => {
  harness.plans['again'] = 'free';
  const scans = [1, 100].map((days) => scanOf('again', days));
  await storeScans(stores, scans);
  await harness.counted();
  await expireAll('again');
  expect(await keptDaysAgo('again')).toEqual([1]);
  const { inserted, expired, rows } = await storeScans(stores, scans);
  expect([inserted, expired.map(({ _id }) => _id), [...rows.keys()]]).toEqual([0, [scans[1]!._id], [scans[0]!._id]]);
  await storeScans(stores, [scanOf('again', 0)]);
  await harness.counted();
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  const { body } = await harness.get(`/summary?${range}`, { workspace: 'again' });
  expect(body.data.kpis.total_scans).toBe(2);
});

test('figures and lists exclude rows that the plan no longer keeps before the worker deletes them', async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
  const scans = [1, 31].map((days) => ({ ...scanOf('early', 0), scannedAt: daysAgo(days) }));
  await storeScans(stores, scans);
  await harness.counted();
  const plan: WorkspaceAccess['plan'] = { name: 'free', activeLinks: null, customDomains: null, entitlements: [] };
  const range = `start_date=${daysAgo(60).toISOString().slice(0, 10)}`;
  const get = async (route: string) => {
    const options = { workspace: 'early', access: { plan } };
    const { status, body, text } = await harness.caller.call('GET', `/analytics/${route}${range}`, options);
    expect(status).toBe(200);
    return { body, text };
  };
  const { data, meta } = (await get('summary?')).body;
  expect([meta.rows_kept_from, data.kpis.total_scans]).toEqual([daysAgo(30).toISOString().slice(0, 10), 1]);
  expect((await get('breakdowns?dimensions=city&')).body.meta.total).toBe(1);
  expect((await get('scans?')).body.meta.total).toBe(1);
  expect((await get('export?')).text.match(/scn_\w+/g)).toEqual([scans[0]!._id]);
});

test('figures and lists contain only kept rows, even after a repair', async () => {
  harness.plans['lasting'] = 'free';
  await store('lasting', [1, 2, 100, 101]);
  await expireAll('lasting');
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  const get = async (path: string) => (await harness.get(`${path}?${range}`, { workspace: 'lasting' })).body;
  const summary = await get('/summary');
  expect(summary.data.kpis).toMatchObject({ total_scans: 2, unique_visitors: 2 });
  const scans = await get('/scans');
  expect([summary.meta.rows_kept_from, scans.meta.rows_kept_from]).toEqual([dateAgo(30), dateAgo(30)]);
  expect([scans.data.length, scans.meta.total]).toEqual([2, 2]);
  const exported = async (workspace: string) =>
    (await harness.caller.call('GET', `/analytics/export?${range}`, { workspace })).headers.get('x-rows-kept-from');
  expect([await exported('lasting'), await exported('quiet')]).toEqual([dateAgo(30), null]);
  expect((await compare('lasting', true)).scans).toMatchObject({ stored: 2, missing: 0 });
  expect((await get('/summary')).data.kpis).toMatchObject({ total_scans: 2, unique_visitors: 2 });
});

test('thousands of rows are deleted in batches', async () => {
  harness.plans['busy'] = 'free';
  await store('busy', [50], 2100);
  await store('busy', [1]);
  const context = contextOf();
  expect(await expireScans(context, 'busy', NOW)).toBe(2000);
  expect(await expireScans(context, 'busy', NOW)).toBe(100);
  expect(await expireScans(context, 'busy', NOW)).toBe(0);
  expect(await keptDaysAgo('busy')).toEqual([1]);
});

test('deleted rows stay out of the lists when the plan becomes longer', async () => {
  harness.plans['grown'] = 'free';
  await store('grown', [5, 200]);
  await expireAll('grown');
  harness.plans['grown'] = 'enterprise';
  expect(await expireAll('grown')).toBe(0);
  const range = `start_date=${dateAgo(365)}&end_date=${dateAgo(0)}`;
  expect((await harness.get(`/scans?${range}`, { workspace: 'grown' })).body.meta.total).toBe(1);
});

test('a scan that arrives too late is deleted and is in no figure', async () => {
  harness.plans['late'] = 'free';
  await store('late', [1]);
  await storeScans(stores, [scanOf('late', 60)]);
  expect(await expireAll('late')).toBe(1);
  await harness.counted();
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  expect((await harness.get(`/summary?${range}`, { workspace: 'late' })).body.data.kpis.total_scans).toBe(1);
  expect((await compare('late', true)).scans.missing).toBe(0);
  expect((await compare('late')).scans).toMatchObject({ stored: 1, surplus: 0 });
});

test('conversions are kept with every plan', async () => {
  harness.plans['sold'] = 'free';
  await store('sold', [100]);
  harness.owned.push({ workspace: 'sold', link: linkSnapshot() });
  const occurred_at = new Date(NOW - 100 * DAY_MS).toISOString();
  const conversion = { id: 'lnk_a', source: 'shop', occurred_at, value: 5, currency: 'EUR' };
  expect((await harness.caller.call('POST', '/conversions', { body: conversion, workspace: 'sold' })).status).toBe(201);
  expect(await expireAll('sold')).toBe(1);
  await harness.counted();
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  const { kpis } = (await harness.get(`/summary?${range}`, { workspace: 'sold' })).body.data;
  const conversion_values = [{ currency: 'EUR', value: 5 }];
  expect(kpis).toMatchObject({ total_scans: 0, conversions: 1, conversion_values });
  const { body } = await harness.get(`/conversions/breakdowns?dimensions=source&${range}`, { workspace: 'sold' });
  expect(body.data.source).toEqual([{ value: 'shop', conversions: 1, share: 1, conversion_values }]);
});

test('a scan that is older than the ledger stays in the figures, is not repaired away and not stored again', async () => {
  harness.plans['long'] = 'enterprise';
  const scans = [1, 40].map((days) => scanOf('long', days));
  await storeScans(stores, scans);
  await harness.counted();
  expect(await expireAll('long', 30)).toBe(1);
  expect(await keptDaysAgo('long')).toEqual([1]);
  const report = { stored: 1, missing: 0, surplus: 0, days: 1 };
  expect((await compare('long', true)).scans).toMatchObject(report);
  expect((await storeScans(stores, scans)).inserted).toBe(0);
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  const { body } = await harness.get(`/summary?${range}`, { workspace: 'long' });
  expect([body.data.kpis.total_scans, body.meta.rows_kept_from]).toEqual([2, null]);
  expect((await harness.get(`/scans?${range}`, { workspace: 'long' })).body.meta.total).toBe(2);
});

test('a scan stays in the ledger until the warehouse has the history', async () => {
  harness.plans['unfilled'] = 'enterprise';
  await store('unfilled', [1, 40]);
  await harness.warehouse('TRUNCATE TABLE fills');
  // The other stores, and the service, have seen the end of the fill.
  const opened = await openStores(harness.backing);
  const { fill } = opened.stores;
  const expire = () => expireScans({ ...contextOf(harness.requester, 30), fill }, 'unfilled', NOW);
  expect(await expire()).toBe(0);
  expect(await keptDaysAgo('unfilled')).toEqual([1, 40]);
  await fill.recordStart();
  await fill.recordEnd();
  expect(await expire()).toBe(1);
  await opened.close();
});

test('a comparison removes no rows of a day that the ledger began to expire after its start', async () => {
  harness.plans['racing'] = 'enterprise';
  await store('racing', [1, 40]);
  await expireAll('racing', 30);
  expect(await compareDayOf('racing', dateAgo(40))).toMatchObject({ stored: 0, surplus: 0 });
  const range = `start_date=${dateAgo(120)}&end_date=${dateAgo(0)}`;
  const { body } = await harness.get(`/summary?${range}`, { workspace: 'racing' });
  expect(body.data.kpis.total_scans).toBe(2);
});

test('no row is deleted while the plan is unknown', async () => {
  await store('unasked', [4000]);
  const lifecycle = new Lifecycle(createLog('test', 'fatal'));
  const { AMQP_URL, AMQP_NAMESPACE } = freshBacking();
  const broker = new Broker(
    { url: AMQP_URL, namespace: AMQP_NAMESPACE, name: 'test' },
    { log: createLog('test', 'fatal'), lifecycle },
  );
  const requester = openRequester(broker);
  broker.start();
  await waitFor('the broker', () => broker.isUp);
  const failure = await expireScans(contextOf(requester), 'unasked', NOW).catch((error: unknown) => error);
  expect(isOutage(failure)).toBe(true);
  expect(await keptDaysAgo('unasked')).toEqual([4000]);
  await lifecycle.stop();
});

test('the operator may set other retention days or none', () => {
  const days = retentionDaysByPlan(
    settings({ ANALYTICS_RETENTION_DAYS_FREE: 'unlimited', ANALYTICS_RETENTION_DAYS_ENTERPRISE: '90' }),
  );
  expect(days).toEqual({ free: null, pro: 365, business: 730, enterprise: 90 });
  expect(() => settings({ ANALYTICS_RETENTION_DAYS_FREE: '0' })).toThrow(ConfigError);
  expect(() => settings({ ANALYTICS_RETENTION_DAYS_PRO: 'long' })).toThrow(ConfigError);
});

test('the ledger keeps scans for at least 30 days', () => {
  expect([settings().SCAN_LEDGER_DAYS, settings({ SCAN_LEDGER_DAYS: '30' }).SCAN_LEDGER_DAYS]).toEqual([null, 30]);
  expect(() => settings({ SCAN_LEDGER_DAYS: '29' })).toThrow(ConfigError);
});
