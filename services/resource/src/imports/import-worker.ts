import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@waymark/shared/kernel/errors';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { newContext, runInContext } from '@waymark/shared/kernel/request-context';
import type { ResourceContext } from '../context.js';
import { completeImport, failImport } from './finish-import.js';
import type { ImportJob } from './import-job.js';
import { LEASE_MS, runBatch } from './run-batch.js';

/** A small import does not wait for a large one. */
const JOBS_AT_ONCE = 2;
const POLL_EVERY_MS = 1000;
const AFTER_OUTAGE_MS = 1000;
const AFTER_ERROR_MS = 5000;
/** Leases without a single row done: whatever it is, the next one will not get further. */
const ATTEMPTS_MAX = 10;

/**
 * Works on imports, the oldest first. Every process has one: they share the jobs by leases. What has become of a row and
 * how far the job is are one transaction, so a process that dies in the middle leaves nothing half done, and one that was
 * only thought dead cannot do a row again.
 */
export class ImportWorker {
  private working?: Promise<unknown>;
  private isStopping = false;
  private wakeUp = new AbortController();

  constructor(
    private readonly ctx: ResourceContext,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onStop('imports', () => this.stop());
  }

  start(): void {
    this.working ??= Promise.all(Array.from({ length: JOBS_AT_ONCE }, () => this.workUntilStopped()));
  }

  /** There is a new job. */
  wake(): void {
    this.wakeUp.abort();
    this.wakeUp = new AbortController();
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.working;
  }

  private async workUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      const job = await this.claim();
      if (job) await runInContext(newContext(job.event.requestId, job.event.traceparent), () => this.work(job));
      else await this.pause(POLL_EVERY_MS);
    }
  }

  private async claim(): Promise<ImportJob | null> {
    try {
      return this.ctx.db.isReady ? await this.ctx.imports.claim(LEASE_MS) : null;
    } catch (error) {
      this.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'no import could be claimed');
      return null;
    }
  }

  /** Until the job is done, somebody else has it, or this process stops. */
  private async work(job: ImportJob): Promise<void> {
    const line = { import_id: job._id, workspace: job.workspace, rows: job.totalRows };
    const startedAt = Date.now();
    try {
      const outcome = job.attempts > ATTEMPTS_MAX ? await failImport(this.ctx, job) : await this.goOn(job);
      const level = outcome === 'failed' ? 'error' : 'info';
      this.log[level]({ ...line, outcome, duration_ms: Date.now() - startedAt }, 'import');
    } catch (error) {
      this.log[isOutage(error) ? 'warn' : 'error']({ ...line, err: error }, 'import interrupted');
      await this.ctx.imports.release(job, new Date(Date.now() + AFTER_ERROR_MS)).catch(() => undefined);
    }
  }

  private async goOn(job: ImportJob): Promise<string> {
    let current: ImportJob | null = job;
    while (current && current.nextRow < current.totalRows) {
      if (this.isStopping) {
        await this.ctx.imports.release(current);
        return 'handed over';
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
        if (!isOutage(error) || this.isStopping) throw error;
        this.log.debug({ err: error, import_id: job._id }, 'import held during an outage');
        await this.pause(AFTER_OUTAGE_MS);
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    if (this.isStopping) return;
    await sleep(ms, undefined, { signal: this.wakeUp.signal }).catch(() => undefined);
  }
}
