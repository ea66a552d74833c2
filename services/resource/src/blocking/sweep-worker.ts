import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { CheckPace } from './check-pace.js';
import { reviewPending, sweepChecks, sweepList, type SweepContext } from './sweep.js';

const INTERVAL_MS = 2000;
const LEASE_MS = 60_000;
export const SWEEP_OPTIONS = {
  /** Between two questions to a checker that does not answer. */
  checkAgainMs: 30_000,
};
export type SweepOptions = typeof SWEEP_OPTIONS;

/**
 * Compares all stored links with what is blocked. One process does so, and keeps on doing so while it lives: during an
 * update of the block list two processes may have different ones.
 */
export function startSweep(
  ctx: SweepContext,
  runtime: { log: Log; lifecycle: Lifecycle; metrics: Metrics },
  { checkAgainMs }: SweepOptions,
): void {
  const lease = new Lease(ctx.db, 'destination sweep');
  const { metrics, lifecycle } = runtime;
  metrics.gauge('destination_checks_pending', 'Links whose destinations have to be checked', () =>
    ctx.links.countPending(),
  );
  metrics.gauge('blocked_destinations', 'Hosts and entries of DESTINATION_BLOCKLIST to which no link may lead', () =>
    Promise.resolve(ctx.blocked.size),
  );
  const pending = new CheckPace(checkAgainMs);
  const daily = new CheckPace(checkAgainMs);
  let after = '';

  async function runOnce(skipItem: SkipItem): Promise<boolean> {
    if (!ctx.db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    const hasMoreLinks = await sweepList(ctx, skipItem);
    const hasMorePending = await pending.run(async (limit) => {
      const reviewed = await reviewPending(ctx, { after, limit }, skipItem);
      after = reviewed.after;
      return reviewed.progress;
    });
    const hasMoreChecks =
      ctx.destinationRules.checker !== null && (await daily.run((limit) => sweepChecks(ctx, limit, skipItem)));
    return hasMoreLinks || hasMorePending || hasMoreChecks;
  }

  lifecycle.onStop('lease of the destination sweep', () => (ctx.db.isReady ? lease.release() : undefined));
  runPeriodically(runtime, { name: 'destination sweep', intervalMs: INTERVAL_MS, runOnce });
}
