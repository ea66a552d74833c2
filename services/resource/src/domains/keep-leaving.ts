import type { Bell } from '@waymark/shared/kernel/bell';
import { keepWorking } from '@waymark/shared/kernel/keep-working';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import { newContext, runInContext } from '@waymark/shared/kernel/request-context';
import type { ResourceContext } from '../context.js';
import { leaveSome } from './leave-domain.js';
import type { Removal } from './removal-store.js';

const DOMAINS_AT_ONCE = 2;
const POLL_EVERY_MS = 1000;
/** Longer than some links take: a removal whose worker has died is gone on with after this. */
const LEASE_MS = 15_000;
const AFTER_ERROR_MS = 5000;

/**
 * Moves the links of deleted domains, some of one domain and then some of the next: a small one does not wait for large
 * ones. Every process does; should two be at the same domain, a link that one has moved is none for the other.
 * @returns to be called when there is a new one
 */
export function keepLeaving(
  ctx: ResourceContext,
  parts: { log: Log; lifecycle: Lifecycle; metrics: Metrics },
): () => void {
  parts.metrics.gauge('domain_removal_seconds', 'Age of the oldest removal of a domain whose links still move', () =>
    ctx.removals.oldestSeconds(),
  );
  const bells: Bell[] = Array.from({ length: DOMAINS_AT_ONCE }, (_, index) =>
    keepWorking(parts, {
      name: `removed domains ${index + 1}`,
      everyMs: POLL_EVERY_MS,
      doSome: () => workOnOne(ctx, parts.log),
    }),
  );
  return () => bells.forEach((bell) => bell.ring());
}

/** @returns false when there was none */
async function workOnOne(ctx: ResourceContext, log: Log): Promise<boolean> {
  const removal = ctx.db.isReady ? await ctx.removals.claim(LEASE_MS) : null;
  if (!removal) return false;
  const { requestId, traceparent } = removal.event;
  await runInContext(newContext(requestId, traceparent), () => goOn(ctx, removal, log));
  return true;
}

async function goOn(ctx: ResourceContext, removal: Removal, log: Log): Promise<void> {
  try {
    const last = await leaveSome(ctx, removal);
    if (last !== null) return await ctx.removals.release(removal, last, new Date());
    if (removal.isLost) await ctx.codes.forget(removal.workspace, removal.hostname);
    await ctx.removals.finish(removal);
    const { _id: domain, workspace, hostname, createdAt } = removal;
    log.info({ domain, workspace, hostname, duration_ms: Date.now() - createdAt.getTime() }, 'domain left');
  } catch (error) {
    await ctx.removals.release(removal, removal.after, new Date(Date.now() + AFTER_ERROR_MS)).catch(() => undefined);
    throw error;
  }
}
