import type { Database } from '@waymark/shared/kernel/database';
import type { UncountedStore } from '../rollups/uncounted-store.js';

/**
 * Returns the time up to which every stored scan is counted: the time of the oldest pending scan, or now. Call it before
 * the figures are read.
 */
export async function dataAsOf({ db, uncounted }: { db: Database; uncounted: UncountedStore }): Promise<Date> {
  const now = await db.now();
  const countedBefore = await uncounted.countedBefore();
  return countedBefore && countedBefore < now ? countedBefore : now;
}
