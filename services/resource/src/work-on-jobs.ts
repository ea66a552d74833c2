import type { EventContext } from '@waymark/shared/contract/event';
import type { Database } from '@waymark/shared/kernel/database';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import { newContext, runInContext } from '@waymark/shared/kernel/request-context';

const POLL_EVERY_MS = 1000;

interface Jobs<Job> {
  name: string;
  atOnce: number;
  /** Under a lease: every process works on them. */
  claim: () => Promise<Job | null>;
  work: (job: Job) => Promise<void>;
}

interface JobRow {
  workspace: string;
  /** Of the request that the job came from. */
  event: EventContext;
}

/**
 * Works on jobs that wait in the database, so many at a time, each as part of the request that it came from.
 * @returns to be called when there is a new one
 */
export function workOnJobs<Job extends JobRow>(
  parts: WorkParts & { db: Database },
  { name, atOnce, claim, work }: Jobs<Job>,
): () => void {
  async function workOnOne(): Promise<boolean> {
    const claimed = parts.db.isReady ? await claim() : null;
    if (!claimed) return false;
    const job = { ...claimed, event: eventOf(claimed) };
    await runInContext(newContext(job.event.requestId, job.event.traceparent), () => work(job));
    return true;
  }

  const bells = Array.from({ length: atOnce }, (_, index) =>
    keepWorking(parts, { name: `${name} ${index + 1}`, everyMs: POLL_EVERY_MS, doSome: workOnOne }),
  );
  return () => bells.forEach((bell) => bell.ring());
}

/** A damaged row must end too, or it would be claimed for ever: without its event it is work that no request started. */
function eventOf({ workspace, event }: { workspace: string; event: unknown }): EventContext {
  return typeof event === 'object' && event !== null ? (event as EventContext) : { workspace };
}
