import { threadCpuMs } from './thread-cpu.js';

const SAMPLE_EVERY_MS = 5;

export interface Turns<T> {
  result: T;
  /** CPU time of the longest turn, in milliseconds: too long by at most a few sampling intervals. */
  longestTurnMs: number;
  /** CPU time of all turns, in milliseconds. */
  cpuMs: number;
}

/**
 * Repeats work, at most `runs` times, until all turns of a run are shorter than the limit. Garbage collection and
 * compilation lengthen some turns; several runs tell them from a turn that is always long.
 *
 * @param work called with 0, 1, … as its argument
 * @param limitMs returns the limit for a run by its CPU time, both in milliseconds
 * @returns the result of the run with short turns
 * @throws if each run has a turn that is too long
 */
export async function runWithShortTurns<T>(
  work: (run: number) => Promise<T>,
  { runs, limitMs }: { runs: number; limitMs: (cpuMs: number) => number },
): Promise<T> {
  const tooLong: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const { result, longestTurnMs, cpuMs } = await measureLongestTurn(() => work(run));
    const limit = limitMs(cpuMs);
    if (longestTurnMs < limit) return result;
    tooLong.push(`${longestTurnMs.toFixed(1)} ms (limit ${limit.toFixed(1)} ms)`);
  }
  throw new Error(`Each run had a turn that was too long: ${tooLong.join(', ')}`);
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
