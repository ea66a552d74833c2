import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from './errors.js';
import type { Lifecycle } from './lifecycle.js';
import type { Log } from './log.js';

export interface Work {
  /** As the log and the stop name it. */
  name: string;
  /** Looked for so often when nothing was left to do. */
  everyMs: number;
  /** @returns true when there is more to do at once */
  doSome: () => Promise<boolean>;
  /** Failures that nobody needs to look at; outages are such anyway. */
  isExpected?: (error: unknown) => boolean;
}

/** Does work in the background, again and again, also after failures; the stop waits for what is under way. */
export function keepWorking({ log, lifecycle }: { log: Log; lifecycle: Lifecycle }, work: Work): void {
  const stopping = new AbortController();
  const running = workUntilStopped(log, work, stopping.signal);
  lifecycle.onStop(work.name, () => {
    stopping.abort();
    return running;
  });
}

async function workUntilStopped(
  log: Log,
  { name, everyMs, doSome, isExpected }: Work,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await doSome())) continue;
    } catch (error) {
      log[isOutage(error) || isExpected?.(error) ? 'debug' : 'error']({ err: error, work: name }, 'work broke off');
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
