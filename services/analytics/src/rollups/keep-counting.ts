import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey, isOutage } from '@waymark/shared/kernel/errors';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import { countScans } from './count-scans.js';
import type { RollupStores } from './stores.js';

/** What is stored is counted this much later at most, unless more comes than can be counted. */
const EVERY_MS = 1000;
const SCANS_AT_ONCE = 2500;
/** Longer than a portion takes, so that nobody begins with it while we are at it. */
const LEASE_MS = 15_000;

interface CountingParts {
  db: Database;
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

/**
 * Counts what has been stored, again and again. One worker at a time does, and when it is gone another goes on; the
 * lease only saves them from getting in each other's way.
 */
export function keepCounting({ db, log, metrics, lifecycle }: CountingParts, stores: RollupStores): void {
  const lease = new Lease(db, 'count scans');
  const stopping = new AbortController();
  const { signal } = stopping;
  metrics.gauge('rollup_lag_seconds', 'Age of the oldest scan that is stored and not counted', async () => {
    const oldestAt = await stores.uncounted.oldestAt();
    return oldestAt ? Math.max(0, (Date.now() - oldestAt.getTime()) / 1000) : 0;
  });

  /** @returns true when there is more to count. */
  async function countSome(): Promise<boolean> {
    if ((await stores.uncounted.oldestAt()) === null || !(await lease.take(LEASE_MS))) return false;
    return (await db.transaction((tx) => countScans(stores, SCANS_AT_ONCE, tx))) >= SCANS_AT_ONCE;
  }

  async function countUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && db.isReady && (await countSome())) continue;
      } catch (error) {
        // A duplicate key: another worker has counted in the same moment, because our lease had run out.
        log[isOutage(error) || isDuplicateKey(error) ? 'debug' : 'error']({ err: error }, 'scans not counted');
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = countUntilStopped();
  lifecycle.onStop('counting', async () => {
    stopping.abort();
    await running;
    if (db.isReady) await lease.release();
  });
}
