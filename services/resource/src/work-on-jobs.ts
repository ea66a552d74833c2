import type { EventContext } from '@waymark/contract/event';
import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { newContext, runInContext } from '@waymark/kernel/process/request-context';

const POLL_EVERY_MS = 1000;

interface Jobs<Job> {
  name: string;
  atOnce: number;
  /** Claims under a lease, since every process works on the jobs. */
  claim: () => Promise<Job | null>;
  work: (job: Job) => Promise<void>;
}

interface JobRow {
  workspace: string;
  /** The context of the request that the job came from. */
  event: EventContext;
}

/**
 * Runs jobs that wait in the database, up to `atOnce` at a time, each in the context of the request that it came from.
 * @returns a function that notifies the workers of a new job
 */
export function workOnJobs<Job extends JobRow>(
  parts: WorkerContext & { db: Database },
  { name, atOnce, claim, work }: Jobs<Job>,
): () => void {
  async function workOnOne(): Promise<boolean> {
    const claimed = parts.db.isReady ? await claim() : null;
    if (!claimed) return false;
    const job = { ...claimed, event: eventOf(claimed) };
    await runInContext(newContext(job.event.requestId, job.event.traceparent), () => work(job));
    return true;
  }

  const wakeSignals = Array.from({ length: atOnce }, (_, index) =>
    runPeriodically(parts, { name: `${name} ${index + 1}`, intervalMs: POLL_EVERY_MS, runOnce: workOnOne }),
  );
  return () => wakeSignals.forEach((wakeSignal) => wakeSignal.notify());
}

/** A damaged row must end too, or workers would claim it endlessly: without its event, the job has no request. */
function eventOf({ workspace, event }: { workspace: string; event: unknown }): EventContext {
  return typeof event === 'object' && event !== null ? (event as EventContext) : { workspace };
}
