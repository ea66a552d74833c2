import { LOOP_TIMER_MS } from '@waymark/kernel/process/metrics';
import type { ServiceCaller } from '@waymark/testing/service-caller';
import { cpuSeconds } from '../cpu-time.js';
import { rounded } from '../figures.js';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { watchMemory } from '../watch-memory.js';

const MEGABYTE = 1024 * 1024;
const LONGEST_DELAY = 'nodejs_eventloop_lag_max_seconds';

/** All scans of a workspace and range as CSV, from the service to a client, and how much memory the service takes for it. */
export async function measureExport({ analytics, caller }: AnalyticsInstallation, workspace: string, range: string) {
  const memoryUsed = watchMemory(() => [analytics.pid]);
  // The longest delay is that since it was last read.
  await analytics.metric(LONGEST_DELAY);
  const cpuBefore = cpuSeconds(analytics.pid);
  const startedAt = performance.now();
  const { rows, bytes } = await download(caller.addressed(`/analytics/export?${range}`, { workspace }));
  const seconds = (performance.now() - startedAt) / 1000;
  const memory = memoryUsed();
  const [cpu, delay] = [cpuSeconds(analytics.pid) - cpuBefore, await analytics.metric(LONGEST_DELAY)];
  return {
    rows,
    megabytes: rounded(bytes / MEGABYTE),
    rows_per_second: rounded(rows / seconds),
    cpu_us_per_row: rounded((cpu * 1e6) / rows, 1),
    event_loop_delay_max_ms: rounded(delay * 1000 - LOOP_TIMER_MS),
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
    for (let offset = chunk.indexOf(10); offset >= 0; offset = chunk.indexOf(10, offset + 1)) lines += 1;
  }
  return { rows: lines - 1, bytes };
}
