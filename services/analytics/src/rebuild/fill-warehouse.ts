import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { LinkCopies } from '../links/link-copies.js';
import { MIGRATIONS_AFTER_FILL } from '../ledger/migrations.js';
import type { UnfilledWorkspaces } from '../ledger/unfilled-workspaces.js';
import { LinkLoader, type LoadLinksContext } from '../loading/load-links.js';
import type { FillState } from '../warehouse/fill.js';
import type { TableSource } from './compare-day.js';
import { compareTable, compareWorkspace, conversionsOf, scansOf, type RebuildContext } from './compare-workspace.js';

const INTERVAL_MS = 1000;
const LEASE_MS = 30_000;

interface FillRuntime {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
  metrics: Metrics;
}

export interface FillContext extends RebuildContext {
  unfilled: UnfilledWorkspaces;
}

interface FillReport {
  log: Log;
  skipItem: SkipItem;
}

/**
 * Fills a new warehouse from the ledger, in one process at a time, while loaders load new scans. Tries workspaces that
 * could not be filled again afterwards.
 */
export function startWarehouseFill(
  runtime: FillRuntime,
  ctx: Omit<FillContext, 'signal'> & { fill: FillState; copies: LinkCopies },
): void {
  const { lifecycle, log, metrics } = runtime;
  const stopping = lifecycle.signal;
  const fillContext = { ...ctx, signal: stopping };
  const lease = new Lease(ctx.db, 'fill the warehouse');
  let isMigrated = false;
  metrics.gauge('unfilled_workspaces', 'Workspaces whose history could not be loaded into the warehouse', () =>
    ctx.unfilled.countAll(),
  );

  async function fillOnce(skipItem: SkipItem): Promise<boolean> {
    if (!runtime.db.isReady || !ctx.warehouse.isReady) return false;
    if (await ctx.fill.isComplete()) {
      isMigrated ||= await ctx.db.migrate('documents after the fill', MIGRATIONS_AFTER_FILL);
      return retryOne(skipItem);
    }
    await lease.run(LEASE_MS, async () => {
      await ctx.fill.recordStart();
      await fillLinks({ ...ctx, log }, stopping);
      await fillWarehouse(fillContext, { log, skipItem });
      await ctx.fill.recordEnd();
    });
    return false;
  }

  /** Reads before it acquires the lease: most rounds find no workspace. */
  async function retryOne(skipItem: SkipItem): Promise<boolean> {
    const workspace = await ctx.unfilled.findDue();
    return workspace !== null && lease.run(LEASE_MS, () => fillWorkspace(fillContext, workspace, { log, skipItem }));
  }

  const isExpected = (): boolean => stopping.aborted;
  runPeriodically(runtime, { name: 'filling the warehouse', intervalMs: INTERVAL_MS, runOnce: fillOnce, isExpected });
}

/** Loads every link; a retry loads the rest. Checks the signal between batches. */
export async function fillLinks(ctx: LoadLinksContext & { fill: FillState }, signal: AbortSignal): Promise<void> {
  if (!(await ctx.fill.hasMarkedLinks())) {
    await ctx.copies.markAllForLoading();
    await ctx.fill.recordLinksMarked();
  }
  const loader = new LinkLoader(ctx);
  for (;;) {
    signal.throwIfAborted();
    if ((await loader.loadSome()) === 0) return;
  }
}

/**
 * Loads the whole ledger into a warehouse without it, workspace by workspace; a restart skips loaded days quickly. Sets a
 * workspace aside that cannot be filled.
 */
export async function fillWarehouse(ctx: FillContext, report: FillReport): Promise<void> {
  await fillTable(ctx, scansOf(ctx), report);
  await fillTable(ctx, conversionsOf(ctx), report);
}

async function fillTable<Document extends { _id: string; workspace: string }>(
  ctx: FillContext,
  source: TableSource<Document>,
  report: FillReport,
): Promise<void> {
  const table = source.pending.table.name;
  const nextWorkspace = (after: string) => source.ledger.nextWorkspaceAfter(after);
  for (let next = await nextWorkspace(''); next !== null; next = await nextWorkspace(next)) {
    const comparison = { workspace: next, repair: true, startedAt: await ctx.db.now() };
    try {
      const { days, stored, missing } = await compareTable(ctx, source, comparison);
      report.log.info({ table, workspace: next, days, stored, loaded: missing }, 'warehouse filled from the ledger');
    } catch (error) {
      await setAside(ctx, { workspace: next, error }, report);
    }
  }
}

/** Fills a workspace that was set aside, or sets it aside for longer. */
export async function fillWorkspace(ctx: FillContext, workspace: string, report: FillReport): Promise<void> {
  try {
    await compareWorkspace(ctx, workspace, true);
    await ctx.unfilled.remove(workspace);
    report.log.info({ workspace }, 'workspace filled from the ledger');
  } catch (error) {
    await setAside(ctx, { workspace, error }, report);
  }
}

/** Rethrows an outage, which is no fault of the workspace. */
async function setAside(
  { unfilled, signal }: FillContext,
  { workspace, error }: { workspace: string; error: unknown },
  { skipItem }: FillReport,
): Promise<void> {
  if (signal?.aborted) throw error;
  skipItem(error, { workspace }, 'workspace not filled from the ledger');
  await unfilled.recordFailure(workspace, error);
}
