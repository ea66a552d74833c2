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
 * Runs work and measures the longest time for which this thread computed without returning to its event loop.
 *
 * The time is CPU time, so other processes of a busy machine do not add to it. Garbage collection and compilation do:
 * several runs tell them from a turn that is always long.
 *
 * @param runs how often the work runs, with 0, 1, … as its argument
 * @returns the run whose longest turn was the shortest
 */
export async function measureLongestTurn<T>(work: (run: number) => Promise<T>, runs = 1): Promise<Turns<T>> {
  let best: Turns<T> | null = null;
  for (let run = 0; run < runs; run += 1) {
    const turns = await measureRun(() => work(run));
    if (best === null || turns.longestTurnMs < best.longestTurnMs) best = turns;
  }
  return best!;
}

async function measureRun<T>(work: () => Promise<T>): Promise<Turns<T>> {
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
