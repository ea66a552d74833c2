import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { DetachmentContext } from './context.js';
import { startJobWorkers } from '../job-worker.js';
import { detachBatch } from './detach-links.js';
import { reclaimBatch } from './reclaim-host.js';
import type { Detachment } from './detachment-store.js';

const DOMAINS_AT_ONCE = 2;
/** Longer than the longest step including its waits; after this, another worker resumes a dead worker's detachment. */
const LEASE_MS = 40_000;

/**
 * Moves the links of deleted domains, a step of each domain in turn: a small one does not wait for large ones. Every
 * process does so; if two work on the same domain, each skips the links that the other has moved.
 * @returns a function that notifies the workers of a new detachment
 */
export function startDomainDetachmentWorker(
  ctx: DetachmentContext,
  runtime: { log: Log; lifecycle: Lifecycle; metrics: Metrics },
): () => void {
  runtime.metrics.gauge('domain_removal_seconds', 'Age of the oldest removal of a domain whose links still move', () =>
    ctx.detachments.findOldestAgeSeconds(),
  );
  return startJobWorkers(
    { ...runtime, db: ctx.db },
    {
      name: 'removed domains',
      concurrency: DOMAINS_AT_ONCE,
      claimJob: () => ctx.detachments.claimDetachment(LEASE_MS),
      runJob: (detachment) => runOnce(ctx, detachment, runtime.log),
    },
  );
}

async function runOnce(ctx: DetachmentContext, detachment: Detachment, log: Log): Promise<void> {
  try {
    const last = detachment.isReclaim ? await reclaimBatch(ctx, detachment) : await detachBatch(ctx, detachment);
    if (last !== null) return await ctx.detachments.releaseDetachment(detachment, last);
    await ctx.detachments.finishDetachment(detachment);
    if (detachment.isReclaim) return;
    const { _id: domain, workspace, hostname, createdAt } = detachment;
    log.info(
      { domain, workspace, hostname, duration_ms: Date.now() - createdAt.getTime() },
      'links of a domain detached',
    );
  } catch (error) {
    await ctx.detachments.postponeDetachment(detachment).catch(() => undefined);
    throw error;
  }
}
