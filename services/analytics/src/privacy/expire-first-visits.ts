import type { Database } from '@waymark/kernel/mongo/database';
import { isOutage } from '@waymark/kernel/errors';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
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

/** Periodically deletes the first visits of days whose salt is destroyed; any number of workers may run it. */
export function startFirstVisitExpiry(
  ctx: FirstVisitExpiryContext,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): void {
  const timer = setInterval(() => {
    expireFirstVisits(ctx).catch((error: unknown) => {
      log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'first visits not deleted');
    });
  }, INTERVAL_MS);
  lifecycle.onStop('forgetting', () => clearInterval(timer));
}

/** Uses the database's clock: a replica whose clock is ahead must not delete first visits that are still needed. */
async function expireFirstVisits(ctx: FirstVisitExpiryContext): Promise<void> {
  await ctx.firstVisits.deleteFirstVisitsBefore(firstDayKept((await ctx.db.now()).getTime()));
}

/** Returns the first day whose salt was not destroyed longer than the margin ago. */
export function firstDayKept(now: number): string {
  return utcDay(new Date(now - SALT_LIFETIME_MS - MARGIN_MS + DAY_MS));
}
