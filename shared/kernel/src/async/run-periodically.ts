import { setTimeout as sleep } from 'node:timers/promises';
import { Signal } from './signal.js';
import { backoffMs } from './backoff.js';
import { isOutage, needsOperator } from '../errors.js';
import type { WorkerContext } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';

/** A round that does work waits at least once for a server: rounds faster than this do nothing. */
const ROUNDS_AT_ONCE = 100;
const ROUND_MIN_MS = 1;
const FAILED_BACKOFF_MIN_MS = 250;
const FAILED_BACKOFF_MAX_MS = 10_000;

/**
 * Logs and counts the failure of one item of a round, which then continues with others. Rethrows an outage, which ends the
 * round.
 */
export type SkipItem = (error: unknown, fields: object, message: string) => void;

export interface PeriodicWork {
  /** Names the worker in the log and in the shutdown. */
  name: string;
  /** The interval between checks for new work while idle. */
  intervalMs: number;
  /** @returns true when there is more to do at once */
  runOnce: (skipItem: SkipItem) => Promise<boolean>;
  /** Failures that need no operator; most outages need none anyway. */
  isExpected?: (error: unknown) => boolean;
}

/**
 * Runs work periodically in the background, also after failures; the shutdown waits for a round in progress. Notifying
 * the signal starts a round at once, but not during the backoff after a failure.
 */
export function runPeriodically({ log, lifecycle }: WorkerContext, work: PeriodicWork): Signal {
  const wakeUp = new Signal();
  const stopping = new AbortController();
  const onFailed = () => lifecycle.reportWorkFailed(work.name);
  const runOnce: PeriodicWork['runOnce'] = (skipItem) => lifecycle.work.run(work.name, () => work.runOnce(skipItem));
  const running = runUntilStopped({ ...work, runOnce }, { log, wakeUp, signal: stopping.signal, onFailed });
  lifecycle.onStop(work.name, () => {
    stopping.abort();
    wakeUp.notify();
    return running;
  });
  return wakeUp;
}

interface Control {
  log: Log;
  wakeUp: Signal;
  signal: AbortSignal;
  onFailed: () => void;
}

async function runUntilStopped(work: PeriodicWork, { log, wakeUp, signal, onFailed }: Control): Promise<void> {
  const { name, intervalMs, isExpected } = work;
  const skipItem: SkipItem = (error, fields, message) => {
    if (isOutage(error)) throw error;
    log.error({ ...fields, err: error, work: name }, message);
    onFailed();
  };
  const runOnce = () => work.runOnce(skipItem);
  let failures = 0;
  while (!signal.aborted) {
    try {
      await runWhileThereIsMore(runOnce, signal, () => (failures = 0));
      await wakeUp.wait(intervalMs);
    } catch (error) {
      const isFailure = (!isOutage(error) || needsOperator(error)) && !isExpected?.(error);
      log[isFailure ? 'error' : 'debug']({ err: error, work: name }, 'background work failed');
      if (isFailure) onFailed();
      await pause(backoffMs(failures, FAILED_BACKOFF_MIN_MS, Math.max(intervalMs, FAILED_BACKOFF_MAX_MS)), signal);
      failures += 1;
    }
  }
}

/** Throttles work that claims to have more without doing any to one round a millisecond. */
async function runWhileThereIsMore(
  runOnce: () => Promise<boolean>,
  signal: AbortSignal,
  succeeded: () => void,
): Promise<void> {
  let startedAt = Date.now();
  for (let round = 1; !signal.aborted && (await runOnce()); round += 1) {
    succeeded();
    if (round % ROUNDS_AT_ONCE > 0) continue;
    await pause(startedAt + ROUNDS_AT_ONCE * ROUND_MIN_MS - Date.now(), signal);
    startedAt = Date.now();
  }
  succeeded();
}

async function pause(pauseMs: number, signal: AbortSignal): Promise<void> {
  if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}
