import type { ServiceCaller } from '@waymark/shared/testing/service-caller';
import { rounded } from '../figures.js';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { watchMemory } from '../watch-memory.js';

const MEGABYTE = 1024 * 1024;

/** All scans of a workspace and range as CSV, from the service to a client, and how much memory the service takes for it. */
export async function measureExport({ analytics, caller }: AnalyticsInstallation, workspace: string, range: string) {
  const memoryUsed = watchMemory(analytics);
  const startedAt = performance.now();
  const { rows, bytes } = await download(caller.addressed(`/analytics/export?${range}`, { workspace }));
  const seconds = (performance.now() - startedAt) / 1000;
  const memory = memoryUsed();
  return {
    rows,
    megabytes: rounded(bytes / MEGABYTE),
    rows_per_second: rounded(rows / seconds),
    rss_before_mb: rounded(memory.before),
    rss_peak_mb: rounded(memory.peak),
  };
}

async function download({ url, headers }: ReturnType<ServiceCaller['addressed']>) {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  let [lines, bytes] = [0, 0];
  for await (const chunk of response.body! as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return { rows: lines - 1, bytes };
}
