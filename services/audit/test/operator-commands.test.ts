import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import mongoose, { type Connection } from 'mongoose';
import { appendEntries, type AppendContext } from '@waymark/audit/collecting/append-entries';
import { findAuditHead } from '@waymark/contract/requests';
import { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { entryOf } from '@waymark/launcher/process-table';
import { freshBacking } from '@waymark/testing/backing';
import { withoutNotice } from '@waymark/testing/command-output';
import { AUDIT_KEY, openLog, sampleEntry } from './open-log.js';

const LENGTH = 3;
const backing = freshBacking();
const { MONGODB_URI } = backing;
const folder = mkdtempSync(join(tmpdir(), 'waymark-audit-'));
let log: { stores: AppendContext; close: () => Promise<void> };
let database: Connection;

beforeAll(async () => {
  log = await openLog(MONGODB_URI);
  database = await mongoose.createConnection(MONGODB_URI).asPromise();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.close();
  await log.close();
});

function admin(...args: string[]) {
  return adminWith('', ...args);
}

/** @param input the standard input of the program */
function adminWith(input: string, ...args: string[]) {
  const env = { PATH: process.env['PATH'], MONGODB_URI, AUDIT_SIGNING_KEY: AUDIT_KEY.privateKey };
  const entry = entryOf('audit', 'admin/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], { env, encoding: 'utf8', input });
  return { status, stdout, stderr: withoutNotice(stderr) };
}

async function begin(workspace: string): Promise<void> {
  await appendEntries(
    log.stores,
    Array.from({ length: LENGTH }, () => sampleEntry(workspace)),
  );
}

const tamper = (workspace: string, seq: number) =>
  database.collection('log_entries').updateOne({ workspace, seq }, { $set: { requestId: 'forged' } });

test('audit verify ends with 0 for a whole chain, and with 1 and the first break for another', async () => {
  await begin('whole');
  const whole = admin('audit', 'verify', '--workspace', 'whole', '--json');
  expect(whole).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(whole.stdout)).toEqual({
    workspace: 'whole',
    valid: true,
    checked: LENGTH,
    first_break: null,
    compared_with_auth: false,
  });

  await begin('forged');
  await tamper('forged', 2);
  const forged = admin('audit', 'verify', '--workspace', 'forged');
  expect(forged).toMatchObject({ status: 1, stderr: '' });
  expect(forged.stdout).toMatch(/^valid: +no$/m);
  expect(forged.stdout).toMatch(/^ {2}reason: +changed$/m);
});

test('audit export writes the whole log as CSV, newest first, and records it as the operator', async () => {
  await begin('leaving');
  const { status, stdout, stderr } = admin('audit', 'export', '--workspace', 'leaving');
  expect([status, stderr]).toEqual([0, '']);
  const rows: Record<string, string>[] = parse(stdout, { columns: true, record_delimiter: '\r\n' });
  expect(rows.map(({ workspace, seq, action }) => [workspace, seq, action])).toEqual(
    ['3', '2', '1'].map((seq) => ['leaving', seq, 'link.updated']),
  );
  const events = await database.collection('outbox').find({ type: 'audit_log.exported' }).toArray();
  expect(events.map(({ body }) => JSON.parse(body as string) as object)).toMatchObject([
    { workspace: 'leaving', actor: { type: 'system', id: null }, audit: { target: { id: 'leaving' } } },
  ]);
});

test('audit export of a workspace without a log is an error, and records nothing', async () => {
  const { status, stdout, stderr } = admin('audit', 'export', '--workspace', 'laeving');
  expect([status, stdout, stderr]).toEqual([1, '', 'error: --workspace: The workspace has no audit log.\n']);
  expect(await database.collection('outbox').countDocuments({ body: { $regex: 'laeving' } })).toBe(0);
});

test('audit verify of a workspace without a log is an error, since its name may be misspelled', () => {
  const { status, stderr } = admin('audit', 'verify', '--workspace', 'wohle');
  expect([status, stderr]).toEqual([1, 'error: --workspace: The workspace has no audit log.\n']);
});

test('audit compare finds a log that differs from the heads that the service has logged', async () => {
  const file = join(folder, 'audit.log');
  for (const workspace of ['kept', 'changed']) await begin(workspace);
  const heads = await database
    .collection<{ _id: string }>('heads')
    .find({ _id: { $in: ['kept', 'changed'] } })
    .toArray();
  const headsByWorkspace = Object.fromEntries(heads.map(({ _id, ...head }) => [_id, head]));
  writeFileSync(file, `${JSON.stringify({ msg: 'appended', heads: headsByWorkspace })}\n`);
  expect(admin('audit', 'compare', '--file', file).status).toBe(0);

  await database
    .collection('log_entries')
    .updateOne({ workspace: 'changed', seq: LENGTH }, { $set: { hash: '0'.repeat(64) } });

  const { status, stdout } = admin('audit', 'compare', '--file', file, '--json');
  expect(status).toBe(1);
  expect(adminWith(readFileSync(file, 'utf8'), 'audit', 'compare', '--file', '-', '--json').stdout).toBe(stdout);
  expect(JSON.parse(stdout)).toEqual({
    workspaces: 2,
    unsigned: 0,
    differing: 1,
    differences: [{ workspace: 'changed', seq: LENGTH }],
  });
});

test('audit compare names the file that it cannot read', () => {
  const { status, stderr } = admin('audit', 'compare', '--file', join(folder, 'nothing.log'));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: --file: ENOENT[^\n]+\n$/)]);
});

test('audit verify asks auth for the end that it has kept, and names a log that was reset', async () => {
  await begin('reset');
  const kept = { head: { seq: LENGTH + 2, hash: 'a'.repeat(64) }, created_at: new Date().toISOString() };
  const silent = createLog('test', 'silent');
  const lifecycle = new Lifecycle(silent);
  const { AMQP_URL, AMQP_NAMESPACE } = backing;
  const broker = new Broker({ url: AMQP_URL, namespace: AMQP_NAMESPACE, name: 'test' }, { log: silent, lifecycle });
  serveRequests(broker, findAuditHead, () => Promise.resolve(kept));
  broker.start();

  const env = { ...process.env, ...backing, AUDIT_SIGNING_KEY: AUDIT_KEY.privateKey };
  const args = [entryOf('audit', 'admin/main.js'), 'audit', 'verify', '--workspace', 'reset', '--json'];
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) =>
    execFile(process.execPath, args, { env }, (error, text) => resolve({ code: error?.code ?? 0, stdout: text })),
  );

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ valid: false, reason: 'missing', compared_with_auth: true });
  await lifecycle.stop();
});
