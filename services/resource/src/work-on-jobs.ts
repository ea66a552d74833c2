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

/**
 * Works on jobs that wait in the database, so many at a time, each as part of the request that it came from.
 * @returns to be called when there is a new one
 */
export function workOnJobs<Job extends { event: EventContext }>(
  parts: WorkParts & { db: Database },
  { name, atOnce, claim, work }: Jobs<Job>,
): () => void {
  async function workOnOne(): Promise<boolean> {
    const job = parts.db.isReady ? await claim() : null;
    if (!job) return false;
    await runInContext(newContext(job.event.requestId, job.event.traceparent), () => work(job));
    return true;
  }

  const bells = Array.from({ length: atOnce }, (_, index) =>
    keepWorking(parts, { name: `${name} ${index + 1}`, everyMs: POLL_EVERY_MS, doSome: workOnOne }),
  );
  return () => bells.forEach((bell) => bell.ring());
}
