import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { entryOf } from '@waymark/launcher/process-table';
import { withoutNotice } from '@waymark/testing/command-output';
import type { WorkspaceReport } from '@waymark/analytics/loading/compare-workspace';
import { addressOf, batchOf, Harness, linkSnapshot, rawScan } from './harness.js';
import { openStores } from './ledger.js';

const SCANS = 300;
const harness = new Harness();
let ledger: Awaited<ReturnType<typeof openStores>>;

beforeAll(async () => {
  await harness.start();
  ledger = await openStores(harness.backing);
  await send(SCANS);
  harness.owned.push({ workspace: 'acme', link: linkSnapshot() });
  const conversion = { id: 'lnk_a', source: 'shop' };
  expect((await harness.caller.call('POST', '/conversions', { body: conversion })).status).toBe(201);
  await harness.settled(SCANS);
});
afterAll(async () => {
  await ledger.close();
  await harness.stop();
});

/** Sends scans of two days, three links and 40 visitors. */
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

async function admin(...args: string[]): Promise<{ code: number; report: WorkspaceReport; stderr: string }> {
  const { MONGODB_URI, CLICKHOUSE_URL } = harness.backing;
  const env = { PATH: process.env['PATH'], MONGODB_URI, CLICKHOUSE_URL };
  const entry = entryOf('analytics', 'admin/main.js');
  const ended = await promisify(execFile)(process.execPath, [entry, ...args, '--json'], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const report = (ended.stdout === '' ? null : JSON.parse(ended.stdout)) as WorkspaceReport;
  return { code: ended.code, report, stderr: withoutNotice(ended.stderr) };
}

const warehouse = (command: 'check' | 'repair', ...flags: string[]) =>
  admin('warehouse', command, '--workspace', 'acme', ...flags);
async function removeRows(table: string, condition: string): Promise<void> {
  await harness.warehouse(`DELETE FROM ${table} WHERE ${condition}`);
}
const equal = {
  code: 0,
  report: {
    repaired: false,
    scans: { days: 2, stored: SCANS, missing: 0, surplus: 0 },
    conversions: { stored: 1, missing: 0 },
  },
};

test('check and repair change nothing in a warehouse that equals the ledger', async () => {
  const before = await ledger.rowsInWarehouse();
  expect(await warehouse('check')).toMatchObject(equal);
  expect(await warehouse('repair', '--dry-run')).toMatchObject(equal);
  expect(await warehouse('repair')).toMatchObject(equal);
  expect(await ledger.rowsInWarehouse()).toEqual(before);
});

test('check reports missing and surplus rows with code 1, and repair restores the same rows', async () => {
  const right = await ledger.rowsInWarehouse();
  await removeRows('scans', "link_id = 'lnk_1'");
  await removeRows('conversions', 'true');
  const surplus = "'acme', toDateTime64('1970-01-08', 3, 'UTC'), 'lnk_1', 'scn_strange', 1";
  await harness.warehouse(`INSERT INTO scans (workspace, at, link_id, id, version) SELECT ${surplus}`);
  const wrong = await ledger.rowsInWarehouse();
  const found = { scans: { days: 3, missing: SCANS / 3, surplus: 1 }, conversions: { missing: 1 } };

  expect(await warehouse('check')).toMatchObject({ code: 1, report: { repaired: false, ...found } });
  expect(await warehouse('repair', '--dry-run')).toMatchObject({ code: 0, report: { repaired: false, ...found } });
  expect(await ledger.rowsInWarehouse()).toEqual(wrong);
  const repaired = await warehouse('repair');
  expect(repaired).toMatchObject({ code: 0, report: { repaired: true, ...found } });
  expect(repaired.report.scans.days_different).toContain('1970-01-08');
  await harness.counted();
  expect(await ledger.rowsInWarehouse()).toEqual(right);
  expect(await warehouse('check')).toMatchObject(equal);
});

test('a repair counts scans that arrive meanwhile exactly once', async () => {
  await removeRows('scans', "trigger = 'link'");
  const sending = (async () => {
    for (let batch = 0; batch < 20; batch += 1) await send(50);
  })();
  expect(await warehouse('repair')).toMatchObject({ code: 0, stderr: '' });
  await sending;
  await harness.settled(SCANS + 1000);
  const scans = { stored: SCANS + 1000, missing: 0, surplus: 0 };
  expect(await warehouse('check')).toMatchObject({ code: 0, stderr: '', report: { scans } });
  expect(await ledger.rowsInWarehouse()).toMatchObject([{ rows: SCANS + 1000 }]);
});

test('set-aside retry requeues refused rows and links, and with --dry-run only counts them', async () => {
  // Loaders leave batches of a later version alone.
  const row = { layout: 1000, rows: '', rowCount: 0, oldest: new Date(), workspace: 'other', error: 'refused' };
  const database = await mongoose.createConnection(harness.backing.MONGODB_URI).asPromise();
  const setAside = database.collection('pending_scans_set_aside');
  await setAside.insertMany([{ ...row }, { ...row }]);
  const link = { _id: 'lnk_refused', workspace: 'other', next: 'refused', refusal: 'refused' };
  const links = database.collection<typeof link>('links');
  await links.insertOne({ ...link });
  const retry = (...flags: string[]) => admin('warehouse', 'set-aside', 'retry', ...flags);

  const listed = { workspace: 'other', error: 'refused' };
  expect(await admin('warehouse', 'set-aside', 'list')).toMatchObject({
    code: 0,
    report: { scans: [listed, listed], links: [{ _id: link._id, ...listed }] },
  });
  const counts = { batches: 2, links: 1 };
  expect(await retry('--dry-run')).toMatchObject({ code: 0, report: { dry_run: true, ...counts } });
  expect(await setAside.countDocuments()).toBe(2);
  expect(await retry()).toMatchObject({ code: 0, report: { dry_run: false, ...counts } });
  expect(await links.countDocuments({ refusal: { $exists: true } })).toBe(0);
  expect(await setAside.countDocuments()).toBe(0);
  expect(await database.collection('pending_scans').countDocuments({ layout: 1000 })).toBe(2);
  await database.close();
});

test('check reports an error for a workspace without scans and conversions', async () => {
  const { code, stderr } = await admin('warehouse', 'check', '--workspace', 'nope');
  expect([code, stderr]).toEqual([1, expect.stringContaining("The workspace 'nope' has no scans and no conversions.")]);
});

test.each([
  [['warehouse', 'chek'], 'Did you mean check?'],
  [['warehouse', 'repair'], '--workspace'],
  [['warehouse', 'repair', '--workspace', 'No Slug'], '--workspace'],
  [['warehouse', 'repair', '--workspace', 'acme', '--force'], '--force'],
])('the wrong call %j ends with 2 and says why', async (args, problem) => {
  const { code, stderr } = await admin(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});
