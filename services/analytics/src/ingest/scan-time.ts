import { DAY_MS } from '../time/utc-day.js';

/** How far a redirect's clock may be ahead of the database's; as long before its day begins there is a salt. */
const AHEAD_MAX_MS = 3600 * 1000;
/** Scans from a spool may be late by as much as a figure may be asked for. */
const LATE_MAX_MS = 5 * 366 * DAY_MS;

/**
 * When a scan happened, by the clock of the redirect where that is possible: a wrong clock must neither create figures of
 * days to come nor rows that retention deletes at once. Otherwise the time at which it came in.
 */
export function scanTime(at: string, now: Date): Date {
  const time = new Date(at);
  const aheadMs = time.getTime() - now.getTime();
  return aheadMs > AHEAD_MAX_MS || -aheadMs > LATE_MAX_MS ? now : time;
}
