import type { ManagedProcess } from '@waymark/local/system/managed-process';
import { rounded } from '../figures.js';
import type { AnalyticsClient } from './analytics-client.js';

const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 100;

/** All scans of a range as CSV, from the service to a client, and how much memory the service takes for it. */
export async function measureExport(analytics: ManagedProcess, client: AnalyticsClient, range: string) {
  const memoryUsed = watchMemory(analytics);
  const startedAt = performance.now();
  const { rows, bytes } = await download(client, range);
  const seconds = (performance.now() - startedAt) / 1000;
  const memory = memoryUsed();
  return {
    rows,
    megabytes: rounded(bytes / MEGABYTE),
    rows_per_second: rounded(rows / seconds),
    rss_before_mb: memory.before,
    rss_peak_mb: memory.peak,
  };
}

async function download(client: AnalyticsClient, range: string): Promise<{ rows: number; bytes: number }> {
  const response = await client.get(`/export?${range}`);
  let [lines, bytes] = [0, 0];
  for await (const chunk of response.body! as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return { rows: lines - 1, bytes };
}

/** @returns what tells the memory that the process had before, and the most it had since */
function watchMemory(process: ManagedProcess) {
  const before = process.residentMegabytes();
  let peak = before;
  const look = () => (peak = Math.max(peak, process.residentMegabytes()));
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    return { before: rounded(before), peak: rounded(peak) };
  };
}
