import type { ConversionStore } from '../conversions/conversion-store.js';
import type { PendingTables } from './pending-tables.js';
import type { ScanStore } from '../ledger/scan-store.js';
import type { RetentionStore } from '../retention/retention-store.js';
import { dateOfDay, dayNumber } from '../time/local-days.js';
import { DAY_MS } from '../time/utc-day.js';
import { nextDaySql } from '../warehouse/query/table-day.js';
import { compareDay, firstTimeOf, type CompareContext, type DayReport, type TableSource } from './compare-day.js';

export interface RebuildContext extends CompareContext {
  scans: ScanStore;
  conversions: ConversionStore;
  pending: PendingTables;
  retention: RetentionStore;
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

/** Compares every day of a workspace since the start of its ledger, while loaders run; see `compareDay`. */
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

export async function compareTable<Document extends { _id: string; workspace: string }>(
  ctx: CompareContext,
  source: TableSource<Document>,
  comparison: Comparison,
): Promise<TableReport> {
  const report: TableReport = { days: 0, stored: 0, missing: 0, surplus: 0, days_different: [] };
  const nextDay = (from: number) => nextDayOf(ctx, source, { workspace: comparison.workspace, from });
  const firstDay = Math.floor((await firstTimeOf(source, comparison.workspace)) / DAY_MS);
  for (let next = await nextDay(firstDay); next !== null; next = await nextDay(next + 1)) {
    const day = dateOfDay(next);
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
  { ledger, pending }: TableSource<Document>,
  { workspace, from }: { workspace: string; from: number },
): Promise<number | null> {
  const tableDay = { table: pending.table.name, workspace, day: dateOfDay(from) };
  const [stored, [loaded]] = await Promise.all([
    ledger.nextDayWithDocuments(workspace, from),
    reader.runQuery<{ day: string }>(tableDay, nextDaySql(tableDay)),
  ]);
  if (!loaded) return stored;
  return Math.min(stored ?? Infinity, dayNumber(loaded.day));
}

export const scansOf = ({ scans, pending, retention }: RebuildContext) => ({
  ledger: scans.ledger,
  pending: pending.scans,
  keptFrom: (workspace: string) => retention.ledgerFrom(workspace),
});
export const conversionsOf = ({ conversions, pending }: RebuildContext) => ({
  ledger: conversions.ledger,
  pending: pending.conversions,
});
