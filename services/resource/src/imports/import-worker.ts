import { setTimeout as sleep } from 'node:timers/promises';
import type { SkipItem } from '@waymark/kernel/async/run-periodically';
import { isTemporary } from '@waymark/kernel/errors';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { reportProgress } from '@waymark/kernel/process/running-work';
import type { ImportContext } from './context.js';
import { startJobWorkers } from '../job-worker.js';
import { dryRun } from './dry-run.js';
import { completeImport, failImport } from './finish-import.js';
import type { ImportJob } from './import-job.js';
import { runBatch } from './run-batch.js';

/** A process has ten places for transactions, and requests need them: imports take one. */
const JOBS_AT_ONCE = 1;
/** After these the next import has its turn: a small import does not wait for large ones. */
const BATCHES_PER_TURN = 10;
/** Longer than a batch including its waits and its rest; after this, another worker resumes a dead worker's job. */
const LEASE_MS = 40_000;
const REST_MAX_MS = 5000;
const AFTER_OUTAGE_MS = 1000;
const AFTER_ERROR_MS = 5000;
/** Leases without a single processed row: a further one will not make progress either. */
const ATTEMPTS_MAX = 10;

/**
 * Runs imports in turns. Every process does so; they share the jobs by leases. One transaction stores the outcome of a
 * row and the progress of the job, so a process that dies leaves nothing half done, and one that lost its lease cannot
 * process a row again.
 * @returns a function that notifies the workers of a new import
 */
export function startImportWorker(ctx: ImportContext, runtime: WorkerContext): () => void {
  return startJobWorkers(
    { ...runtime, db: ctx.db },
    {
      name: 'imports',
      concurrency: JOBS_AT_ONCE,
      claimJob: () => ctx.imports.claimImport(LEASE_MS),
      runJob: (job, skipItem) => work(ctx, runtime, { job, skipItem }),
    },
  );
}

/** Runs until the job is done, its turn is over, another worker has it, or this process stops. */
async function work(
  ctx: ImportContext,
  runtime: WorkerContext,
  { job, skipItem }: { job: ImportJob; skipItem: SkipItem },
): Promise<void> {
  const { log } = runtime;
  const line = { import_id: job._id, workspace: job.workspace, rows: job.totalRows };
  const startedAt = Date.now();
  try {
    const outcome = job.attempts > ATTEMPTS_MAX ? await failImport(ctx, job) : await runTurn(ctx, runtime, job);
    const level = outcome === 'failed' ? 'error' : 'info';
    log[level]({ ...line, outcome, duration_ms: Date.now() - startedAt }, 'import');
  } catch (error) {
    if (isTemporary(error)) {
      log.warn({ ...line, err: error }, 'import interrupted by an outage');
      return releaseJob(ctx, runtime, job);
    }
    skipItem(error, line, 'import interrupted');
    await ctx.imports.releaseImport(job, AFTER_ERROR_MS).catch(() => undefined);
  }
}

async function runTurn(ctx: ImportContext, runtime: WorkerContext, job: ImportJob): Promise<string> {
  const renew = async () => !runtime.lifecycle.isStopping && (await ctx.imports.renewLease(job, LEASE_MS));
  let current: ImportJob | null = job;
  for (let batches = 0; current && current.nextRow < current.totalRows; batches += 1) {
    if (batches === BATCHES_PER_TURN) {
      // The job queues behind those that have waited longer.
      await ctx.imports.releaseImport(current, 0);
      return 'waits for its next turn';
    }
    if (!(await renew())) current = null;
    else if (job.dryRun) current = await dryRun(ctx, current, renew);
    else current = await runBatchAndRest(ctx, runtime, current);
  }
  if (current) return completeImport(ctx, current);
  if (!runtime.lifecycle.isStopping) return 'taken over';
  await ctx.imports.releaseImport(job, 0);
  return 'handed over';
}

/** Rests as long as the batch took, so that an import leaves half of the time to visitors and requests, within its lease. */
async function runBatchAndRest(
  ctx: ImportContext,
  { lifecycle }: WorkerContext,
  job: ImportJob,
): Promise<ImportJob | null> {
  const startedAt = performance.now();
  const after = await runBatch(ctx, job);
  const restMs = Math.min(performance.now() - startedAt, REST_MAX_MS);
  await sleep(restMs, undefined, { signal: lifecycle.signal }).catch(() => undefined);
  return after;
}

/** Releases the job, with retries, without counting an attempt: an outage is not the fault of the import. */
async function releaseJob(ctx: ImportContext, runtime: WorkerContext, job: ImportJob): Promise<void> {
  while (!runtime.lifecycle.isStopping) {
    try {
      return await ctx.imports.releaseWithoutAttempt(job, AFTER_OUTAGE_MS);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      reportProgress();
      await sleep(AFTER_OUTAGE_MS);
    }
  }
}
