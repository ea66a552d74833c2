import { keptFromOf, type RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { Selection } from './selection.js';
import { dateOfDay } from '../../time/local-days.js';
import type { ScanQuery } from '../../warehouse/query/scan-query.js';

/** Builds the query of a request; it covers only the time for which the workspace keeps scans. */
export async function scanQueryOf(ctx: RowsKeptContext, selection: Selection): Promise<ScanQuery> {
  const { workspace, timeZone, days, filters, includeBots } = selection;
  return {
    workspace: workspace.slug,
    timeZone,
    firstDate: dateOfDay(days.firstDay),
    lastDate: dateOfDay(days.lastDay),
    filters,
    includeBots,
    keptFrom: await keptFromOf(ctx, workspace),
  };
}
