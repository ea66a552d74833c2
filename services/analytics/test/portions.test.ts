import { newId } from '@waymark/shared/contract/ids';
import { freshBacking } from '@waymark/shared/testing/backing';
import { countScans } from '@waymark/analytics/rollups/count-scans';
import { storeScans } from '@waymark/analytics/ingest/store-scans';
import type { Scan } from '@waymark/analytics/scans/scan';
import { openStores, type Stores } from './recount';

let stores: Stores;
let close: () => Promise<void>;

beforeAll(async () => ({ stores, close } = await openStores(freshBacking().MONGODB_URI)));
afterAll(() => close());

const scanOf = (linkId: string, scannedAt: string): Scan => ({
  _id: newId('scn'),
  batch: 'evt_1',
  workspace: 'acme',
  linkId,
  shortCode: 'code',
  scannedAt: new Date(scannedAt),
  trigger: 'link',
  country: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  device: 'mobile',
  browser: 'Chrome',
  os: 'Android',
  referrer: 'direct',
  campaign: null,
  visitor: 'visitor',
  isUnique: false,
  isBot: false,
  botReason: null,
});

/** Batches of three links and two days each: six link-days in seven scans. */
async function storeBatches(count: number): Promise<void> {
  for (let batch = 0; batch < count; batch += 1) {
    const links = [0, 1, 2].map((link) => `lnk_${batch}_${link}`);
    const days = ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00Z'];
    const scans = links.flatMap((link) => days.map((day) => scanOf(link, day)));
    await storeScans(stores, [...scans, scanOf(links[0]!, days[0]!)]);
  }
}

const count = (scans: number, linkDays: number) =>
  stores.db.transaction((tx) => countScans(stores, { scans, linkDays }, tx));

test.each([
  ['scans', [8, Infinity]],
  ['days of links', [Infinity, 7]],
] as const)('a portion ends with the batch that brings it to so many %s', async (_, [scans, linkDays]) => {
  await storeBatches(5);
  expect(await count(scans, linkDays)).toEqual({ counted: 14, areAll: false });
  expect(await count(scans, linkDays)).toEqual({ counted: 14, areAll: false });
  expect(await count(scans, linkDays)).toEqual({ counted: 7, areAll: true });
  expect(await count(scans, linkDays)).toEqual({ counted: 0, areAll: true });
});

test('one that may hold next to nothing holds one batch', async () => {
  await storeBatches(2);
  expect(await count(0.01, 0.01)).toEqual({ counted: 7, areAll: false });
  expect(await count(0.01, 0.01)).toEqual({ counted: 7, areAll: false });
  expect(await count(0.01, 0.01)).toEqual({ counted: 0, areAll: true });
});
