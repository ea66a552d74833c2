import type { Database } from '@waymark/shared/kernel/database';
import { isOutage } from '@waymark/shared/kernel/errors';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { DAY_MS, utcDay } from '../time/utc-day.js';
import { SALT_LIFETIME_MS } from './salts.js';
import type { SightingStore } from './sightings.js';

const EVERY_MS = 10 * 60 * 1000;
/** A batch that got its visitors in the salt's last moment is stored before this is over. */
const MARGIN_MS = 3600 * 1000;

interface VisitorStores {
  db: Database;
  sightings: SightingStore;
}

/** Now and then forgets who was seen on days whose salt is destroyed; any number of workers may do so. */
export function forgetVisitors(stores: VisitorStores, { lifecycle, log }: { lifecycle: Lifecycle; log: Log }): void {
  const timer = setInterval(() => {
    forgetByDatabaseClock(stores).catch((error: unknown) => {
      log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'visitors not forgotten');
    });
  }, EVERY_MS);
  lifecycle.onStop('forgetting', () => clearInterval(timer));
}

/** A replica whose clock is ahead must not forget those who still come. */
async function forgetByDatabaseClock(stores: VisitorStores): Promise<void> {
  await stores.sightings.forgetBefore(firstDayKept((await stores.db.now()).getTime()));
}

/** The day after the last one whose salt was destroyed longer than the margin ago. */
export function firstDayKept(now: number): string {
  return utcDay(new Date(now - SALT_LIFETIME_MS - MARGIN_MS + DAY_MS));
}
