import { setTimeout as sleep } from 'node:timers/promises';
import { createRuntime } from '@waymark/kernel/runtime';
import { testProcess } from '@waymark/testing/process-parts';
import { resourceConfig } from '@waymark/resource/config';
import { ImportStore } from '@waymark/resource/imports/import-store';
import type { ImportJob } from '@waymark/resource/imports/import-job';
import { ImportStack, rowsOf } from './import-stack.js';

let stack: ImportStack;
beforeEach(async () => {
  stack = new ImportStack();
  await stack.open();
});
afterEach(() => stack.stop());

test('imports of several workspaces take turns, however many one workspace has', async () => {
  const { db, lifecycle } = createRuntime('resource', testProcess(resourceConfig, stack.env));
  const store = new ImportStore(db);
  await db.start();
  // In the order of their arrival: the first workspace sends all of its imports before the others send one.
  const arrivals = ['many', 'many', 'many', 'single', 'other'];
  const now = await store.now();
  const jobs = arrivals.map((workspace, index) => ({
    _id: `imp_${index}`,
    workspace,
    status: 'queued',
    finishedAt: null,
    attempts: 0,
    tally: { failed: 0 },
    leaseUntil: new Date(now.getTime() - 1000 * (arrivals.length - index)),
  }));
  await stack.database.collection<{ _id: string }>('imports').insertMany(jobs);
  const claimed: string[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const job: ImportJob = (await store.claimImport(60_000))!;
    claimed.push(job.workspace);
    // Times of the same millisecond have no order.
    await sleep(2);
    await store.releaseImport(job, 0);
    await sleep(2);
  }
  const round = ['many', 'single', 'other'];
  expect(claimed).toEqual([...round, ...round, ...round]);
  await lifecycle.stop();
});

test('a process works on one import at a time, so that imports take one of its places for transactions', async () => {
  await stack.addProcess();
  const workspaces = ['turn-1', 'turn-2', 'turn-3', 'turn-4'];
  for (const workspace of workspaces) await stack.send({ links: rowsOf(700) }, { workspace });
  const jobs = stack.database.collection('imports');
  // A released job is due when it is released, which may be after the time in a query that the database reads late.
  const inLease = () => new Date(Date.now() + 10_000);
  const countLeased = () => jobs.countDocuments({ finishedAt: null, leaseUntil: { $gt: inLease() } });
  let most = 0;
  while ((await jobs.countDocuments({ finishedAt: null })) > 0) most = Math.max(most, await countLeased());
  expect(most).toBe(1);
  expect(await jobs.countDocuments({ status: 'completed', 'tally.created': 700 })).toBe(4);
});
