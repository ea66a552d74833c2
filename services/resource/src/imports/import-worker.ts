import { setTimeout as sleep } from 'node:timers/promises';
import type { Bell } from '@waymark/shared/kernel/bell';
import { isOutage } from '@waymark/shared/kernel/errors';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import { newContext, runInContext } from '@waymark/shared/kernel/request-context';
import type { ResourceContext } from '../context.js';
import { completeImport, failImport } from './finish-import.js';
import type { ImportJob } from './import-job.js';
import { LEASE_MS, runBatch } from './run-batch.js';

const JOBS_AT_ONCE = 2;
/** Then it is the next one's turn: a small import does not wait for large ones. */
const BATCHES_PER_TURN = 4;
const POLL_EVERY_MS = 1000;
const AFTER_OUTAGE_MS = 1000;
const AFTER_ERROR_MS = 5000;
/** Leases without a single row done: whatever it is, the next one will not get further. */
const ATTEMPTS_MAX = 10;

/**
 * Works on imports in turns. Every process has one: they share the jobs by leases. What has become of a row and how far
 * the job is are one transaction, so a process that dies in the middle leaves nothing half done, and one that was only
 * thought dead cannot do a row again.
 */
export class ImportWorker {
  private readonly bells: Bell[];

  constructor(
    private readonly ctx: ResourceContext,
    private readonly parts: WorkParts,
  ) {
    this.bells = Array.from({ length: JOBS_AT_ONCE }, (_, index) =>
      keepWorking(parts, {
        name: `imports ${index + 1}`,
        everyMs: POLL_EVERY_MS,
        doSome: () => this.workOnOne(),
      }),
    );
  }

  /** There is a new job. */
  wake(): void {
    for (const bell of this.bells) bell.ring();
  }

  /** @returns false when there was none */
  private async workOnOne(): Promise<boolean> {
    const job = this.ctx.db.isReady ? await this.ctx.imports.claim(LEASE_MS) : null;
    if (job) await runInContext(newContext(job.event.requestId, job.event.traceparent), () => this.work(job));
    return job !== null;
  }

  /** Until the job is done, its turn is over, somebody else has it, or this process stops. */
  private async work(job: ImportJob): Promise<void> {
    const { log } = this.parts;
    const line = { import_id: job._id, workspace: job.workspace, rows: job.totalRows };
    const startedAt = Date.now();
    try {
      const outcome = job.attempts > ATTEMPTS_MAX ? await failImport(this.ctx, job) : await this.goOn(job);
      const level = outcome === 'failed' ? 'error' : 'info';
      log[level]({ ...line, outcome, duration_ms: Date.now() - startedAt }, 'import');
    } catch (error) {
      log[isOutage(error) ? 'warn' : 'error']({ ...line, err: error }, 'import interrupted');
      await this.ctx.imports.release(job, new Date(Date.now() + AFTER_ERROR_MS)).catch(() => undefined);
    }
  }

  private async goOn(job: ImportJob): Promise<string> {
    let current: ImportJob | null = job;
    for (let batches = 0; current && current.nextRow < current.totalRows; batches += 1) {
      if (this.parts.lifecycle.isStopping) {
        await this.ctx.imports.release(current);
        return 'handed over';
      }
      if (batches === BATCHES_PER_TURN) {
        // Behind those who have waited longer.
        await this.ctx.imports.release(current, new Date());
        return 'waits for its next turn';
      }
      current = await this.throughOutages(current);
    }
    return current ? completeImport(this.ctx, current) : 'taken over';
  }

  /** An outage uses no attempt up. */
  private async throughOutages(job: ImportJob): Promise<ImportJob | null> {
    for (;;) {
      try {
        return await runBatch(this.ctx, job);
      } catch (error) {
        if (!isOutage(error) || this.parts.lifecycle.isStopping) throw error;
        this.parts.log.debug({ err: error, import_id: job._id }, 'import held during an outage');
        await sleep(AFTER_OUTAGE_MS);
      }
    }
  }
}
