import type { EventContext } from '@waymark/contract/event';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Database } from '@waymark/kernel/mongo/database';
import { newContext, runInContext } from '@waymark/kernel/process/request-context';

const POLL_INTERVAL_MS = 1000;

interface Jobs<Job> {
  name: string;
  concurrency: number;
  /** Claims under a lease, since every process works on the jobs. */
  claimJob: () => Promise<Job | null>;
  runJob: (job: Job, skipItem: SkipItem) => Promise<void>;
}

interface JobRow {
  /** The context of the request that the job came from. */
  event: EventContext;
}

/**
 * Runs jobs that wait in the database, up to `concurrency` at a time, each in the context of the request that it came
 * from.
 * @returns a function that notifies the workers of a new job
 */
export function startJobWorkers<Job extends JobRow>(
  runtime: WorkerContext & { db: Database },
  { name, concurrency, claimJob, runJob }: Jobs<Job>,
): () => void {
  async function runOnce(skipItem: SkipItem): Promise<boolean> {
    const job = runtime.db.isReady ? await claimJob() : null;
    if (!job) return false;
    await runInContext(newContext(job.event.requestId, job.event.traceparent), () => runJob(job, skipItem));
    return true;
  }

  const wakeSignals = Array.from({ length: concurrency }, (_, index) =>
    runPeriodically(runtime, { name: `${name} ${index + 1}`, intervalMs: POLL_INTERVAL_MS, runOnce }),
  );
  return () => wakeSignals.forEach((wakeSignal) => wakeSignal.notify());
}
