import { readFileSync } from 'node:fs';

const SAMPLE_MS = 250;

/**
 * Watches the memory of processes, of which one that has ended counts nothing.
 * @returns a function that ends the watch, and returns the memory before and the peak since, in megabytes
 */
export function watchMemory(pids: () => number[]): () => { before: number; peak: number } {
  const used = () => pids().reduce((sum, pid) => sum + residentMegabytes(pid), 0);
  const before = used();
  let peak = before;
  const look = () => (peak = Math.max(peak, used()));
  const timer = setInterval(look, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    look();
    return { before, peak };
  };
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
