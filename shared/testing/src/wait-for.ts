import { setTimeout as sleep } from 'node:timers/promises';

/** The condition should end a wait, not the deadline. */
const PATIENCE_MS = 120_000;

/** Longer waits poll less often, so that they take no processor time from the code they wait for. */
const PAUSE_MIN_MS = 25;
const PAUSE_MAX_MS = 250;
const PAUSE_SHARE = 1 / 8;

/** How long to wait, and how long to pause between two checks: a benchmark measures the end of its wait. */
interface Pace {
  timeoutMs: number;
  pauseMs: number;
}

/**
 * Polls until `check` returns something truthy; fails with what it last saw when its pauses add up to the timeout. Only
 * the pauses count: on a busy machine the checks take longer, and the wait with them.
 */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  patience: number | Pace = PATIENCE_MS,
): Promise<T> {
  const { timeoutMs, pauseMs }: Partial<Pace> & { timeoutMs: number } =
    typeof patience === 'number' ? { timeoutMs: patience } : patience;
  let pausedMs = 0;
  let last: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (pausedMs >= timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}; last: ${String(last)}`);
    const nextPauseMs = pauseMs ?? Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pausedMs * PAUSE_SHARE));
    await sleep(nextPauseMs);
    pausedMs += nextPauseMs;
  }
}

/** Polls until a count has reached `wanted`; each increase starts the patience again, so that no amount of work takes too long. */
export async function waitForCount(what: string, wanted: number, count: () => Promise<number> | number): Promise<void> {
  let reached = -1;
  while (reached < wanted) {
    const before = reached;
    const grown = async () => {
      reached = await count();
      return reached > before;
    };
    await waitFor(`${what}: ${wanted}, not ${before}`, grown);
  }
}
