import { DAY_MS } from '../time/utc-day.js';

/**
 * How far a redirect's clock may be ahead of the database's; a day's salt is available this long before the day begins.
 */
const AHEAD_MAX_MS = 3600 * 1000;
/** Scans from a spool may be as old as the longest range of a figure. */
const LATE_MAX_MS = 5 * 366 * DAY_MS;

/**
 * Returns the time of a scan by the redirect's clock, if plausible: a wrong clock must neither create figures in the
 * future nor rows that retention deletes at once. Otherwise returns the time of arrival.
 */
export function scanTime(at: string, now: Date): Date {
  const time = new Date(at);
  const aheadMs = time.getTime() - now.getTime();
  return aheadMs > AHEAD_MAX_MS || -aheadMs > LATE_MAX_MS ? now : time;
}
