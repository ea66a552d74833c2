const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * 3600 * 1000;

interface FailedAttempt {
  attemptNumber: number;
  failedAt: Date;
  /** The pause that the receiver requested. */
  retryAfterMs: number | null;
}

/**
 * Returns when the attempt after this one is due, or null after the last one. `pauses` are the seconds between
 * attempts, each varied by up to a fifth; a receiver can request a longer one, up to a day.
 */
export function nextDueAt(
  pauses: readonly number[],
  { attemptNumber, failedAt, retryAfterMs }: FailedAttempt,
): Date | null {
  const pause = pauses[attemptNumber - 1];
  if (pause === undefined) return null;
  const plannedMs = pause * 1000 * (1 + JITTER * (2 * Math.random() - 1));
  const requestedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  return new Date(failedAt.getTime() + Math.max(plannedMs, requestedMs));
}
