import { newId } from '@waymark/contract/ids';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import type { Scan } from '@waymark/analytics/ledger/scan';
import type { FilterName } from '@waymark/analytics/warehouse/query/scan-query';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, rawScan } from './harness.js';
import { NaiveFigures } from './naive.js';
import { openStores } from './ledger.js';

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
});
afterAll(() => harness.stop());

const breakdown = async (query: string, workspace = 'acme') =>
  (await harness.get(`/breakdown?${query}`, { workspace })).body;
const row = (value: string, scans: number, visitors: number, share: number) => ({
  value,
  scans,
  unique_visitors: visitors,
  share,
});

test('a breakdown ranks values by scans, then by value', async () => {
  expect(await breakdown('dimension=referrer')).toEqual({
    data: [row('news.example', 3, 2, 3 / 5), row('direct', 1, 1, 1 / 5), row('social.example', 1, 1, 1 / 5)],
    meta: {
      dimension: 'referrer',
      total: 5,
      limit: 25,
      truncated: false,
      rows_kept_from: null,
      unique_visitors_estimated: false,
    },
  });
});

test('a limit truncates the rows and keeps the total and the shares', async () => {
  expect(await breakdown('dimension=referrer&limit=1')).toEqual({
    data: [row('news.example', 3, 2, 3 / 5)],
    meta: {
      dimension: 'referrer',
      total: 5,
      limit: 1,
      truncated: true,
      rows_kept_from: null,
      unique_visitors_estimated: false,
    },
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

test('a breakdown of another workspace is empty', async () => {
  expect(await breakdown('dimension=city', 'other')).toEqual({
    data: [],
    meta: {
      dimension: 'city',
      total: 0,
      limit: 25,
      truncated: false,
      rows_kept_from: null,
      unique_visitors_estimated: false,
    },
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
      // Each visitor scans again after 2,000 scans, on the same device.
      visitor: Buffer.from(String(index % 2000).padStart(16)).toString('base64url'),
      isUnique: false,
      isBot: index % 50 === 0,
      botReason: null,
    };
  });

  beforeAll(async () => {
    const { stores, close } = await openStores(harness.backing);
    const before = await harness.countScans();
    for (let offset = 0; offset < SCANS; offset += 500) await storeScans(stores, scans.slice(offset, offset + 500));
    await close();
    await harness.settled(before + SCANS);
  });

  test.each(['UTC', 'Asia/Kathmandu'])(
    'every figure of a day with thousands of scans is exact in %s',
    async (timezone) => {
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
    },
  );
});
