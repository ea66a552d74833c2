import type { Database } from '@waymark/kernel/mongo/database';
import { isOutage } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkCopies } from '../links/link-copies.js';
import { MIGRATIONS_AFTER_FILL } from '../ledger/migrations.js';
import { loadLinks, type LoadLinksContext } from '../loading/load-links.js';
import type { FillState } from '../warehouse/fill.js';
import type { CompareContext, TableSource } from './compare-day.js';
import { compareTable, conversionsOf, scansOf, type RebuildContext } from './compare-workspace.js';

const INTERVAL_MS = 1000;
const LEASE_MS = 30_000;

interface FillRuntime {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
}

/** Fills a new warehouse from the ledger, in one process at a time, while loaders load new scans. */
export function startWarehouseFill(
  runtime: FillRuntime,
  ctx: Omit<RebuildContext, 'signal'> & { fill: FillState; copies: LinkCopies },
): void {
  const lease = new Lease(ctx.db, 'fill the warehouse');
  const stopping = runtime.lifecycle.signal;
  let isMigrated = false;

  async function fillOnce(): Promise<boolean> {
    if (!runtime.db.isReady || !ctx.warehouse.isReady) return false;
    if (await ctx.fill.isComplete()) {
      isMigrated ||= await ctx.db.migrate('documents after the fill', MIGRATIONS_AFTER_FILL);
      return false;
    }
    await lease.run(LEASE_MS, async () => {
      await ctx.fill.recordStart();
      await fillLinks({ ...ctx, log: runtime.log }, stopping);
      await fillWarehouse({ ...ctx, signal: stopping }, runtime.log);
      await ctx.fill.recordEnd();
    });
    return false;
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
  for (;;) {
    signal.throwIfAborted();
    if ((await loadLinks(ctx)) === 0) return;
  }
}

/**
 * Loads the whole ledger into a warehouse without it, workspace by workspace; a restart skips loaded days quickly.
 * @throws after all others when a workspace cannot be filled: the warehouse is incomplete without it
 */
export async function fillWarehouse(ctx: RebuildContext, log: Log): Promise<void> {
  const failed = [...(await fillTable(ctx, scansOf(ctx), log)), ...(await fillTable(ctx, conversionsOf(ctx), log))];
  if (failed.length > 0) throw new Error(`Workspaces not filled from the ledger: ${[...new Set(failed)].join(', ')}.`);
}

/** @returns the workspaces that cannot be filled */
async function fillTable<Document extends { _id: string; workspace: string }>(
  ctx: CompareContext,
  source: TableSource<Document>,
  log: Log,
): Promise<string[]> {
  const table = source.pending.table.name;
  const failed: string[] = [];
  const nextWorkspace = (after: string) => source.ledger.nextWorkspaceAfter(after);
  for (let next = await nextWorkspace(''); next !== null; next = await nextWorkspace(next)) {
    const comparison = { workspace: next, repair: true, startedAt: await ctx.db.now() };
    try {
      const { days, stored, missing } = await compareTable(ctx, source, comparison);
      log.info({ table, workspace: next, days, stored, loaded: missing }, 'warehouse filled from the ledger');
    } catch (error) {
      if (isOutage(error) || ctx.signal?.aborted) throw error;
      log.error({ err: error, table, workspace: next }, 'workspace not filled from the ledger');
      failed.push(next);
    }
  }
  return failed;
}
