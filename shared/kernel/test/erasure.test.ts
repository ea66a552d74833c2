import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { folderCreated, memberAdded, scanLogged } from '@waymark/contract/events';
import type { Event } from '@waymark/contract/event';
import { userErased } from '@waymark/contract/erasures';
import { newId } from '@waymark/contract/ids';
import { ErasureStore } from '@waymark/kernel/erasure/erasure-store';
import { startErasureWorker, type ErasureRuntime } from '@waymark/kernel/erasure/erasure-worker';
import { redactOutboxEvents, removeOutboxEvents, type ErasureStep } from '@waymark/kernel/erasure/erasure-steps';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';

const LEASE_MS = 60_000;
const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
const db = new Database(MONGODB_URI, { log, lifecycle });
const erasures = new ErasureStore(db);

beforeAll(() => db.start());
afterAll(() => lifecycle.stop());

const outbox = () => db.connection.collection<{ _id: string; type: string; body: string }>('outbox');
const store = (...events: Event[]) =>
  outbox().insertMany(events.map((event) => ({ _id: event.id, type: event.type, body: JSON.stringify(event) })));
const stored = async (): Promise<Event<any>[]> =>
  (await outbox().find({}).sort({ _id: 1 }).toArray()).map(({ body }) => JSON.parse(body) as Event);

async function runStep(step: ErasureStep, subject: string): Promise<void> {
  while ((await step.eraseBatch(subject, 1)) > 0);
}

const folderIn = (workspace: string): Event =>
  folderCreated.create({ workspace }, { id: newId('fld') } as never, {
    target: { type: 'folder', id: 'fld_1', label: 'Folder' },
    changes: {},
  });

describe('waiting events', () => {
  afterEach(() => outbox().deleteMany({}));

  test('of an erased workspace are removed, and those of several workspaces keep the data of the others', async () => {
    const scans = ['erased', 'kept', 'erased'].map((workspace) => ({ workspace, scan: { id: newId('scn') } }));
    const mixed = scanLogged.create({ workspace: null }, { scans } as never);
    const only = scanLogged.create({ workspace: null }, { scans: [scans[0]] } as never);
    const kept = folderIn('kept');
    await store(folderIn('erased'), mixed, only, kept);
    await runStep(removeOutboxEvents(db), 'erased');
    expect(await stored()).toEqual(expect.arrayContaining([kept, { ...mixed, data: { scans: [{ ...scans[1] }] } }]));
    expect(await outbox().countDocuments()).toBe(2);
  });

  test('of an erased user lose the name and the address, and the order to erase the user stays', async () => {
    const actor = { type: 'user' as const, id: 'usr_1', name: 'Eve Marker', email: 'eve@example.com', token_id: null };
    const order = userErased.create({ workspace: null }, { user_id: 'usr_1', email: 'eve@example.com' });
    await store({ ...folderIn('kept'), actor, ip_address: '203.0.113.7' }, order);
    await runStep(redactOutboxEvents(db), 'usr_1');
    const events = await stored();
    expect(events).toContainEqual(order);
    const folder = events.find(({ type }) => type === folderCreated.type)!;
    expect([folder.actor, folder.ip_address]).toEqual([{ ...actor, name: null, email: null }, null]);
  });

  test('about two users who are erased, one after the other, lose the data of both', async () => {
    const actor = { type: 'user' as const, id: 'usr_1', name: 'Eve Marker', email: 'eve@example.com', token_id: null };
    const data = { user_id: 'usr_2', email: 'ann@example.com', role: 'viewer' };
    const target = { type: 'user', id: 'usr_2', label: 'ann@example.com' };
    await store({ ...memberAdded.create({ workspace: 'kept' }, data, { target, changes: {} }), actor });
    await runStep(redactOutboxEvents(db), 'usr_1');
    await runStep(redactOutboxEvents(db), 'usr_2');
    expect(JSON.stringify(await stored())).not.toMatch(/Eve Marker|@example\.com/);
  });

  const eve = { type: 'user' as const, id: 'usr_1', name: 'Eve Marker', email: 'eve@example.com', token_id: null };
  const sound = { ...folderIn('erased'), actor: eve };
  const ofNone = { ...sound, workspace: null, more: { workspace: 'erased' } };
  const damagedBodies = [
    ['that is no JSON', `Eve Marker ${JSON.stringify(sound)}`],
    ['that is no event', '["usr_1",{"workspace":"erased"}]'],
    ['without an actor', JSON.stringify({ ...sound, actor: undefined, request_id: 'usr_1' })],
    ['with a text as its actor', JSON.stringify({ ...sound, actor: 'Eve Marker', request_id: 'usr_1' })],
    ['without data', JSON.stringify({ ...ofNone, data: undefined })],
    ['with null as its data', JSON.stringify({ ...ofNone, data: null })],
    ['that is an object', sound],
    ['that is a list', [{ ...sound, note: 'usr_1' }]],
  ] as [string, unknown][];

  describe.each([
    ['user', () => redactOutboxEvents(db), 'usr_1'],
    ['workspace', () => removeOutboxEvents(db), 'erased'],
  ])('of an erased %s', (_kind, step, subject) => {
    test.each(damagedBodies)(
      'are removed and reported when one has a body %s, and stop no other',
      async (_what, body) => {
        await outbox().insertOne({ _id: 'evt_1', type: 'folder.created', body: body as string });
        await store(sound);
        const batch = step().eraseBatch(subject, 1000);
        await expect(batch).rejects.toThrow('removed from the outbox: 1, first "evt_1" of type "folder.created"');
        await expect(batch).rejects.not.toThrow('Marker');
        expect(JSON.stringify(await outbox().find({}).toArray())).not.toMatch(/Eve Marker|evt_1"/);
        expect(await step().eraseBatch(subject, 1000)).toBe(0);
      },
    );
  });

  test.each([
    ['texts', JSON.stringify(sound)],
    ['objects', sound],
  ])('are read and removed up to the limit at a time, also when their bodies are %s', async (_what, body) => {
    const rows = [1, 2, 3].map((number) => ({ _id: `evt_${number}`, type: 'folder.created', body: body as string }));
    await outbox().insertMany(rows);
    await removeOutboxEvents(db)
      .eraseBatch('erased', 2)
      .catch(() => {});
    expect(await outbox().countDocuments()).toBe(1);
  });

  test('with an object as their body stay when it does not name the erased one', async () => {
    await outbox().insertOne({ _id: 'evt_1', type: 'folder.created', body: folderIn('kept') as never });
    expect(await redactOutboxEvents(db).eraseBatch('usr_1', 1000)).toBe(0);
    expect(await removeOutboxEvents(db).eraseBatch('erased', 1000)).toBe(0);
    expect(await outbox().countDocuments()).toBe(1);
  });

  test('of two users who are erased at the same time lose the data of both', async () => {
    const ann = { user_id: 'usr_2', email: 'ann@example.com', role: 'viewer' };
    const target = { type: 'user', id: 'usr_2', label: 'ann@example.com' };
    const event = memberAdded.create({ workspace: 'kept' }, ann, { target, changes: {} });
    await store(...Array.from({ length: 20 }, () => ({ ...event, id: newId('evt'), actor: eve })));
    const step = redactOutboxEvents(db);
    await Promise.all(['usr_1', 'usr_2'].map((userId) => step.eraseBatch(userId, 1000)));
    expect(JSON.stringify(await stored())).not.toMatch(/Eve Marker|@example\.com/);
  });

  test('of an erased user lose the name although the list of the erased users is damaged', async () => {
    await store(sound);
    await outbox().updateMany({}, { $set: { redactedUsers: 7 } });
    await runStep(redactOutboxEvents(db), 'usr_1');
    expect((await stored()).map(({ actor }) => actor)).toEqual([{ ...eve, name: null, email: null }]);
  });
});

test('a process with a small heap removes waiting events, however many bytes they have together', async () => {
  const filler = 'x'.repeat(2 * 1024 * 1024);
  const events = Array.from({ length: 40 }, () => ({ ...folderIn('large'), filler }));
  for (const event of events) await store(event);
  const module = (path: string) => JSON.stringify(join(__dirname, '../dist', path));
  const script = `
    const { Database } = require(${module('mongo/database.js')});
    const { Lifecycle } = require(${module('process/lifecycle.js')});
    const { createLog } = require(${module('process/log.js')});
    const { removeOutboxEvents } = require(${module('erasure/erasure-steps.js')});
    const log = createLog('test', 'silent');
    const lifecycle = new Lifecycle(log);
    const db = new Database(process.env.MONGODB_URI, { log, lifecycle });
    db.start()
      .then(() => removeOutboxEvents(db).eraseBatch('large', 1000))
      .then((count) => console.log(count))
      .finally(() => lifecycle.stop());`;
  const child = spawn(process.execPath, ['--max-old-space-size=56', '-e', script], {
    env: { ...process.env, MONGODB_URI },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect((await text(child.stdout)).trim()).toBe(String(events.length));
  expect(await outbox().countDocuments()).toBe(0);
});

describe('an erasure', () => {
  const claim = async () => (await erasures.claimErasure(LEASE_MS))!;

  test('is done by one worker at a time, which loses it when another has claimed it', async () => {
    await erasures.addErasure({ kind: 'workspace', subject: 'once' });
    const first = await claim();
    expect(await erasures.claimErasure(LEASE_MS)).toBeNull();
    expect(await erasures.recordRemoved(first, { name: 'links', count: 3 }, -1)).toBe(true);
    const second = await claim();
    expect(second.removed).toEqual({ links: 3 });
    expect(await erasures.recordRemoved(first, { name: 'links', count: 1 }, LEASE_MS)).toBe(false);
    expect(await erasures.recordRemoved(second, { name: 'links', count: 1 }, LEASE_MS)).toBe(true);
    await erasures.finishPass(second);
    expect(await erasures.findErasure(first._id)).toMatchObject({ passCount: 1, removed: { links: 4 } });
  });

  test.each([
    ['count of passes', { passCount: 'none' }],
    ['count of failures', { failureCount: null }],
    ['list of what is removed', { removed: null }],
    ['kind', { kind: 'unknown' }],
    ['subject', { subject: null }],
    ['due time', { dueAt: 'now' }],
  ])('without a valid %s is left alone and counted, and does not stop the others', async (_field, damage) => {
    await erasures.addErasure({ kind: 'workspace', subject: 'sound' });
    const sound = (await erasures.findErasure('workspace:sound'))!;
    const rows = db.connection.collection<{ _id: string }>('erasures');
    const damaged = { ...sound, dueAt: new Date(0), ...damage, _id: 'damaged' };
    await rows.insertOne(damaged);
    expect(await claim()).toMatchObject({ _id: sound._id });
    expect(await erasures.claimErasure(LEASE_MS)).toBeNull();
    expect(await rows.findOne({ _id: 'damaged' })).toMatchObject(damage);
    expect(await erasures.countDamaged()).toBe(1);
    await rows.deleteMany({ _id: { $in: ['damaged', sound._id] } });
    expect(await erasures.countDamaged()).toBe(0);
  });

  test('keeps its state when the order arrives again', async () => {
    await erasures.addErasure({ kind: 'workspace', subject: 'once' });
    expect(await erasures.findErasure('workspace:once')).toMatchObject({ passCount: 1 });
    expect(await erasures.findErased('workspace', ['once', 'other'])).toEqual(new Set(['once']));
  });

  test('is repeated five times, forgets the e-mail address after an hour, and expires', async () => {
    await erasures.addErasure({ kind: 'user', subject: 'usr_9', email: 'eve@example.com' });
    const erasure = (await erasures.findErasure('user:usr_9'))!;
    const hasEmail: boolean[] = [];
    for (let passCount = 0; passCount < 6; passCount += 1) {
      await erasures.finishPass({ ...erasure, leaseId: undefined, passCount });
      hasEmail.push((await erasures.findErasedEmails(['eve@example.com'])).size > 0);
    }
    expect(hasEmail).toEqual([true, true, true, false, false, false]);
    const last = (await erasures.findErasure('user:usr_9'))!;
    expect([last.dueAt, last.expiresAt instanceof Date]).toEqual([undefined, true]);
    expect(await erasures.countDamaged()).toBe(0);
    expect(await erasures.findErased('user', ['usr_9'])).toEqual(new Set(['usr_9']));
  });
});

test('an erasure whose row lacks its subject still counts as one', async () => {
  const rows = db.connection.collection<{ _id: string }>('erasures');
  const subjects = ['list-1', 'list-2', 'list-3'];
  const idOf = (subject: string) => `workspace:${subject}`;
  await rows.insertMany(subjects.map((subject) => ({ _id: idOf(subject), ...(subject !== 'list-2' && { subject }) })));
  expect(await erasures.findErased('workspace', ['list-2', 'list-4'])).toEqual(new Set(['list-2']));
  expect(await erasures.findSubjects('workspace', 'list', 2)).toEqual(['list-1', 'list-2']);
  expect(await erasures.findSubjects('workspace', 'list-2', 1)).toEqual(['list-3']);
  await rows.deleteMany({ _id: { $in: subjects.map(idOf) } });
});

test('the metrics of a process with an erasure worker show the damaged erasures', async () => {
  const rows = db.connection.collection<{ _id: string }>('erasures');
  await rows.insertMany([{ _id: 'damaged:1' }, { _id: 'damaged:2' }]);
  const metrics = new Metrics('test');
  const process = new Lifecycle(log);
  const runtime = { db, erasures, log, metrics, lifecycle: process } as unknown as ErasureRuntime;
  startErasureWorker(runtime, { service: 'resource', steps: { workspace: [], user: [] } });
  await process.stop();
  expect(await metrics.registry.metrics()).toContain('waymark_damaged_rows{collection="erasures",service="test"} 2');
  await rows.deleteMany({ _id: { $in: ['damaged:1', 'damaged:2'] } });
});

test('a large erasure takes turns with others, and reports its progress after each turn', async () => {
  await db.connection.collection('erasures').deleteMany({});
  const batchCounts: Record<string, number> = { large: 100, small: 1 };
  const erased: string[] = [];
  const reports: string[] = [];
  const rows: ErasureStep = {
    name: 'rows',
    eraseBatch: (subject) => {
      if (batchCounts[subject] === 0) return Promise.resolve(0);
      batchCounts[subject]! -= 1;
      erased.push(subject);
      return Promise.resolve(1000);
    },
  };
  const publish = (_type: string, _id: string, body: string) => {
    const { data } = JSON.parse(body) as Event<{ subject: string; removed: object; is_complete: boolean }>;
    reports.push(`${data.subject} ${JSON.stringify(data.removed)} ${data.is_complete}`);
    return Promise.resolve();
  };
  for (const subject of ['large', 'small']) await erasures.addErasure({ kind: 'workspace', subject });
  const process = new Lifecycle(log);
  const parts = { db, erasures, log, metrics: new Metrics('test'), lifecycle: process };
  const runtime = { ...parts, publisher: { publish } } as unknown as ErasureRuntime;
  startErasureWorker(runtime, { service: 'resource', steps: { workspace: [rows], user: [] } });
  try {
    await waitFor('both reports', () => reports.filter((report) => report.endsWith('true')).length === 2);
  } finally {
    await process.stop();
  }
  expect(erased.indexOf('small')).toBe(20);
  expect(reports.slice(0, 2)).toEqual(['large {"rows":20000} false', 'small {"rows":1000} true']);
  expect(reports.at(-1)).toBe('large {"rows":100000} true');
});

test('an erasure is completed although an event in the outbox is damaged, and its work is reported as failed', async () => {
  await db.connection.collection('erasures').deleteMany({});
  await outbox().insertOne({ _id: 'evt_1', type: 'folder.created', body: '{"workspace":"broken"' });
  await erasures.addErasure({ kind: 'workspace', subject: 'broken' });
  const process = new Lifecycle(log);
  const failed: string[] = [];
  process.onWorkFailed((work) => failed.push(work));
  const publisher = { publish: () => Promise.resolve() };
  const parts = { db, erasures, log, metrics: new Metrics('test'), lifecycle: process };
  const runtime = { ...parts, publisher } as unknown as ErasureRuntime;
  startErasureWorker(runtime, { service: 'resource', steps: { workspace: [removeOutboxEvents(db)], user: [] } });
  try {
    await waitFor('the pass', async () => (await erasures.findErasure('workspace:broken'))!.passCount === 1);
  } finally {
    await process.stop();
  }
  expect(failed).toEqual(['erasures']);
  expect(await outbox().countDocuments()).toBe(0);
});

test('an erasure keeps its lease while a batch takes longer than the lease', async () => {
  await erasures.addErasure({ kind: 'workspace', subject: 'slow' });
  const leaseEnds = async () => (await erasures.findErasure('workspace:slow'))!.dueAt!.getTime();
  let isProlonged = false;
  const slow: ErasureStep = {
    name: 'rows',
    eraseBatch: async () => {
      const first = await leaseEnds();
      isProlonged ||= await waitFor('a longer lease', async () => (await leaseEnds()) > first);
      return 0;
    },
  };
  const process = new Lifecycle(log);
  const publisher = { publish: () => Promise.resolve() };
  const parts = { db, erasures, log, metrics: new Metrics('test'), lifecycle: process };
  const runtime = { ...parts, publisher } as unknown as ErasureRuntime;
  startErasureWorker(runtime, { service: 'resource', steps: { workspace: [slow], user: [] }, leaseMs: 3000 });
  try {
    await waitFor('the pass', async () => (await erasures.findErasure('workspace:slow'))!.passCount === 1);
  } finally {
    await process.stop();
  }
  expect(isProlonged).toBe(true);
});
