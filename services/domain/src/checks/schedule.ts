import type { DomainConfig } from '../config.js';
import type { Domain } from '../domains/domain.js';

/** The documented intervals and deadlines of checks, in milliseconds. */
export interface Schedule {
  firstPausesMs: readonly number[];
  pauseMs: number;
  longPauseMs: number;
  verifyWithinMs: number;
  lostAfterMs: number;
  lostAfterMisses: number;
  giveUpAfterMs: number;
}

export function scheduleOf(config: DomainConfig): Schedule {
  return {
    firstPausesMs: config.FIRST_PAUSES_SECONDS.map((seconds) => seconds * 1000),
    pauseMs: config.PAUSE_SECONDS * 1000,
    longPauseMs: config.LONG_PAUSE_SECONDS * 1000,
    verifyWithinMs: config.VERIFY_WITHIN_SECONDS * 1000,
    lostAfterMs: config.LOST_AFTER_SECONDS * 1000,
    lostAfterMisses: config.LOST_AFTER_MISSES,
    giveUpAfterMs: config.GIVE_UP_AFTER_SECONDS * 1000,
  };
}

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
