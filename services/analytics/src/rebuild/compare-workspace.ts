import type { Log } from '@waymark/shared/kernel/log';
import { dateOf } from '../time/local-days.js';
import { compareDay, type DayReport, type RebuildContext } from './compare-day.js';

export interface WorkspaceReport extends DayReport {
  workspace: string;
  days: number;
  /** UTC days on which something differs. */
  days_different: string[];
  repaired: boolean;
}

/** Compares every day of a workspace that the ledger has, while loaders run; see `compareDay`. */
export async function compareWorkspace(
  ctx: RebuildContext,
  workspace: string,
  repair: boolean,
): Promise<WorkspaceReport> {
  const report: WorkspaceReport = {
    workspace,
    days: 0,
    scans: 0,
    missing: 0,
    surplus: 0,
    days_different: [],
    repaired: false,
  };
  const startedAt = await ctx.db.now();
  for (
    let next = await ctx.scans.nextDay(workspace, 0);
    next !== null;
    next = await ctx.scans.nextDay(workspace, next + 1)
  ) {
    const day = dateOf(next);
    const { scans, missing, surplus } = await compareDay(ctx, { workspace, day, repair, startedAt });
    report.days += 1;
    report.scans += scans;
    report.missing += missing;
    report.surplus += surplus;
    if (missing + surplus === 0) continue;
    report.days_different.push(day);
    report.repaired = repair;
  }
  return report;
}

/** Loads the whole ledger into a warehouse that lacks it, workspace by workspace; after an interruption it starts over, quickly. */
export async function fillWarehouse(ctx: RebuildContext, log: Log): Promise<void> {
  for (
    let workspace = await ctx.scans.nextWorkspace('');
    workspace !== null;
    workspace = await ctx.scans.nextWorkspace(workspace)
  ) {
    const { days, scans, missing } = await compareWorkspace(ctx, workspace, true);
    log.info({ workspace, days, scans, loaded: missing }, 'warehouse filled from the ledger');
  }
}
