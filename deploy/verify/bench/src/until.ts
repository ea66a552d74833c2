import { setTimeout as sleep } from 'node:timers/promises';

const STEP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** Waits for a step of a bench; a check that throws is not yet met. */
export async function waitUntil(
  what: string,
  check: () => Promise<boolean>,
  { timeoutMs = STEP_TIMEOUT_MS, pollMs = POLL_MS } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await check().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(pollMs);
  }
}
