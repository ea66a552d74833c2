import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Database } from '@waymark/kernel/mongo/database';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { LinkCopies } from '../links/link-copies.js';
import { LinkLoader, type LoadLinksContext } from './load-links.js';
import type { PendingTables } from './pending-tables.js';
import { loadRows, type LoadContext } from './load-rows.js';

/** Delays rows by up to this time; a longer interval gives fewer and larger inserts. */
const INTERVAL_MS = 1000;
const LEASE_MS = 30_000;
/** Loaders per process: one reads from the database while the other waits for the warehouse. */
const LOADER_COUNTS = { scans: 2, conversions: 1 } as const;

interface LoaderRuntime {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
  metrics: Metrics;
}

/** Loads pending rows of every table periodically. Any number of processes may run it. */
export function startLoaders(
  runtime: LoaderRuntime,
  ctx: LoadContext & { pending: PendingTables; copies: LinkCopies },
): void {
  const { metrics } = runtime;
  const { scans, conversions } = ctx.pending;
  registerScanMetrics(metrics, scans);
  registerConversionMetrics(metrics, conversions);
  startTableLoaders(runtime, ctx, {
    pending: scans,
    loaded: metrics.counter('scans_loaded_total', 'Scans loaded into the warehouse'),
  });
  startTableLoaders(runtime, ctx, {
    pending: conversions,
    loaded: metrics.counter('conversions_loaded_total', 'Conversions loaded into the warehouse'),
  });
  startLinkLoader(runtime, ctx);
}

function registerScanMetrics(metrics: Metrics, scans: PendingRowsStore<never>): void {
  metrics.gauge('pending_scans_lag_seconds', 'Age of the oldest scan that is stored and not in the warehouse', () =>
    lagSeconds(scans),
  );
  metrics.gauge('pending_scans_set_aside', 'Batches with scans that the warehouse refuses', () =>
    scans.countSetAside(),
  );
}

function registerConversionMetrics(metrics: Metrics, conversions: PendingRowsStore<never>): void {
  metrics.gauge('pending_conversions_lag_seconds', 'Age of the oldest conversion that is not in the warehouse', () =>
    lagSeconds(conversions),
  );
  metrics.gauge('pending_conversions_set_aside', 'Batches with conversions that the warehouse refuses', () =>
    conversions.countSetAside(),
  );
}

async function lagSeconds(pending: PendingRowsStore<never>): Promise<number> {
  const oldestAt = await pending.oldestStoredAt();
  return oldestAt ? Math.max(0, (Date.now() - oldestAt.getTime()) / 1000) : 0;
}

function startTableLoaders(
  runtime: LoaderRuntime,
  ctx: LoadContext,
  { pending, loaded }: { pending: PendingRowsStore<never>; loaded: { inc: (rows: number) => void } },
): void {
  const { name } = pending.table;
  for (let index = 1; index <= LOADER_COUNTS[name]; index += 1) {
    const runOnce = async (): Promise<boolean> => {
      if (!runtime.db.isReady || !ctx.warehouse.isReady) return false;
      const rows = await loadRows(ctx, pending);
      loaded.inc(rows);
      return rows > 0;
    };
    runPeriodically(runtime, { name: `loader ${index} of ${name}`, intervalMs: INTERVAL_MS, runOnce });
  }
}

/** In one process at a time: links change seldom, and each insert creates a part on the server's disk. */
function startLinkLoader(runtime: LoaderRuntime, ctx: LoadLinksContext): void {
  runtime.metrics.gauge('links_set_aside', 'Links that the warehouse refuses', () => ctx.copies.countSetAside());
  const lease = new Lease(runtime.db, 'load links');
  const loader = new LinkLoader(ctx);
  const runOnce = async (): Promise<boolean> => {
    if (!runtime.db.isReady || !ctx.warehouse.isReady || !(await lease.acquire(LEASE_MS))) return false;
    return (await loader.loadSome()) > 0;
  };
  runPeriodically(runtime, { name: 'loader of links', intervalMs: INTERVAL_MS, runOnce });
}
