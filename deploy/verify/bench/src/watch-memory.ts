import { existsSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 100;

/** @returns a function that ends the watch, and returns the memory before and the peak since, in megabytes */
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
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) throw new Error(`process ${pid}, whose memory is measured, has ended`);
  const status = readFileSync(file, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}
