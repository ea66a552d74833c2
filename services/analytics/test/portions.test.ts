import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { newId } from '@waymark/shared/contract/ids';
import { freshBacking } from '@waymark/shared/testing/backing';
import { countScans } from '@waymark/analytics/rollups/count-scans';
import { utcDayOf } from '@waymark/analytics/rollups/countable';
import { keepCounting } from '@waymark/analytics/rollups/keep-counting';
import { vocabularyId } from '@waymark/analytics/rollups/vocabulary-store';
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

describe('a batch that cannot be counted', () => {
  const lifecycle = new Lifecycle(createLog('test', 'fatal'));
  const alone = freshBacking();
  const batches = () => stores.db.connection.collection('uncounted');
  let stores: Stores;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ stores, close } = await openStores(alone.MONGODB_URI));
    // A dictionary that cannot be read, of one workspace.
    const _id = vocabularyId('broken', utcDayOf({ scannedAt: new Date('2026-03-01') }));
    await stores.db.connection
      .collection<{ _id: string }>('vocabularies')
      .insertOne({ _id, words: 'nonsense' } as never);
  });
  afterAll(async () => {
    await lifecycle.stop();
    await close();
  });

  test('is set aside for its workspace, is put back by the operator, and holds up no other', async () => {
    const [day] = ['2026-03-01T10:00:00Z'];
    const mixed = ['broken', 'whole'].map((workspace) => ({ ...scanOf('lnk_1', day), workspace }));
    await storeScans(stores, mixed);
    await batches().insertOne({ scans: 'nonsense', oldest: new Date(day) });
    await storeScans(stores, [{ ...scanOf('lnk_1', day), workspace: 'later' }]);
    keepCounting({ db: stores.db, log: createLog('test', 'fatal'), lifecycle }, stores);

    await waitFor('both to be set aside', async () => (await stores.uncounted.setAsideCount()) === 2, 120_000);
    await waitFor('the others to be counted', async () => (await stores.uncounted.oldestAt()) === null);
    expect(await stores.cells.asOf('whole')).toEqual(new Date(day));
    expect(await stores.cells.asOf('later')).toEqual(new Date(day));
    expect(await stores.cells.asOf('broken')).toBeNull();
    const listed = await stores.uncounted.listSetAside(10);
    expect(new Set(listed.map(({ workspace }) => workspace))).toEqual(new Set(['broken', null]));

    await stores.db.connection.collection('vocabularies').deleteMany({ words: 'nonsense' });
    await stores.db.connection.collection('uncounted_set_aside').deleteMany({ workspace: null });
    expect([await stores.uncounted.putBackSetAside(), await stores.uncounted.putBackSetAside()]).toEqual([true, false]);
    await waitFor('the rest to be counted', async () => (await stores.cells.asOf('broken')) !== null);
    expect(await stores.uncounted.setAsideCount()).toBe(0);
  }, 180_000);
});
