import type { ManagedProcess } from '@waymark/local/system/managed-process';

const SAMPLE_MS = 100;

/** @returns what ends the watch, and tells in megabytes what the process had before and the most that it had since */
export function watchMemory(process: ManagedProcess): () => { before: number; peak: number } {
  const before = process.residentMegabytes();
  let peak = before;
  const look = () => (peak = Math.max(peak, process.residentMegabytes()));
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    return { before, peak };
  };
}
