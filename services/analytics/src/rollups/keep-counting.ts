import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey, isOutage } from '@waymark/shared/kernel/errors';
import { keepWorking } from '@waymark/shared/kernel/keep-working';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { countScans } from './count-scans.js';
import type { RollupStores } from './stores.js';
import type { Portion } from './uncounted-store.js';

/** The pause between two rounds of counting. */
const EVERY_MS = 1000;
/** After a round with this many scans the pause is longer: scans that are counted together cost less each. */
const MANY_SCANS = 5_000;
const REST_AFTER_MANY_MS = 2_000;
/** Some hundred megabytes, and seconds: one that fails is tried again with half of it, down to a single batch. */
const PORTION: Portion = { scans: 50_000, linkDays: 2_000 };
/** A single batch that fails this often in a row is set aside. */
const FAILURES_MAX = 5;
/** Longer than a portion takes, so that nobody begins with it while we are at it. */
const LEASE_MS = 15_000;

interface CountingParts {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
}

/**
 * Counts what has been stored, again and again. One worker at a time does, and when it is gone another goes on; the
 * lease only saves them from getting in each other's way.
 */
export function keepCounting(parts: CountingParts, stores: RollupStores): void {
  const { db, log, lifecycle } = parts;
  const lease = new Lease(db, 'count scans');
  let portion = PORTION;
  let failures = 0;
  let restsUntil = 0;

  async function countSome(): Promise<boolean> {
    if (!db.isReady || performance.now() < restsUntil || (await stores.uncounted.oldestAt()) === null) return false;
    if (!(await lease.take(LEASE_MS))) return false;
    const { counted, areAll } = await countPortion();
    if (!areAll) return true;
    if (counted > MANY_SCANS) restsUntil = performance.now() + REST_AFTER_MANY_MS;
    return false;
  }

  async function countPortion() {
    try {
      const result = await db.transaction((tx) => countScans(stores, portion, tx));
      failures = 0;
      portion = times(portion, 2);
      return result;
    } catch (error) {
      // An outage says nothing about the batch.
      if (isOutage(error) || isDuplicateKey(error)) throw error;
      if (portion.scans > 1) return halve(error);
      failures += 1;
      if (failures >= FAILURES_MAX) await setAside(error);
      throw error;
    }
  }

  /** A smaller portion is tried at once: only a single batch that fails waits before its next attempt. */
  function halve(error: unknown) {
    log.warn({ err: error, scans: portion.scans }, 'counting fewer scans at a time, since so many cannot be counted');
    portion = times(portion, 1 / 2);
    return { counted: 0, areAll: false };
  }

  async function setAside(error: unknown): Promise<void> {
    const batch = await stores.uncounted.setAsideOldest(error);
    failures = 0;
    if (batch) log.error({ err: error, workspace: batch.workspace }, 'scans set aside: they cannot be counted');
  }

  // After the counting, since what is registered last stops first.
  lifecycle.onStop('lease of the counting', async () => {
    if (db.isReady) await lease.release();
  });
  // A duplicate key: another worker has counted in the same moment, because our lease had run out.
  keepWorking(parts, { name: 'counting', everyMs: EVERY_MS, doSome: countSome, isExpected: isDuplicateKey });
}

const times = ({ scans, linkDays }: Portion, factor: number): Portion => ({
  scans: Math.min(Math.max(Math.floor(scans * factor), 1), PORTION.scans),
  linkDays: Math.min(Math.max(Math.floor(linkDays * factor), 1), PORTION.linkDays),
});
