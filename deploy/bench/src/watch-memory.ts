import { readFileSync } from 'node:fs';

const SAMPLE_MS = 100;

/** @returns what ends the watch, and tells in megabytes what the process had before and the most that it had since */
export function watchMemory(pid: number): () => { before: number; peak: number } {
  const before = residentMegabytes(pid);
  let peak = before;
  const look = () => (peak = Math.max(peak, residentMegabytes(pid)));
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    return { before, peak };
  };
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}
