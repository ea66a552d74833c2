import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkCopies } from '../links/link-copies.js';
import { MIGRATIONS_AFTER_FILL } from '../ledger/migrations.js';
import { LinkLoader, type LoadLinksContext } from './load-links.js';
import type { FillState } from '../warehouse/fill.js';
import type { TableSource } from './compare-day.js';
import { compareTable, conversionsOf, scansOf, type RebuildContext } from './compare-workspace.js';

const INTERVAL_MS = 1000;
const LEASE_MS = 30_000;
/** Each attempt compares the whole ledger. */
const RETRY_AFTER_MS = 10 * 60 * 1000;

interface FillRuntime {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
}

interface FillReport {
  log: Log;
  skipItem: SkipItem;
}

/**
 * Fills a new warehouse from the ledger, in one process at a time, while loaders load new scans. Tries again later when a
 * workspace could not be filled.
 */
export function startWarehouseFill(
  runtime: FillRuntime,
  ctx: Omit<RebuildContext, 'signal'> & { fill: FillState; copies: LinkCopies },
): void {
  const { lifecycle, log } = runtime;
  const stopping = lifecycle.signal;
  const fillContext = { ...ctx, signal: stopping };
  const lease = new Lease(ctx.db, 'fill the warehouse');
  let isMigrated = false;
  let retryAt = 0;

  async function fillOnce(skipItem: SkipItem): Promise<boolean> {
    if (!runtime.db.isReady || !ctx.warehouse.isReady) return false;
    if (await ctx.fill.isComplete()) {
      isMigrated ||= await ctx.db.migrate('documents after the fill', MIGRATIONS_AFTER_FILL);
      return false;
    }
    if (Date.now() < retryAt) return false;
    await lease.run(LEASE_MS, async () => {
      await ctx.fill.recordStart();
      await fillLinks({ ...ctx, log }, stopping);
      if (await fillWarehouse(fillContext, { log, skipItem })) await ctx.fill.recordEnd();
      else retryAt = Date.now() + RETRY_AFTER_MS;
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
  const loader = new LinkLoader(ctx);
  for (;;) {
    signal.throwIfAborted();
    if ((await loader.loadSome()) === 0) return;
  }
}

/**
 * Loads the whole ledger into a warehouse without it, workspace by workspace; a restart skips loaded days quickly. A
 * workspace that cannot be filled delays no others.
 * @returns whether every workspace is filled
 */
export async function fillWarehouse(ctx: RebuildContext, report: FillReport): Promise<boolean> {
  const areScansFilled = await fillTable(ctx, scansOf(ctx), report);
  return (await fillTable(ctx, conversionsOf(ctx), report)) && areScansFilled;
}

async function fillTable<Document extends { _id: string; workspace: string }>(
  ctx: RebuildContext,
  source: TableSource<Document>,
  { log, skipItem }: FillReport,
): Promise<boolean> {
  const table = source.pending.table.name;
  let isFilled = true;
  const nextWorkspace = (after: string) => source.ledger.nextWorkspaceAfter(after);
  for (let next = await nextWorkspace(''); next !== null; next = await nextWorkspace(next)) {
    const comparison = { workspace: next, repair: true, startedAt: await ctx.db.now() };
    try {
      const { days, stored, missing } = await compareTable(ctx, source, comparison);
      log.info({ table, workspace: next, days, stored, loaded: missing }, 'warehouse filled from the ledger');
    } catch (error) {
      if (ctx.signal?.aborted) throw error;
      skipItem(error, { table, workspace: next }, 'workspace not filled from the ledger');
      isFilled = false;
    }
  }
  return isFilled;
}
