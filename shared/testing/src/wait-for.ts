import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a machine many times slower than ours: the condition should end a wait, not the deadline. */
const PATIENCE_MS = 120_000;

/** Longer waits poll less often, so that they take no processor time from the code they wait for. */
const PAUSE_MIN_MS = 25;
const PAUSE_MAX_MS = 250;
const PAUSE_SHARE = 1 / 8;

/** Polls until `check` returns something truthy; fails with what it last saw after the deadline. */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const start = Date.now();
  let last: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    const waitedMs = Date.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}; last: ${String(last)}`);
    await sleep(Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, waitedMs * PAUSE_SHARE)));
  }
}
