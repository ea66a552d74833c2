import type { Metrics } from '@waymark/shared/kernel/metrics';
import type { UncountedStore } from './uncounted-store.js';

export function reportLag(metrics: Metrics, uncounted: UncountedStore): void {
  metrics.gauge('rollup_lag_seconds', 'Age of the oldest scan that is stored and not counted', async () => {
    const oldestAt = await uncounted.oldestAt();
    return oldestAt ? Math.max(0, (Date.now() - oldestAt.getTime()) / 1000) : 0;
  });
  metrics.gauge('scans_set_aside', 'Batches of scans that could not be counted and wait for an operator', () =>
    uncounted.setAsideCount(),
  );
}
