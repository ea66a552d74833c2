import { keepWorking } from '@waymark/shared/kernel/keep-working';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';
import type { Database } from '@waymark/shared/kernel/database';
import { loadScans, type LoadContext } from './load-scans.js';

/** Scans are in the warehouse this much later; the longer, the fewer and larger the inserts. */
const EVERY_MS = 1000;
/** Of one process. One reads from the database while the other waits for the warehouse. */
const LOADERS = 2;

interface LoadParts {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
  metrics: Metrics;
}

/** Loads what is pending, as long as the process runs. Any number of processes may do so. */
export function keepLoading(parts: LoadParts, ctx: LoadContext): void {
  const { db, metrics } = parts;
  const loaded = metrics.counter('scans_loaded_total', 'Scans loaded into the warehouse');
  metrics.gauge(
    'pending_scans_lag_seconds',
    'Age of the oldest scan that is stored and not in the warehouse',
    async () => {
      const oldestAt = await ctx.pending.oldestStoredAt();
      return oldestAt ? Math.max(0, (Date.now() - oldestAt.getTime()) / 1000) : 0;
    },
  );
  metrics.gauge(
    'pending_scans_set_aside',
    'Batches of scans that the warehouse refuses and that wait for an operator',
    () => ctx.pending.setAsideCount(),
  );
  for (let index = 1; index <= LOADERS; index += 1) {
    const doSome = async (): Promise<boolean> => {
      if (!db.isReady || !ctx.warehouse.isReady) return false;
      const rows = await loadScans(ctx);
      loaded.inc(rows);
      return rows > 0;
    };
    keepWorking(parts, { name: `loader ${index}`, everyMs: EVERY_MS, doSome });
  }
}
