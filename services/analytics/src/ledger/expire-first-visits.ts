import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { DAY_MS, utcDay } from '../time/utc-day.js';
import { SALT_LIFETIME_MS } from './salts.js';
import type { FirstVisitStore } from './first-visits.js';

const INTERVAL_MS = 10 * 60 * 1000;
/** Longer than it takes to store a batch that used the salt at the last moment. */
const MARGIN_MS = 3600 * 1000;

interface FirstVisitExpiryContext {
  db: Database;
  firstVisits: FirstVisitStore;
}

/**
 * Periodically deletes the first visits of days whose salt is destroyed; any number of workers may run it.
 * @returns a signal to begin a round
 */
export function startFirstVisitExpiry(runtime: WorkerContext, ctx: FirstVisitExpiryContext): Signal {
  const runOnce = async (): Promise<boolean> => {
    if (ctx.db.isReady) await expireFirstVisits(ctx);
    return false;
  };
  return runPeriodically(runtime, { name: 'expiring first visits', intervalMs: INTERVAL_MS, runOnce });
}

/** Uses the database's clock: a replica whose clock is ahead must not delete first visits that are still needed. */
async function expireFirstVisits(ctx: FirstVisitExpiryContext): Promise<void> {
  await ctx.firstVisits.deleteFirstVisitsBefore(firstDayKept((await ctx.db.now()).getTime()));
}

/** Returns the first day whose salt was not destroyed longer than the margin ago. */
export function firstDayKept(now: number): string {
  return utcDay(new Date(now - SALT_LIFETIME_MS - MARGIN_MS + DAY_MS));
}
