import type { Domain } from '../domains/domain.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The intervals and deadlines of checks, in milliseconds. */
export interface Schedule {
  firstPausesMs: readonly number[];
  pauseMs: number;
  longPauseMs: number;
  verifyWithinMs: number;
  lostAfterMs: number;
  lostAfterMisses: number;
  giveUpAfterMs: number;
}

/** As documented. */
export const SCHEDULE: Schedule = {
  firstPausesMs: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
  pauseMs: HOUR,
  longPauseMs: DAY,
  verifyWithinMs: 3 * DAY,
  lostAfterMs: 3 * DAY,
  lostAfterMisses: 3,
  giveUpAfterMs: 30 * DAY,
};

/**
 * Returns the time of the next check:
 *
 *   verifying  after 1, 5, 15 and 60 minutes, then every hour; fails after 3 days
 *   verified   every day
 *   degraded   every hour, to detect a restored record soon; after 3 days every day
 *   failed     every day for 30 days
 */
export function nextCheckAfter(domain: Domain, now: Date, schedule: Schedule): Date | undefined {
  const ageMs = now.getTime() - domain.statusSince.getTime();
  const after = (pauseMs: number) => new Date(now.getTime() + pauseMs);
  switch (domain.status) {
    case 'pending':
    case 'verifying':
      return after(schedule.firstPausesMs[domain.checks - 1] ?? schedule.pauseMs);
    case 'degraded':
      return after(ageMs <= schedule.lostAfterMs ? schedule.pauseMs : schedule.longPauseMs);
    case 'verified':
      return after(schedule.longPauseMs);
    case 'failed':
      return ageMs + schedule.longPauseMs <= schedule.giveUpAfterMs ? after(schedule.longPauseMs) : undefined;
  }
}
