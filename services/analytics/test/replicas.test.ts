import { waitFor } from '@waymark/testing/wait-for';
import type { RawScan } from '@waymark/contract/events';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, rawScan } from './harness.js';
import { openStores, uniqueCounts } from './ledger.js';

const SCANS = 4000;
const PER_MESSAGE = 50;

const harness = new Harness();
let ledger: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  await harness.start({ replicas: 2 });
  ledger = await openStores(harness.backing);
});
afterAll(async () => {
  await ledger.close();
  await harness.stop();
});

function scanNumber(i: number): RawScan {
  return rawScan({
    at: new Date(Date.now() - (i % 90) * 60_000).toISOString(),
    workspace: i % 5 === 0 ? 'other' : 'acme',
    link_id: `lnk_${i % 7}`,
    campaign: i % 3 === 0 ? `campaign ${i % 4}` : null,
    trigger: i % 4 === 0 ? 'qr' : 'link',
    address: addressOf(i % 300),
    user_agent: [CHROME, IPHONE, GOOGLEBOT][i % 3]!,
  });
}

test('two workers count every scan once when messages and scans are repeated', async () => {
  const scans = Array.from({ length: SCANS }, (_, i) => scanNumber(i));
  const messages = [];
  for (let offset = 0; offset < SCANS; offset += PER_MESSAGE) {
    const part = scans.slice(offset, offset + PER_MESSAGE);
    // The second message repeats the second half of this one and the first half of the next.
    const shifted = scans.slice(offset + PER_MESSAGE / 2, offset + PER_MESSAGE * 1.5);
    messages.push(batchOf(part), batchOf(shifted));
  }
  await Promise.all([...messages, ...messages.toReversed()].map((message) => harness.publish(message)));
  await harness.settled(SCANS);
  await harness.drained();

  expect(await harness.countScans()).toBe(SCANS);
  await expectExactCounts(SCANS);
  const { marked, firsts } = await uniqueCounts(harness.database);
  expect(marked).toBe(firsts);

  const human = scans.filter((scan) => scan.user_agent !== GOOGLEBOT).map(({ id }) => id);
  const firstOfEach = new Map(harness.logged.map((event) => [event.id, event]));
  const logged = [...firstOfEach.values()].flatMap((event) => event.data.scans.map(({ scan }) => scan.id));
  expect(logged.sort()).toEqual(human.sort());
  for (const event of harness.logged) expect(event).toEqual(firstOfEach.get(event.id));
  expect(await harness.parked('analytics.scans')).toEqual([]);
});

test('a repeated day, out of order and in other messages, changes nothing', async () => {
  const before = await harness.countScans();
  const count = 1500;
  const scans = Array.from({ length: count }, (_, i) => {
    const scannedAt = new Date(Date.now() - (i % 96) * 15 * 60_000).toISOString();
    return { ...scanNumber(i), at: scannedAt };
  });
  const inMessages = (all: RawScan[]) =>
    Array.from({ length: count / PER_MESSAGE }, (_, i) => batchOf(all.slice(i * PER_MESSAGE, (i + 1) * PER_MESSAGE)));
  const messages = inMessages(scans);
  await Promise.all(shuffled(messages).map((message) => harness.publish(message)));
  await harness.settled(before + count);
  await harness.drained();
  await harness.counted();
  const rows = await ledger.rowsInWarehouse();
  const logged = loggedScans();

  const again = [...shuffled([...messages, ...messages]), ...inMessages(shuffled(scans))];
  await Promise.all(again.map((message) => harness.publish(message)));
  await harness.drained();
  expect(await harness.countScans()).toBe(before + count);
  await harness.counted();
  expect(await ledger.rowsInWarehouse()).toEqual(rows);
  expect(loggedScans()).toEqual(logged);
  await expectExactCounts(before + count);
});

test('a stopping worker requeues its unfinished messages for the next worker', async () => {
  const before = await harness.countScans();
  const messages = Array.from({ length: 60 }, (_, i) => batchOf([scanNumber(i), scanNumber(i + 1)]));
  await Promise.all(messages.map((message) => harness.publish(message)));
  await harness.restart();
  await waitFor('all scans', async () => (await harness.countScans()) === before + 120);
  await harness.drained();
  await expectExactCounts(before + 120);
});

test('loaders load each scan once while scans arrive', async () => {
  const before = await harness.countScans();
  for (let i = 0; i < 200; i += 1) await harness.publish(batchOf([scanNumber(i)]));
  await harness.settled(before + 200);
  await expectExactCounts(before + 200);
});

/** Returns every scan named by an event, with the ids of these events. */
function loggedScans(): string[] {
  const named = harness.logged.flatMap(({ id, data }) => data.scans.map(({ scan }) => `${scan.id} ${id}`));
  return [...new Set(named)].sort();
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function expectExactCounts(scans: number): Promise<void> {
  await harness.counted();
  const reports = await Promise.all(['acme', 'other'].map((slug) => ledger.compare(slug)));
  for (const report of reports) expect(report.scans).toMatchObject({ missing: 0, surplus: 0 });
  expect(reports.reduce((sum, report) => sum + report.scans.stored, 0)).toBe(scans);
  expect(await ledger.rowsInWarehouse()).toMatchObject([{ rows: scans }]);
}
