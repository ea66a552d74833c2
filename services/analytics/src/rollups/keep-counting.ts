import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { keepWorking } from '@waymark/shared/kernel/keep-working';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import { countScans } from './count-scans.js';
import type { RollupStores } from './stores.js';

/** What is stored is counted this much later at most, unless more comes than can be counted. */
const EVERY_MS = 1000;
/** The more at once, the fewer times a cell is written. */
const SCANS_AT_ONCE = 10_000;
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
export function keepCounting(parts: CountingParts, stores: RollupStores): void {
  const { db, metrics, lifecycle } = parts;
  const lease = new Lease(db, 'count scans');
  metrics.gauge('rollup_lag_seconds', 'Age of the oldest scan that is stored and not counted', async () => {
    const oldestAt = await stores.uncounted.oldestAt();
    return oldestAt ? Math.max(0, (Date.now() - oldestAt.getTime()) / 1000) : 0;
  });

  async function countSome(): Promise<boolean> {
    if (!db.isReady || (await stores.uncounted.oldestAt()) === null || !(await lease.take(LEASE_MS))) return false;
    return (await db.transaction((tx) => countScans(stores, SCANS_AT_ONCE, tx))) >= SCANS_AT_ONCE;
  }

  // After the counting, since what is registered last stops first.
  lifecycle.onStop('lease of the counting', async () => {
    if (db.isReady) await lease.release();
  });
  // A duplicate key: another worker has counted in the same moment, because our lease had run out.
  keepWorking(parts, { name: 'counting', everyMs: EVERY_MS, doSome: countSome, isExpected: isDuplicateKey });
}
