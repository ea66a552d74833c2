import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePorts } from '@waymark/stack/ports';
import { entryOf } from '@waymark/launcher/process-table';
import { failCommand } from '@waymark/testing/fail-command';
import type { ServiceAnswer } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';
import { ImportStack, rowsOf } from './import-stack.js';

interface Job {
  _id: string;
  event?: unknown;
  status: string;
  nextRow: number;
  leaseUntil: Date;
  attempts: number;
  finishedAt?: Date | null;
}

let stack: ImportStack;
const children: ChildProcess[] = [];
beforeEach(async () => {
  stack = new ImportStack();
  await stack.open();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await stack.stop();
});

const jobs = () => stack.database.collection<Job>('imports');

/** Simulates the expiry of the leases that a process left behind. */
const endLeases = () => jobs().updateMany({}, { $set: { leaseUntil: new Date(0) } });

/** Starts the service as a separate process, which tests can kill. */
async function spawnProcess(): Promise<{ child: ChildProcess; url: string }> {
  const [port, opsPort] = (await freePorts(2)) as [number, number];
  const own = { HOST: '127.0.0.1', PORT: String(port), OPS_PORT: String(opsPort), LOG_LEVEL: 'fatal' };
  const env = { PATH: process.env['PATH'], ...stack.env, ...own };
  const child = spawn(process.execPath, [entryOf('resource')], { env, stdio: 'ignore' });
  children.push(child);
  return { child, url: `http://127.0.0.1:${port}` };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Expects one link with one code per row, counted once, with one event. */
async function expectOnce(workspace: string, rows: number): Promise<void> {
  const count = (collection: string) => stack.database.collection(collection).countDocuments({ workspace });
  const destinations = await stack.database.collection('links').distinct('destinationUrl', { workspace });
  expect([await count('links'), destinations.length, await count('codes')]).toEqual([rows, rows, rows]);
  const counter = await stack.database
    .collection<{ _id: string }>('quotas')
    .findOne({ _id: `${workspace}/active_links` });
  expect(counter).toMatchObject({ used: rows });
  const published = (await stack.emitted(workspace)).filter(({ type }) => type === 'link.created');
  expect([published.length, new Set(published.map(({ data }) => data.link.id)).size]).toEqual([rows, rows]);
  expect(await stack.database.collection('import_rows').countDocuments({})).toBe(0);
}

/** Expects one result for every processed row, with the link that it created. */
async function expectResults(id: string, rows: number): Promise<void> {
  const results = await stack.database
    .collection('import_results')
    .aggregate([{ $match: { importId: id } }, { $unwind: '$results' }, { $replaceRoot: { newRoot: '$results' } }])
    .toArray();
  const numbers = results.map(({ row }) => row as number).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  const destinationOf = new Map(
    (await stack.database.collection('links').find({}).toArray()).map((link) => [
      String(link._id),
      link['destinationUrl'] as string,
    ]),
  );
  const wrong = results.filter(({ row, linkId }) => destinationOf.get(linkId) !== `https://example.com/${row - 1}`);
  expect(wrong).toEqual([]);
}

test('a worker that is killed again and again leaves nothing undone and does nothing twice', async () => {
  const ROWS = 500;
  let { child, url } = await spawnProcess();
  await stack.use(url);
  const { id } = (await stack.send({ links: rowsOf(ROWS) })).body.data;
  const kills: number[] = [];
  for (let reached = 0; kills.length < 4;) {
    const job = await waitFor('more rows', async () => {
      const now = (await jobs().findOne({ _id: id }))!;
      return now.nextRow > reached && now;
    });
    reached = job.nextRow;
    await kill(child);
    kills.push(reached);
    await endLeases();
    ({ child, url } = await spawnProcess());
    await stack.use(url);
  }
  expect(Math.min(...kills)).toBeLessThan(ROWS);
  const job = await stack.ended(id);
  expect(job).toMatchObject({ status: 'completed', processed_rows: ROWS, created_count: ROWS, failed_count: 0 });
  await expectOnce('acme', ROWS);
  await expectResults(id, ROWS);
});

test('several workers side by side share the imports, and do every row once', async () => {
  for (let index = 0; index < 3; index += 1) await stack.addProcess();
  const workspaces = ['w-0', 'w-1', 'w-2', 'w-3', 'w-4'];
  const ids = await Promise.all(
    workspaces.map(
      async (workspace) => (await stack.send({ links: rowsOf(200) }, { workspace })).body.data.id as string,
    ),
  );
  for (const [index, workspace] of workspaces.entries()) {
    expect(await stack.ended(ids[index]!, { workspace })).toMatchObject({ status: 'completed', created_count: 200 });
  }
  for (const workspace of workspaces) await expectOnce(workspace, 200);
});

test('an import whose lease is taken by another worker in the middle is done once all the same', async () => {
  for (let index = 0; index < 2; index += 1) await stack.addProcess();
  const { id } = (await stack.send({ links: rowsOf(100) })).body.data;
  // After each batch the lease ends, as if the worker of this import had died.
  for (let reached = -1; reached < 100;) {
    const last = reached;
    const job = await waitFor('more rows', async () => {
      const now = (await jobs().findOne({ _id: id }))!;
      return (now.nextRow > last || now.nextRow === 100) && now;
    });
    reached = job.nextRow;
    await endLeases();
  }
  expect(await stack.ended(id)).toMatchObject({ status: 'completed', created_count: 100, processed_rows: 100 });
  await expectOnce('acme', 100);
  await expectResults(id, 100);
});

test('a process that stops hands its import over at once', async () => {
  const first = await spawnProcess();
  await stack.use(first.url);
  const { id } = (await stack.send({ links: rowsOf(500) })).body.data;
  await waitFor('some rows', async () => (await jobs().findOne({ _id: id }))!.nextRow > 0);
  first.child.kill('SIGTERM');
  await once(first.child, 'exit');
  const left = (await jobs().findOne({ _id: id }))!;
  expect(left.nextRow === 500 || left.leaseUntil.getTime() <= Date.now()).toBe(true);
  await stack.addProcess();
  expect(await stack.ended(id)).toMatchObject({ status: 'completed', created_count: 500 });
  await expectOnce('acme', 500);
});

test('an import that no attempt gets any further with fails, says so, and keeps what is done', async () => {
  await stack.addProcess();
  const { id } = (await stack.send({ links: rowsOf(700) }, { access: { role: 'editor' } })).body.data;
  const broken = { importId: id, from: 500 };
  // Damages the chunk from row 500 on, so that no attempt can process it.
  await stack.database.collection('import_rows').updateOne(broken, { $set: { rows: 'rubbish' } });
  const job = await waitFor('the attempts to be used up', async () => {
    await jobs().updateOne({ _id: id, nextRow: 500 }, { $set: { leaseUntil: new Date(0), attempts: 10 } });
    const { data } = (await stack.call('GET', `/links/imports/${id}`)).body;
    return data.finished_at && data;
  });
  expect(job).toMatchObject({ status: 'failed', processed_rows: 500, created_count: 500 });
  expect(job.errors).toEqual([{ row: 501, field: null, code: 'server_error', message: expect.any(String) }]);
  await expectOnce('acme', 500);
  await expectResults(id, 500);
  const completed = (await stack.emitted('acme')).find(({ type }) => type === 'link.import_completed');
  expect(completed.data.import).toMatchObject({ id, status: 'failed', created_count: 500 });
});

test('a workspace with 20 unfinished imports sends no more until one has ended, while others do', async () => {
  await stack.addProcess();
  const { id } = await stack.import({ links: rowsOf(1) });
  const pattern = (await jobs().findOne({ _id: id }))!;
  const held = { workspace: 'busy', status: 'processing', finishedAt: null, totalRows: 1, nextRow: 1 };
  const leaseUntil = new Date(Date.now() + 3_600_000);
  const unfinished = Array.from({ length: 20 }, (_, index) => ({
    ...pattern,
    ...held,
    leaseUntil,
    _id: `imp_${index}`,
  }));
  await jobs().insertMany(unfinished);

  const busy = { workspace: 'busy' };
  const refused = await stack.send({ links: rowsOf(1) }, busy);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'validation_failed']);
  const message = 'The limit of this workspace is 20 unfinished imports.';
  const details = {
    reason: 'quota_exceeded',
    quota: [message],
    resource: 'unfinished_imports',
    limit: 20,
    current: 20,
  };
  expect(refused.body.error.details).toEqual(details);
  expect((await stack.send({ links: rowsOf(1) }, { workspace: 'idle' })).status).toBe(202);

  await jobs().updateOne({ _id: 'imp_7' }, { $set: { leaseUntil: new Date(0) } });
  await stack.ended('imp_7', busy);
  await jobs().updateOne({ _id: 'imp_8' }, { $set: { leaseUntil: new Date(0) } });
  await stack.ended('imp_8', busy);
  const answers = await Promise.all(Array.from({ length: 2 }, () => stack.send({ links: rowsOf(1) }, busy)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  for (const { body } of answers) await stack.ended(body.data.id, busy);
  expect(await stack.links('busy')).toHaveLength(2);
});

test('a small import is done while large ones that were sent before it are still under way', async () => {
  await stack.addProcess();
  const options = { workspace: 'large' };
  const large: ServiceAnswer[] = [];
  while (large.length < 3) large.push(await stack.send({ links: rowsOf(1000) }, options));
  await stack.import({ links: rowsOf(1) }, { workspace: 'small' });
  for (const { body } of large) {
    expect(await stack.ended(body.data.id, options)).toMatchObject({ status: 'completed', created_count: 1000 });
  }
  const small = await jobs().findOne({ workspace: 'small' });
  const later = { workspace: 'large', finishedAt: { $gt: small!.finishedAt! } };
  // The first may be done before the last is sent. In the order of sending, only the third would be done later.
  expect(await jobs().countDocuments(later)).toBeGreaterThanOrEqual(2);
});

test('an import whose workspace is locked for longer than a lease uses no attempt up', async () => {
  for (let index = 0; index < 2; index += 1) await stack.addProcess();
  await stack.link({});
  // Another transaction locks the row that every change of the workspace writes.
  const session = await stack.database.startSession();
  session.startTransaction();
  const row = { _id: 'acme/links' };
  await stack.database.collection<{ _id: string }>('quotas').updateOne(row, { $inc: { used: 0.5 } }, { session });
  const { id } = (await stack.send({ links: rowsOf(10) })).body.data;
  await jobs().updateOne({ _id: id }, { $set: { attempts: 9 } });
  const leases = new Set<string>();
  const attempts: number[] = [];
  await waitFor(
    'three leases',
    async () => {
      const job = (await jobs().findOne({ _id: id })) as unknown as { leaseId: string | null; attempts: number; status: string }; // prettier-ignore
      expect(job.status).not.toBe('failed');
      if (job.leaseId) leases.add(job.leaseId);
      attempts.push(job.attempts);
      return leases.size >= 3;
    },
    120_000,
  );
  await session.abortTransaction();
  await session.endSession();
  expect(Math.max(...attempts)).toBeLessThanOrEqual(10);
  expect(await stack.ended(id)).toMatchObject({ status: 'completed', created_count: 10 });
});

test('an import whose transaction is too large continues with fewer rows at a time', async () => {
  await stack.addProcess();
  const links = stack.database.collection('links');
  await failCommand(links, { times: 2 }, { failCommands: ['insert'], errorCode: 388 });
  const job = await stack.import({ links: rowsOf(10) });
  expect(job).toMatchObject({ status: 'completed', created_count: 10, failed_count: 0 });
  const batches = await stack.database.collection('import_results').find({}).sort({ _id: 1 }).toArray();
  expect(batches.map(({ results }) => (results as unknown[]).length)).toEqual([2, 8]);
  await expectOnce('acme', 10);
  await expectResults(job.id, 10);
});

test('an import whose rows are gone fails', async () => {
  await stack.addProcess();
  const { id } = (await stack.send({ links: rowsOf(400) })).body.data;
  await stack.database.collection('import_rows').deleteMany({ importId: id, from: { $gte: 300 } });
  const job = await waitFor('its end', async () => {
    await jobs().updateOne({ _id: id, nextRow: 300 }, { $set: { leaseUntil: new Date(0), attempts: 10 } });
    const { data } = (await stack.call('GET', `/links/imports/${id}`)).body;
    return data.finished_at && data;
  });
  expect(job).toMatchObject({ status: 'failed', created_count: 300 });
});
