import { Bell } from './bell.js';
import { isOutage } from './errors.js';
import type { Lifecycle } from './lifecycle.js';
import type { Log } from './log.js';

export interface WorkParts {
  log: Log;
  lifecycle: Lifecycle;
}

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

/**
 * Does work in the background, again and again, also after failures; the stop waits for what is under way. Ringing the
 * bell has it look at once.
 */
export function keepWorking({ log, lifecycle }: WorkParts, work: Work): Bell {
  const bell = new Bell();
  const stopping = new AbortController();
  const running = workUntilStopped(log, work, bell, stopping.signal);
  lifecycle.onStop(work.name, () => {
    stopping.abort();
    bell.ring();
    return running;
  });
  return bell;
}

async function workUntilStopped(
  log: Log,
  { name, everyMs, doSome, isExpected }: Work,
  bell: Bell,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await doSome())) continue;
    } catch (error) {
      log[isOutage(error) || isExpected?.(error) ? 'debug' : 'error']({ err: error, work: name }, 'work broke off');
    }
    await bell.wait(everyMs);
  }
}
