import { waitFor } from '@waymark/testing/wait-for';
import { linkCreated, linkUpdated, tagDeleted, tagUpdated, type RawScan } from '@waymark/contract/events';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, linkSnapshot, rawScan } from './harness.js';
import { differencesIn, openStores, uniqueCounts } from './ledger.js';

const harness = new Harness();
beforeAll(() => harness.start({ geoip: true }));
afterAll(() => harness.stop());

let expected = 0;
let barriers = 0;

/** Publishes a scan in its own message and waits for it: then all earlier messages are processed. */
async function barrier(): Promise<void> {
  const batch = batchOf([rawScan({ workspace: 'barrier' })]);
  await harness.publish(batch);
  expected += 1;
  barriers += 1;
  await waitFor('the barrier', () => loggedOf(batch.id).length === 1);
}

const loggedOf = (batchId: string) => harness.logged.filter((event) => event.id === `${batchId}-logged`);
const rowOf = async (id: string) =>
  (await harness.database.collection('scans').findOne({ _id: id as never })) as Record<string, unknown> | null;

async function ingest(...scans: RawScan[]) {
  const batch = batchOf(scans);
  await harness.publish(batch);
  expected += scans.length;
  await harness.settled(expected);
  return batch;
}

test('ingest stores every field of a scan without its address', async () => {
  const raw = rawScan({
    address: '81.2.69.160',
    user_agent: IPHONE,
    referrer: 'https://www.Instagram.com/p/1',
    campaign: 'spring-26',
    trigger: 'qr',
  });
  const batch = await ingest(raw);
  const row = await rowOf(raw.id);
  expect(row).toEqual({
    _id: raw.id,
    batch: batch.id,
    workspace: 'acme',
    linkId: 'lnk_1',
    shortCode: 'spring',
    scannedAt: new Date(raw.at),
    trigger: 'qr',
    country: 'GB',
    region: 'England',
    city: 'London',
    device: 'mobile',
    browser: 'Safari',
    os: 'iOS',
    language: 'de',
    referrer: 'instagram.com',
    campaign: 'spring-26',
    visitor: expect.stringMatching(/^[\w-]{22}$/),
    isUnique: true,
    isBot: false,
    botReason: null,
    agent: IPHONE.replace(/\d+([._]\d+)*/g, '0'),
  });
});

test('scan.logged contains the scan row and its link', async () => {
  const raw = rawScan({ hostname: 'go.acme.com', title: null, campaign: 'c', address: addressOf(2) });
  const batch = await ingest(raw);
  const [event] = await waitFor('the event', () => loggedOf(batch.id).length > 0 && loggedOf(batch.id));
  expect(event).toMatchObject({ type: 'scan.logged', version: 1, workspace: null, occurred_at: batch.occurred_at });
  expect(event!.data.scans).toEqual([
    {
      workspace: 'acme',
      scan: {
        id: raw.id,
        link_id: 'lnk_1',
        short_code: 'spring',
        scanned_at: raw.at,
        trigger: 'link',
        country: expect.stringMatching(/^[A-Z]{2}$/),
        region: expect.any(String),
        city: expect.any(String),
        device: 'desktop',
        browser: 'Chrome',
        os: 'Windows',
        language: 'de',
        referrer: 'direct',
        campaign: 'c',
        is_unique: true,
        is_bot: false,
      },
      link: {
        id: 'lnk_1',
        short_code: 'spring',
        short_url: 'https://go.acme.com/spring',
        title: null,
        campaign_tag: 'c',
        folder_id: null,
        tags: [],
      },
    },
  ]);
});

describe('scan.logged names the folder and the tags of the link', () => {
  const scope = { workspace: 'acme' };
  const sale = { id: 'tag_sale', name: 'Sale', color: '#ff0000' };
  const loggedLink = async (linkId: string) => {
    const batch = await ingest(rawScan({ link_id: linkId }));
    const [event] = await waitFor('the event', () => loggedOf(batch.id).length > 0 && loggedOf(batch.id));
    return event!.data.scans[0]!.link;
  };
  const storedTag = (id: string) => harness.database.collection<{ _id: string }>('tags').findOne({ _id: id });

  test('as the events of the link and of its tags tell', async () => {
    const link = linkSnapshot({ id: 'lnk_t', folder_id: 'fld_1', tag_ids: [sale.id], tags: [sale] });
    await harness.publish(linkCreated.create(scope, { link }));
    await waitFor('the tag', () => storedTag(sale.id));
    expect(await loggedLink('lnk_t')).toMatchObject({ folder_id: 'fld_1', tags: [sale] });

    await harness.publish(tagUpdated.create(scope, { ...sale, name: 'Clearance' }));
    // An older name in a link's event does not win.
    await harness.publish(linkUpdated.create(scope, { link: { ...link, revision: 2, folder_id: null } }));
    await waitFor('the change', async () => (await loggedLink('lnk_t')).folder_id === null);
    expect(await loggedLink('lnk_t')).toMatchObject({ tags: [{ ...sale, name: 'Clearance' }] });

    await harness.publish(tagDeleted.create(scope, sale));
    await waitFor('the deletion', async () => (await loggedLink('lnk_t')).tags?.length === 0);
    expect(await storedTag(sale.id)).toBeNull();
  });

  test('as the owner answers where the copy of the link or of a tag is missing', async () => {
    const late = { id: 'tag_late', name: 'Late', color: null };
    const link = linkSnapshot({ id: 'lnk_late', folder_id: 'fld_2', tag_ids: [late.id], tags: [late] });
    harness.owned.push({ workspace: 'acme', link });
    expect(await loggedLink('lnk_late')).toMatchObject({ folder_id: 'fld_2', tags: [late] });
    expect(await storedTag(late.id)).toMatchObject({ name: 'Late', workspace: 'acme' });
  });

  test('as far as they are known while the owner does not answer', async () => {
    harness.isOwnerSilent = true;
    expect(await loggedLink('lnk_unknown')).toMatchObject({ folder_id: null, tags: [] });
    harness.isOwnerSilent = false;
  });
});

test('scan.logged contains the default short URL for a link on the default host', async () => {
  const batch = await ingest(rawScan());
  const [event] = await waitFor('the event', () => loggedOf(batch.id).length > 0 && loggedOf(batch.id));
  expect(event!.data.scans[0]!.link.short_url).toBe('https://go.test/spring');
});

test.each([
  ['a crawler', { user_agent: GOOGLEBOT }, 'user_agent'],
  ['an empty user agent', { user_agent: ' ' }, 'empty_user_agent'],
  ['a prefetch', { prefetch: true }, 'prefetch'],
])('%s is stored as a bot, is never unique and is not logged', async (_, given, reason) => {
  const raw = rawScan({ ...given, link_id: 'lnk_bots' });
  const batch = await ingest(raw);
  expect(await rowOf(raw.id)).toMatchObject({ isBot: true, botReason: reason, isUnique: false });
  await barrier();
  expect(loggedOf(batch.id)).toEqual([]);
});

test('only the earliest scan of a visitor, link and day is unique', async () => {
  const scannedAt = Date.now() - 1000;
  const visit = (ms: number, given: Partial<RawScan> = {}) =>
    rawScan({ at: new Date(scannedAt + ms).toISOString(), link_id: 'lnk_u', address: addressOf(50), ...given });
  const [later, earlier] = [visit(5), visit(1)];
  const otherLink = visit(6, { link_id: 'lnk_u2' });
  const otherVisitor = visit(7, { address: addressOf(51) });
  const otherBrowser = visit(8, { user_agent: IPHONE });
  await ingest(later, earlier, otherLink, otherVisitor, otherBrowser);
  const again = visit(9);
  await ingest(again);
  const unique = async (raw: RawScan) => (await rowOf(raw.id))!['isUnique'];
  expect(await Promise.all([later, earlier, otherLink, otherVisitor, otherBrowser, again].map(unique))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test('a scan that arrives after its salt is destroyed counts without a visitor', async () => {
  const raw = rawScan({ at: new Date(Date.now() - 4 * 24 * 3_600_000).toISOString() });
  await ingest(raw);
  expect(await rowOf(raw.id)).toMatchObject({ visitor: null, isUnique: false, isBot: false });
});

test('a redelivered message changes nothing and publishes the same event', async () => {
  const batch = await ingest(rawScan(), rawScan({ user_agent: GOOGLEBOT }), rawScan({ address: addressOf(70) }));
  const { rowsInWarehouse, close } = await openStores(harness.backing);
  await harness.counted();
  const before = await rowsInWarehouse();
  await harness.publish(batch);
  await waitFor('the second event', () => loggedOf(batch.id).length === 2);
  expect(await harness.countScans()).toBe(expected);
  await harness.counted();
  expect(await rowsInWarehouse()).toEqual(before);
  await close();
  expect(loggedOf(batch.id)[1]).toEqual(loggedOf(batch.id)[0]);
  expect(loggedOf(batch.id)[0]!.data.scans).toHaveLength(2);
});

test('scans repeated in another message stay with the first message', async () => {
  const scans = [rawScan(), rawScan({ address: addressOf(71) })];
  const first = await ingest(...scans);
  const fresh = rawScan({ address: addressOf(72) });
  const second = batchOf([...scans, fresh, fresh]);
  await harness.publish(second);
  expected += 1;
  await waitFor('the second event', () => loggedOf(second.id).length === 1);
  const third = batchOf(scans);
  await harness.publish(third);
  await barrier();
  expect(await harness.countScans()).toBe(expected);
  expect(loggedOf(first.id)[0]!.data.scans.map(({ scan }) => scan.id)).toEqual(scans.map(({ id }) => id));
  expect(loggedOf(second.id)[0]!.data.scans.map(({ scan }) => scan.id)).toEqual([fresh.id]);
  expect(loggedOf(third.id)).toEqual([]);
});

test('scan.logged is published later when the broker refuses it at first', async () => {
  await harness.listen(false);
  const batch = await ingest(rawScan(), rawScan({ address: addressOf(80) }));
  expect(loggedOf(batch.id)).toEqual([]);
  await harness.listen(true);
  const [event] = await waitFor('the event', () => loggedOf(batch.id).length > 0 && loggedOf(batch.id));
  expect(event!.data.scans).toHaveLength(2);
  expect(await harness.countScans()).toBe(expected);
});

test('a malformed message among a hundred valid ones is parked with its reason and without addresses', async () => {
  const [before, loggedBefore] = [expected, harness.logged.length];
  const bad = batchOf([rawScan({ address: '81.2.69.161' }), { ...rawScan({ address: '81.2.69.162' }), at: 'noon' }]);
  for (let i = 0; i < 100; i += 1) {
    if (i === 20) await harness.publishText('scan.recorded', '{"data":{"scans":[{"address":"81.2.69.163"');
    if (i === 40) await harness.publishText('scan.recorded', JSON.stringify({ ...batchOf([rawScan()]), version: 9 }));
    if (i === 60) await harness.publish(bad);
    await harness.publish(batchOf([rawScan({ address: addressOf(1000 + i) })]));
  }
  expected += 100;
  await harness.settled(before + 100);
  await waitFor('all logged', () => harness.logged.length === loggedBefore + 100);
  const parked = await harness.parked('analytics.scans');
  expect(parked.map(({ reason }) => reason)).toEqual([
    'not JSON',
    'unknown event scan.recorded version 9',
    expect.stringMatching(/^bad scan.recorded: .*at data\.scans|^bad scan.recorded/),
  ]);
  expect(parked[2]!.body).toContain('scn_');
  for (const { body } of parked) expect(body).not.toMatch(/81\.2\./);
});

test('a replayed message without addresses counts without visitors', async () => {
  const raw = rawScan({ address: '' });
  await ingest(raw);
  expect(await rowOf(raw.id)).toMatchObject({ visitor: null, isUnique: false, country: 'unknown' });
});

test('the warehouse has a row for every scan and marks every first visit', async () => {
  expect(await harness.countScans()).toBe(expected);
  await harness.counted();
  const counted = { acme: expected - barriers, barrier: barriers };
  for (const [workspace, scans] of Object.entries(counted)) {
    expect(await differencesIn(harness.backing, workspace)).toMatchObject({ scans, differences: 0 });
  }
  const { marked, firsts } = await uniqueCounts(harness.database);
  expect(marked).toBe(firsts);
});

test('no collection contains an address, regardless of the field of the scan', async () => {
  await ingest(
    rawScan({ address: '2001:db8:85a3::8a2e:370:7334', referrer: 'http://198.51.100.7/from?ip=198.51.100.8' }),
    rawScan({ address: '198.51.100.9', referrer: 'http://[2001:db8::9]/', user_agent: `${CHROME} (198.51.100.10)` }),
    rawScan({ address: '198.51.100.11', user_agent: 'curl/8.5 198.51.100.12', referrer: '198.51.100.13' }),
  );
  await harness.counted();
  const collections = await harness.database.listCollections();
  expect(collections.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['scans', 'pending_scans', 'sightings', 'salts', 'links']),
  );
  for (const { name } of collections) {
    const text = JSON.stringify(await harness.database.collection(name).find().toArray());
    expect(text).not.toMatch(/81\.2\.|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|2001:db8/);
    expect(text).not.toContain(CHROME);
  }
});

test.each([
  ['an hour and a half ahead', 90 * 60 * 1000],
  ['six years late', -6 * 366 * 24 * 3_600_000],
])('a scan whose clock was %s has the time at which it came in', async (_what, aheadMs) => {
  const before = Date.now();
  const raw = rawScan({ at: new Date(before + aheadMs).toISOString(), link_id: 'lnk_clock' });
  await ingest(raw);
  const { scannedAt, visitor } = (await harness.database.collection<Scan>('scans').findOne({ _id: raw.id }))!;
  expect(Math.abs(scannedAt.getTime() - before)).toBeLessThan(Math.abs(aheadMs) / 2);
  expect(visitor).not.toBeNull();
});

test('a scan that arrives a month late keeps its time', async () => {
  const raw = rawScan({ at: new Date(Date.now() - 31 * 24 * 3_600_000).toISOString(), link_id: 'lnk_late' });
  await ingest(raw);
  const { scannedAt } = (await harness.database.collection<Scan>('scans').findOne({ _id: raw.id }))!;
  expect(scannedAt.toISOString()).toBe(raw.at);
});

test('ingest refuses only the scan of a message that is older than the rows of its workspace', async () => {
  const keptFrom = new Date(Date.now() - 30 * 86_400_000);
  await harness.database.collection('retentions').insertOne({ _id: 'short' as never, keptFrom });
  const recent = rawScan({ workspace: 'short' });
  const old = rawScan({ workspace: 'short', at: new Date(keptFrom.getTime() - 1).toISOString() });
  const batch = batchOf([old, recent]);
  await harness.publish(batch);
  const [event] = await waitFor('the event', () => loggedOf(batch.id).length > 0 && loggedOf(batch.id));
  expect(event!.data.scans.map(({ scan }) => scan.id)).toEqual([recent.id]);
  expect([await rowOf(old.id), (await rowOf(recent.id))?.['_id']]).toEqual([null, recent.id]);
});
