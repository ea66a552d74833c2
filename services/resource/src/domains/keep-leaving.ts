import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { ResourceContext } from '../context.js';
import { workOnJobs } from '../work-on-jobs.js';
import { leaveSome } from './leave-domain.js';
import { reclaimSome } from './reclaim-host.js';
import type { Removal } from './removal-store.js';

const DOMAINS_AT_ONCE = 2;
/** Longer than the longest step including its waits; after this, another worker resumes a dead worker's removal. */
const LEASE_MS = 40_000;

/**
 * Moves the links of deleted domains, a step of each domain in turn: a small one does not wait for large ones. Every
 * process does so; if two work on the same domain, each skips the links that the other has moved.
 * @returns a function that notifies the workers of a new removal
 */
export function keepLeaving(
  ctx: ResourceContext,
  parts: { log: Log; lifecycle: Lifecycle; metrics: Metrics },
): () => void {
  parts.metrics.gauge('domain_removal_seconds', 'Age of the oldest removal of a domain whose links still move', () =>
    ctx.removals.oldestSeconds(),
  );
  return workOnJobs(
    { ...parts, db: ctx.db },
    {
      name: 'removed domains',
      atOnce: DOMAINS_AT_ONCE,
      claim: () => ctx.removals.claim(LEASE_MS),
      work: (removal) => goOn(ctx, removal, parts.log),
    },
  );
}

async function goOn(ctx: ResourceContext, removal: Removal, log: Log): Promise<void> {
  try {
    const last = removal.isReclaim ? await reclaimSome(ctx, removal) : await leaveSome(ctx, removal);
    if (last !== null) return await ctx.removals.release(removal, last);
    await ctx.removals.finish(removal);
    if (removal.isReclaim) return;
    const { _id: domain, workspace, hostname, createdAt } = removal;
    log.info({ domain, workspace, hostname, duration_ms: Date.now() - createdAt.getTime() }, 'domain left');
  } catch (error) {
    await ctx.removals.postpone(removal).catch(() => undefined);
    throw error;
  }
}
