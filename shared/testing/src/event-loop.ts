const SAMPLE_EVERY_MS = 5;

/**
 * Runs work and measures the longest time for which this thread computed without returning to its event loop.
 *
 * The time is CPU time, so other processes of a busy machine do not add to it.
 *
 * @returns the result, and the CPU time in milliseconds, too long by at most a few sampling intervals
 */
export async function measureLongestTurn<T>(work: () => Promise<T>): Promise<{ result: T; longestTurnMs: number }> {
  let longestTurnMs = 0;
  let lastMs = threadCpuMs();
  const sample = () => {
    const now = threadCpuMs();
    longestTurnMs = Math.max(longestTurnMs, now - lastMs);
    lastMs = now;
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  try {
    const result = await work();
    sample();
    return { result, longestTurnMs };
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

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
