import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@waymark/shared/kernel/errors';
import type { WorkParts } from '@waymark/shared/kernel/keep-working';
import type { ResourceContext } from '../context.js';
import { workOnJobs } from '../work-on-jobs.js';
import { completeImport, failImport } from './finish-import.js';
import type { ImportJob } from './import-job.js';
import { LEASE_MS, runBatch } from './run-batch.js';

const JOBS_AT_ONCE = 2;
/** Then it is the next one's turn: a small import does not wait for large ones. */
const BATCHES_PER_TURN = 20;
const AFTER_OUTAGE_MS = 1000;
const AFTER_ERROR_MS = 5000;
/** Leases without a single row done: whatever it is, the next one will not get further. */
const ATTEMPTS_MAX = 10;

/**
 * Works on imports in turns. Every process does: they share the jobs by leases. What has become of a row and how far
 * the job is are one transaction, so a process that dies in the middle leaves nothing half done, and one that was only
 * thought dead cannot do a row again.
 * @returns to be called when there is a new one
 */
export function keepImporting(ctx: ResourceContext, parts: WorkParts): () => void {
  return workOnJobs(
    { ...parts, db: ctx.db },
    {
      name: 'imports',
      atOnce: JOBS_AT_ONCE,
      claim: () => ctx.imports.claim(LEASE_MS),
      work: (job) => work(ctx, parts, job),
    },
  );
}

/** Until the job is done, its turn is over, somebody else has it, or this process stops. */
async function work(ctx: ResourceContext, parts: WorkParts, job: ImportJob): Promise<void> {
  const { log } = parts;
  const line = { import_id: job._id, workspace: job.workspace, rows: job.totalRows };
  const startedAt = Date.now();
  try {
    const outcome = job.attempts > ATTEMPTS_MAX ? await failImport(ctx, job) : await goOn(ctx, parts, job);
    const level = outcome === 'failed' ? 'error' : 'info';
    log[level]({ ...line, outcome, duration_ms: Date.now() - startedAt }, 'import');
  } catch (error) {
    log[isOutage(error) ? 'warn' : 'error']({ ...line, err: error }, 'import interrupted');
    await ctx.imports.release(job, new Date(Date.now() + AFTER_ERROR_MS)).catch(() => undefined);
  }
}

async function goOn(ctx: ResourceContext, parts: WorkParts, job: ImportJob): Promise<string> {
  let current: ImportJob | null = job;
  for (let batches = 0; current && current.nextRow < current.totalRows; batches += 1) {
    if (parts.lifecycle.isStopping) {
      await ctx.imports.release(current);
      return 'handed over';
    }
    if (batches === BATCHES_PER_TURN) {
      // Behind those who have waited longer.
      await ctx.imports.release(current, new Date());
      return 'waits for its next turn';
    }
    current = await throughOutages(ctx, parts, current);
  }
  return current ? completeImport(ctx, current) : 'taken over';
}

/** An outage uses no attempt up. */
async function throughOutages(ctx: ResourceContext, parts: WorkParts, job: ImportJob): Promise<ImportJob | null> {
  for (;;) {
    try {
      return await runBatch(ctx, job);
    } catch (error) {
      if (!isOutage(error) || parts.lifecycle.isStopping) throw error;
      parts.log.debug({ err: error, import_id: job._id }, 'import held during an outage');
      await sleep(AFTER_OUTAGE_MS);
    }
  }
}
