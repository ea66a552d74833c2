import type { Database } from '@waymark/shared/kernel/database';
import type { RollupStores } from '../rollups/stores.js';
import { dateOf } from '../time/local-days.js';
import type { Difference } from './differences.js';
import { recountDay } from './recount-day.js';

const DIFFERENCES_TOLD_MAX = 100;

export interface RecountReport {
  workspace: string;
  days: number;
  scans: number;
  /** UTC days on which something differs. */
  days_different: string[];
  differences: number;
  /** The first of them. */
  examples: Difference[];
  repaired: boolean;
}

/** Counts every scan of a workspace anew, day by day, compares with the rollups, and repairs them unless told not to. */
export async function recountWorkspace(
  ctx: RollupStores & { db: Database },
  workspace: string,
  repair: boolean,
): Promise<RecountReport> {
  const report: RecountReport = {
    workspace,
    days: 0,
    scans: 0,
    days_different: [],
    differences: 0,
    examples: [],
    repaired: false,
  };
  for (let day = await nextDay(ctx, workspace, 0); day !== null; day = await nextDay(ctx, workspace, day + 1)) {
    const of = { workspace, day, repair };
    const { scans, differences } = await ctx.db.transaction((tx) => recountDay(ctx, of, tx));
    report.days += 1;
    report.scans += scans;
    if (differences.length === 0) continue;
    report.days_different.push(dateOf(day));
    report.differences += differences.length;
    report.examples.push(...differences.slice(0, DIFFERENCES_TOLD_MAX - report.examples.length));
    report.repaired = repair;
  }
  return report;
}

/** The next UTC day with scans or counts. */
async function nextDay(stores: RollupStores, workspace: string, from: number): Promise<number | null> {
  const [stored, counted] = await Promise.all([
    stores.scans.ledger.nextDay(workspace, from),
    stores.cells.nextDay(workspace, from),
  ]);
  return stored === null || counted === null ? (stored ?? counted) : Math.min(stored, counted);
}
