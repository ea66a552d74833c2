import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { NoAnswer } from '@waymark/kernel/broker/requests';
import { isOutage } from '@waymark/kernel/errors';
import type { Signal } from '@waymark/kernel/async/signal';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { expireScans, type RetentionContext } from './expire-scans.js';

const INTERVAL_MS = 10 * 60 * 1000;
/** Longer than one batch takes. */
const LEASE_MS = 60_000;

/**
 * Deletes rows that their plans no longer keep: one worker at a time cycles through the workspaces.
 * @returns a signal to begin a round
 */
export function startScanExpiry(
  runtime: { log: Log; metrics: Metrics; lifecycle: Lifecycle },
  ctx: RetentionContext,
): Signal {
  const lease = new Lease(ctx.db, 'expire scans');
  const expired = runtime.metrics.counter(
    'scans_expired_total',
    'Rows deleted because their plan keeps them no longer',
  );
  let finished = '';

  async function expireSome(skipItem: SkipItem): Promise<boolean> {
    if (!ctx.db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    const workspace = await ctx.scans.ledger.nextWorkspaceAfter(finished);
    const count = workspace === null ? 0 : await expireOf(workspace, skipItem);
    expired.inc(count);
    if (count === 0) finished = workspace ?? '';
    return workspace !== null;
  }

  /**
   * An error in one workspace does not stop the others; the next pass over all of them retries it. An outage of the database
   * or the broker concerns no single workspace: the next round retries the same one. Uses the database's clock, because a
   * replica's may be wrong.
   */
  async function expireOf(workspace: string, skipItem: SkipItem): Promise<number> {
    try {
      return await expireScans(ctx, workspace, (await ctx.db.now()).getTime());
    } catch (error) {
      // The owner of the plans may fail for this workspace alone.
      if (error instanceof NoAnswer || !isOutage(error)) finished = workspace;
      skipItem(error, { workspace }, 'rows not expired');
      return 0;
    }
  }

  return runPeriodically(runtime, { name: 'expiring', intervalMs: INTERVAL_MS, runOnce: expireSome });
}
