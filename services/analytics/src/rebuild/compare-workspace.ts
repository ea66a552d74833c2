import type { Log } from '@waymark/kernel/process/log';
import type { ConversionStore } from '../conversions/store.js';
import type { Pending } from '../ledger/pending-rows.js';
import type { ScanStore } from '../scans/store.js';
import { dateOf, dayNumber } from '../time/local-days.js';
import { nextDaySql } from '../warehouse/query/table-day.js';
import { compareDay, type CompareContext, type DayReport, type Source } from './compare-day.js';

export interface RebuildContext extends CompareContext {
  scans: ScanStore;
  conversions: ConversionStore;
  pending: Pending;
}

export interface TableReport extends DayReport {
  days: number;
  /** UTC days with a difference. */
  days_different: string[];
}

export interface WorkspaceReport {
  workspace: string;
  repaired: boolean;
  scans: TableReport;
  conversions: TableReport;
}

/** Compares every day of a workspace in the ledger or the warehouse, while loaders run; see `compareDay`. */
export async function compareWorkspace(
  ctx: RebuildContext,
  workspace: string,
  repair: boolean,
): Promise<WorkspaceReport> {
  const comparison = { workspace, repair, startedAt: await ctx.db.now() };
  const scans = await compareTable(ctx, scansOf(ctx), comparison);
  const conversions = await compareTable(ctx, conversionsOf(ctx), comparison);
  const isDifferent = scans.days_different.length + conversions.days_different.length > 0;
  return { workspace, repaired: repair && isDifferent, scans, conversions };
}

interface Comparison {
  workspace: string;
  repair: boolean;
  startedAt: Date;
}

async function compareTable<Document extends { _id: string; workspace: string }>(
  ctx: CompareContext,
  source: Source<Document>,
  comparison: Comparison,
): Promise<TableReport> {
  const report: TableReport = { days: 0, stored: 0, missing: 0, surplus: 0, days_different: [] };
  const nextDay = (from: number) => nextDayOf(ctx, source, { workspace: comparison.workspace, from });
  for (let next = await nextDay(0); next !== null; next = await nextDay(next + 1)) {
    const day = dateOf(next);
    const { stored, missing, surplus } = await compareDay(ctx, source, { ...comparison, day });
    report.days += 1;
    report.stored += stored;
    report.missing += missing;
    report.surplus += surplus;
    if (missing + surplus > 0) report.days_different.push(day);
  }
  return report;
}

/** Returns the first UTC day, starting at `from`, in the ledger or the warehouse. */
async function nextDayOf<Document extends { _id: string; workspace: string }>(
  { reader }: CompareContext,
  { ledger, pending }: Source<Document>,
  { workspace, from }: { workspace: string; from: number },
): Promise<number | null> {
  const at = { table: pending.table.name, workspace, day: dateOf(from) };
  const [stored, [loaded]] = await Promise.all([
    ledger.nextDay(workspace, from),
    reader.run<{ day: string }>(at, nextDaySql(at)),
  ]);
  if (!loaded) return stored;
  return Math.min(stored ?? Infinity, dayNumber(loaded.day));
}

/** Loads the whole ledger into a warehouse without it, workspace by workspace; a restart skips loaded days quickly. */
export async function fillWarehouse(ctx: RebuildContext, log: Log): Promise<void> {
  await fillTable(ctx, scansOf(ctx), log);
  await fillTable(ctx, conversionsOf(ctx), log);
}

async function fillTable<Document extends { _id: string; workspace: string }>(
  ctx: CompareContext,
  source: Source<Document>,
  log: Log,
): Promise<void> {
  const table = source.pending.table.name;
  const nextWorkspace = (after: string) => source.ledger.nextWorkspace(after);
  for (let next = await nextWorkspace(''); next !== null; next = await nextWorkspace(next)) {
    const comparison = { workspace: next, repair: true, startedAt: await ctx.db.now() };
    const { days, stored, missing } = await compareTable(ctx, source, comparison);
    log.info({ table, workspace: next, days, stored, loaded: missing }, 'warehouse filled from the ledger');
  }
}

const scansOf = ({ scans, pending }: RebuildContext) => ({ ledger: scans.ledger, pending: pending.scans });
const conversionsOf = ({ conversions, pending }: RebuildContext) => ({
  ledger: conversions.ledger,
  pending: pending.conversions,
});
