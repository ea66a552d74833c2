import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { LinkCopies } from './link-copies.js';

/** For detachments of processes that have ended: an event notifies the worker. */
const INTERVAL_MS = 2000;
/** Longer than one batch may take; a failed one is tried again after this time. */
const LEASE_MS = 30_000;

/**
 * Removes deleted tags and folders from their links, in batches: a tag of a million links delays neither the changes of
 * other links nor other detachments.
 * @returns a signal for new detachments
 */
export function startDetachmentWorker(
  runtime: WorkerContext,
  { db, copies }: { db: Database; copies: LinkCopies },
): Signal {
  async function detachSome(skipItem: SkipItem): Promise<boolean> {
    const detachment = db.isReady ? await copies.deleted.claimDetachment(LEASE_MS) : null;
    if (!detachment) return false;
    try {
      if (await copies.detachBatch(detachment)) await copies.deleted.finishDetachment(detachment);
      else await copies.deleted.requeueDetachment(detachment);
    } catch (error) {
      skipItem(error, detachment, 'links of a deleted folder or tag could not be detached');
    }
    return true;
  }

  return runPeriodically(runtime, { name: 'detaching links', intervalMs: INTERVAL_MS, runOnce: detachSome });
}
