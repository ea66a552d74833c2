import { threadCpuMs } from '@waymark/kernel/process/thread-cpu';

const SAMPLE_EVERY_MS = 5;

export interface Turns<T> {
  result: T;
  /** CPU time of the longest turn, in milliseconds: too long by at most a few sampling intervals. */
  longestTurnMs: number;
  /** CPU time of all turns, in milliseconds. */
  cpuMs: number;
}

/**
 * Runs work until each of its turns is shorter than the limit. Garbage collection and compilation lengthen some turns;
 * several runs tell them from a turn that is always long.
 *
 * @param work called with 0, 1, … as its argument
 * @param limitMs computed from the CPU time of the run, in milliseconds
 * @returns what the run with short turns returned
 * @throws if none of the runs has only short turns
 */
export async function runWithShortTurns<T>(
  work: (run: number) => Promise<T>,
  { runs, limitMs }: { runs: number; limitMs: (cpuMs: number) => number },
): Promise<T> {
  const tooLong: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { result, longestTurnMs, cpuMs } = await measureLongestTurn(() => work(run));
    if (longestTurnMs < limitMs(cpuMs)) return result;
    tooLong.push(`${longestTurnMs.toFixed(1)} ms, allowed are ${limitMs(cpuMs).toFixed(1)}`);
  }
  throw new Error(`The longest turns of all runs are too long: ${tooLong.join('; ')}`);
}

/**
 * Runs work and measures the longest time for which this thread computed without returning to its event loop. The time
 * is CPU time, so other processes of a busy machine do not add to it.
 */
export async function measureLongestTurn<T>(work: () => Promise<T>): Promise<Turns<T>> {
  const startMs = threadCpuMs();
  let longestTurnMs = 0;
  let lastMs = startMs;
  const sample = () => {
    const now = threadCpuMs();
    longestTurnMs = Math.max(longestTurnMs, now - lastMs);
    lastMs = now;
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  try {
    const result = await work();
    sample();
    return { result, longestTurnMs, cpuMs: lastMs - startMs };
  } finally {
    clearInterval(timer);
  }
}

/** Returns the CPU time, in milliseconds, that the work takes in this thread. */
export function measureCpu(work: () => void): number {
  const before = threadCpuMs();
  work();
  return threadCpuMs() - before;
}
