import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { entryOf } from '@waymark/local/system/process-table';
import type { RecountReport } from '@waymark/analytics/recount/recount-workspace';
import { addressOf, batchOf, Harness, rawScan } from './harness';
import { cellsIn } from './recount';

const SCANS = 300;
const harness = new Harness();

beforeAll(async () => {
  await harness.start();
  await send(SCANS);
  await harness.settled(SCANS);
}, 60_000);
afterAll(() => harness.stop());

/** Of two days, three links and 40 visitors. */
async function send(count: number): Promise<void> {
  const now = Date.now();
  const scans = Array.from({ length: count }, (_, index) =>
    rawScan({
      at: new Date(now - (index % 2) * 86_400_000).toISOString(),
      link_id: `lnk_${index % 3}`,
      address: addressOf(index % 40),
      campaign: index % 4 === 0 ? 'spring' : null,
    }),
  );
  await harness.publish(batchOf(scans));
}

async function admin(...args: string[]): Promise<{ code: number; report: RecountReport; stderr: string }> {
  const env = { PATH: process.env['PATH'], MONGODB_URI: harness.backing.MONGODB_URI };
  const entry = entryOf('analytics', 'admin/main.js');
  const ended = await promisify(execFile)(process.execPath, [entry, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const report = (ended.stdout === '' ? null : JSON.parse(ended.stdout)) as RecountReport;
  return { code: ended.code, report, stderr: ended.stderr };
}

const ofAcme = ['--workspace', 'acme'];

test('what is right is told as right and left alone', async () => {
  const before = await cellsIn(harness.database);
  const checked = await admin('check', ...ofAcme);
  expect(checked).toMatchObject({ code: 0, report: { days: 2, scans: SCANS, differences: 0, repaired: false } });
  const rebuilt = await admin('rebuild', ...ofAcme);
  expect(rebuilt).toMatchObject({ code: 0, report: { differences: 0, repaired: false } });
  expect(await cellsIn(harness.database)).toEqual(before);
}, 60_000);

test('lost, doubled and strange counts are told by the check, and put right by the rebuild', async () => {
  const [cells, right] = [harness.database.collection<any>('cells'), await cellsIn(harness.database)];
  await cells.deleteOne({ _id: /^acme\|.*\|link:lnk_1\|day\|$/ });
  const some = await cells.findOne({ _id: /^acme\|.*\|workspace\|day\|/ });
  const other = await cells.findOne({ _id: /^acme\|.*\|campaign:spring\|day\|/ });
  await cells.updateOne({ _id: some._id }, { $set: { rows: other.rows } });
  await cells.insertOne({ ...other, _id: 'acme|0000007|workspace|day|' });
  const wrong = await cellsIn(harness.database);

  const checked = await admin('check', ...ofAcme);
  expect(checked).toMatchObject({ code: 1, report: { days: 3, scans: SCANS, repaired: false } });
  expect(checked.report.days_different).toContain('1970-01-08');
  expect(checked.report.examples.length).toBeGreaterThan(0);
  expect(await cellsIn(harness.database)).toEqual(wrong);

  const rebuilt = await admin('rebuild', ...ofAcme);
  expect(rebuilt).toMatchObject({ code: 0, report: { differences: checked.report.differences, repaired: true } });
  expect((await cellsIn(harness.database)).length).toBe(right.length);
  expect(await admin('check', ...ofAcme)).toMatchObject({ code: 0, report: { days: 2, differences: 0 } });
}, 60_000);

test('all rollups of a workspace are made anew from its rows', async () => {
  const before = await cellsIn(harness.database);
  await harness.database.collection('cells').deleteMany({});
  expect(await admin('rebuild', ...ofAcme)).toMatchObject({ code: 0, report: { scans: SCANS, repaired: true } });
  expect((await cellsIn(harness.database)).length).toBe(before.length);
}, 60_000);

test('scans that come in meanwhile are counted once', async () => {
  await harness.database.collection('cells').deleteMany({ _id: /workspace/ as never });
  const sending = (async () => {
    for (let batch = 0; batch < 20; batch += 1) await send(50);
  })();
  await admin('rebuild', ...ofAcme);
  await sending;
  await harness.settled(SCANS + 1000);
  const { code, report } = await admin('check', ...ofAcme);
  expect([code, report.scans, report.differences]).toEqual([0, SCANS + 1000, 0]);
}, 90_000);

test('a visitor on too many links counts alike in whatever order the scans come', async () => {
  const [workspace, today] = ['crowded', new Date().toISOString().slice(0, 10)];
  // In no order, and a hundred of the 1,100 links a second time, at another hour.
  const visits = Array.from({ length: 1200 }, (_, index) =>
    rawScan({
      workspace,
      at: `${today}T${String((index * 7) % 24).padStart(2, '0')}:00:00.000Z`,
      link_id: `lnk_${String((index * 677) % 1100).padStart(4, '0')}`,
    }),
  );
  const before = await harness.countScans();
  for (let at = 0; at < visits.length; at += 200) {
    await harness.publish(batchOf(visits.slice(at, at + 200)));
    await harness.settled(before + at + 200);
  }
  const { code, report } = await admin('check', '--workspace', workspace);
  expect([code, report.scans, report.differences]).toEqual([0, 1200, 0]);
  const kpisOf = async (link: string) => (await harness.get(`/summary?link_id=${link}`, { workspace })).body.data.kpis;
  for (const link of ['lnk_0999', 'lnk_1000']) expect(await kpisOf(link)).toMatchObject({ unique_visitors: 1 });
}, 120_000);

test('a workspace of which nothing is known is an error, not one without differences', async () => {
  const { code, stderr } = await admin('check', '--workspace', 'nope');
  expect([code, stderr]).toEqual([1, expect.stringContaining("nothing is stored or counted of 'nope'")]);
});

test.each([
  [[], 'commands:'],
  [['rebuild'], '--workspace'],
  [['rebuild', '--workspace', 'No Slug'], '--workspace'],
  [['rebuild', ...ofAcme, '--force'], '--force'],
])('the wrong call %j ends with 2 and says why', async (args, problem) => {
  const { code, stderr } = await admin(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});
