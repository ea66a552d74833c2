import { LinkStore } from '@waymark/analytics/links/link-store';
import { loadRows } from '@waymark/analytics/loading/load-rows';
import { openPendingTables } from '@waymark/analytics/loading/pending-tables';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { Warehouse } from '@waymark/analytics/warehouse/warehouse';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { watchCpu } from '../cpu-time.js';
import { median, rounded } from '../figures.js';

/** Two loaders must load as many scans in a second as one, but for what the measurement varies. */
const RATIO_MIN = 0.95;
const SCANS_PER_BATCH = 2500;

interface LoadedBacklog {
  perSecond: number;
  /** Microseconds of processor time for one scan, of the loaders, the database and ClickHouse together. */
  cpuUs: number;
}
export type LoaderComparison = Awaited<ReturnType<typeof compareLoaders>>;

/**
 * Loads the same backlog with one loader and with two, in alternating rounds, while the service is stopped. The loaders
 * run in this process.
 */
export async function compareLoaders(
  installation: AnalyticsInstallation,
  { rounds, scans }: { rounds: number; scans: number },
) {
  const { analytics, env, database, pidsOf } = installation;
  const log = createLog('bench', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(env['MONGODB_URI']!, { log, lifecycle });
  const warehouse = new Warehouse({ CLICKHOUSE_URL: env['CLICKHOUSE_URL']! }, db, { log, lifecycle });
  const pending = openPendingTables(db).scans;
  const ctx = { links: new LinkStore(db), warehouse, log };
  const rows = await database.collection<Scan>('scans').find().limit(scans).toArray();

  async function load(loaderCount: number): Promise<LoadedBacklog> {
    for (let from = 0; from < rows.length; from += SCANS_PER_BATCH) {
      await db.transaction(({ session }) => pending.addRows(rows.slice(from, from + SCANS_PER_BATCH), session));
    }
    const cpuUsed = watchCpu({ ...pidsOf, loaders: () => [process.pid] });
    const startedAt = performance.now();
    const loader = async () => {
      while ((await loadRows(ctx, pending)) > 0);
    };
    await Promise.all(Array.from({ length: loaderCount }, loader));
    const perSecond = (rows.length / (performance.now() - startedAt)) * 1000;
    return { perSecond, cpuUs: Object.values(cpuUsed(rows.length)).reduce((sum, us) => sum + us, 0) };
  }

  analytics.signal('SIGSTOP');
  try {
    await Promise.all([db.start(), warehouse.start()]);
    await load(2);
    const [one, two]: LoadedBacklog[][] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      const turns = [async () => one!.push(await load(1)), async () => two!.push(await load(2))];
      for (const turn of round % 2 === 1 ? turns : turns.toReversed()) await turn();
    }
    return summarize(one!, two!);
  } finally {
    analytics.signal('SIGCONT');
    await lifecycle.stop();
  }
}

function summarize(one: readonly LoadedBacklog[], two: readonly LoadedBacklog[]) {
  const ratio = median(two.map(({ perSecond }, round) => perSecond / one[round]!.perSecond));
  return {
    one: medians(one),
    two: medians(two),
    ratio: rounded(ratio, 2),
    targets: { ratio: RATIO_MIN },
    passed: ratio >= RATIO_MIN,
  };
}

const medians = (rounds: readonly LoadedBacklog[]) => ({
  loaded_per_second: rounded(median(rounds.map(({ perSecond }) => perSecond))),
  cpu_us_per_scan: rounded(median(rounds.map(({ cpuUs }) => cpuUs)), 1),
});
