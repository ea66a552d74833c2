import { waitFor } from '@waymark/shared/testing/wait-for';
import { newId } from '@waymark/shared/contract/ids';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import { isLarge, type Cell } from '@waymark/analytics/rollups/cells';
import type { Scan } from '@waymark/analytics/scans/scan';
import type { FilterName } from '@waymark/analytics/warehouse/query/question';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, rawScan } from './harness';
import { NaiveFigures } from './naive';
import { openStores, recount } from './recount';

const harness = new Harness();
const TODAY = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  await harness.start();
  const scans = [
    { address: addressOf(1), referrer: 'https://news.example/a' },
    { address: addressOf(1), referrer: 'https://news.example/b', trigger: 'qr' as const },
    { address: addressOf(1), referrer: 'https://social.example/' },
    { address: addressOf(2), user_agent: IPHONE, referrer: 'https://news.example/', campaign: 'spring' },
    { address: addressOf(3), user_agent: IPHONE, link_id: 'lnk_2' },
    { address: addressOf(9), user_agent: GOOGLEBOT },
  ].map((scan) => rawScan({ user_agent: CHROME, ...scan }));
  await harness.publish(batchOf(scans));
  await harness.settled(scans.length);
}, 60_000);
afterAll(() => harness.stop());

const breakdown = async (query: string, workspace = 'acme') =>
  (await harness.get(`/breakdown?${query}`, { workspace })).body;
const row = (value: string, scans: number, visitors: number, share: number) => ({
  value,
  scans,
  unique_visitors: visitors,
  share,
});

test('is ranked by scans, and by value where there are as many', async () => {
  expect(await breakdown('dimension=referrer')).toEqual({
    data: [row('news.example', 3, 2, 3 / 5), row('direct', 1, 1, 1 / 5), row('social.example', 1, 1, 1 / 5)],
    meta: { dimension: 'referrer', total: 5, limit: 25, truncated: false, unique_visitors_estimated: false },
  });
});

test('a limit cuts the rows, says so, and leaves the total and the shares', async () => {
  expect(await breakdown('dimension=referrer&limit=1')).toEqual({
    data: [row('news.example', 3, 2, 3 / 5)],
    meta: { dimension: 'referrer', total: 5, limit: 1, truncated: true, unique_visitors_estimated: false },
  });
});

test.each([
  ['dimension=device', ['desktop', 'mobile'], [3, 2]],
  ['dimension=browser', ['Chrome', 'Safari'], [3, 2]],
  ['dimension=os', ['Windows', 'iOS'], [3, 2]],
  ['dimension=country', ['unknown'], [5]],
  ['dimension=region', ['unknown'], [5]],
  ['dimension=city', ['unknown'], [5]],
  ['dimension=referrer&trigger=qr', ['news.example'], [1]],
  ['dimension=referrer&trigger=link', ['news.example', 'direct', 'social.example'], [2, 1, 1]],
  ['dimension=os&trigger=all&device=mobile', ['iOS'], [2]],
  ['dimension=os&campaign=spring', ['iOS'], [1]],
  ['dimension=os&link_id=lnk_2&campaign=all', ['iOS'], [1]],
  ['dimension=os&link_id=lnk_2&campaign=spring', [], []],
  ['dimension=device&include_bots=true', ['desktop', 'mobile', 'other'], [3, 2, 1]],
  ['dimension=device&device=all&start_date=all&end_date=all&trigger=all', ['desktop', 'mobile'], [3, 2]],
  ['dimension=device&link_id=lnk_foreign', [], []],
  ['dimension=city&start_date=2026-01-01&end_date=2026-01-31', [], []],
])('%s', async (query, values, scans) => {
  const { data, meta } = await breakdown(query);
  expect(data.map((each: { value: string }) => each.value)).toEqual(values);
  expect(data.map((each: { scans: number }) => each.scans)).toEqual(scans);
  expect(meta.total).toBe(scans.reduce((sum, count) => sum + count, 0));
});

describe('where a value has many rows', () => {
  const cells = () => harness.database.collection<Cell>('cells');
  const ofDay = { _id: /^acme\|\d+\|workspace\|day\|$/ as never };

  test('a recount finds and mends totals that differ from the rows', async () => {
    await cells().updateOne(ofDay, { $set: { 'totals.country': Buffer.alloc(0) } });
    const found = await recount(harness.backing.MONGODB_URI, 'acme', true);
    expect(found).toMatchObject({ differences: 1, examples: [{ dimension: 'country' }], repaired: true });
  });
});

test('of another workspace is empty', async () => {
  expect(await breakdown('dimension=city', 'other')).toEqual({
    data: [],
    meta: { dimension: 'city', total: 0, limit: 25, truncated: false, unique_visitors_estimated: false },
  });
});

describe('of a day with thousands of scans', () => {
  const CITIES = 800;
  const SCANS = 4000;
  const scans = Array.from({ length: SCANS }, (_, index): Scan => {
    const seconds = (index * 7919) % 86_400;
    return {
      _id: newId('scn'),
      batch: 'evt_1',
      workspace: 'busy',
      linkId: `lnk_${index % 3}`,
      shortCode: 'code',
      scannedAt: new Date(Date.parse(TODAY) - 86_400_000 + seconds * 1000),
      trigger: index % 4 === 0 ? 'qr' : 'link',
      country: `C${index % 90}`,
      region: `Region ${index % 400}`,
      city: `City ${(index * index) % CITIES}`,
      device: index % 5 < 2 ? 'mobile' : 'desktop',
      browser: `Browser ${index % 12}`,
      os: `OS ${index % 6}`,
      referrer: `host${index % 200}.example`,
      campaign: index % 3 === 0 ? 'spring' : null,
      // Five visitors in a row of ten come twice, on the same device.
      visitor: Buffer.from(String(index % 2000).padStart(16)).toString('base64url'),
      isUnique: false,
      isBot: index % 50 === 0,
      botReason: null,
    };
  });

  beforeAll(async () => {
    const { stores, close } = await openStores(harness.backing.MONGODB_URI);
    const before = await harness.countScans();
    for (let at = 0; at < SCANS; at += 500) await storeScans(stores, scans.slice(at, at + 500));
    await close();
    await harness.settled(before + SCANS);
  }, 60_000);

  test('large cells go on in one for each dimension, and hold no less', async () => {
    const cells = harness.database.collection<Cell>('cells').find({ _id: /^busy\|/ }, { promoteBuffers: true });
    const all = await cells.toArray();
    const parts = all.filter(({ _id }) => !_id.endsWith('|'));
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) expect(Object.keys(part.rows)).toEqual([part._id.split('|').at(-1)]);
    expect(all.filter(({ _id }) => _id.endsWith('|')).filter(isLarge)).toEqual([]);
    expect(await recount(harness.backing.MONGODB_URI, 'busy')).toMatchObject({ scans: SCANS, differences: 0 });
  });

  test.each(['UTC', 'Asia/Kathmandu'])('every figure is right in %s', async (timezone) => {
    const [startDate, endDate] = [new Date(Date.parse(TODAY) - 86_400_000).toISOString().slice(0, 10), TODAY];
    const query = `start_date=${startDate}&end_date=${endDate}&timezone=${timezone}&limit=100`;
    const only = (name: FilterName, value: string) => ({ name, values: [value], isNegated: false });
    for (const [filter, includeBots, filters] of [
      ['', false, []],
      ['&device=mobile&trigger=qr', false, [only('device', 'mobile'), only('trigger', 'qr')]],
      ['&link_id=lnk_0&campaign=spring&include_bots=true', true, [only('link', 'lnk_0'), only('campaign', 'spring')]],
    ] as const) {
      const naive = new NaiveFigures(scans, { startDate, endDate, timezone, includeBots, filters: [...filters] });
      for (const dimension of ['city', 'referrer', 'country'] as const) {
        const { data, meta } = await breakdown(`dimension=${dimension}&${query}${filter}`, 'busy');
        expect(data).toEqual(naive.breakdown(dimension).slice(0, 100));
        expect(meta.total).toBe(naive.selected.length);
      }
    }
  });

  test('what is counted wrong is told and repaired by a rebuild', async () => {
    const cells = harness.database.collection<Cell>('cells');
    await waitFor('a cell to spoil', async () => {
      const { deletedCount } = await cells.deleteOne({ _id: /^busy\|.*\|link:lnk_1\|2\|/ });
      return deletedCount === 1;
    });
    const report = await recount(harness.backing.MONGODB_URI, 'busy');
    expect(report).toMatchObject({ days: 1, days_different: [expect.any(String)], repaired: false });
    expect(report.examples[0]).toMatchObject({ cell: expect.stringContaining('link:lnk_1|2|'), counted: { scans: 0 } });
    expect(await recount(harness.backing.MONGODB_URI, 'busy')).toMatchObject({ differences: report.differences });
    expect(await recount(harness.backing.MONGODB_URI, 'busy', true)).toMatchObject({ repaired: true });
    expect(await recount(harness.backing.MONGODB_URI, 'busy')).toMatchObject({ differences: 0 });
  });
});
