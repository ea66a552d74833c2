import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a machine many times slower than ours: the condition should end a wait, not the deadline. */
const PATIENCE_MS = 120_000;

/** Polls until `check` returns something truthy; fails with what it last saw after the deadline. */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}; last: ${String(last)}`);
    await sleep(25);
  }
}
