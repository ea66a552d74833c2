import type { WorkspaceAccess } from '@waymark/contract/identity';
import { rowsKeptFrom, type RowsKeptContext } from '../../retention/rows-kept-from.js';
import { appliedFilters, type Selection } from './selection.js';
import { dateOfDay } from '../../time/local-days.js';
import { dataAsOf, type ReportContext } from './report-context.js';

/** Describes the scans behind the figures, and how complete they are. */
export async function selectionMeta(
  ctx: ReportContext & RowsKeptContext,
  workspace: WorkspaceAccess,
  selection: Selection,
) {
  const [asOf, keptFrom] = await Promise.all([dataAsOf(ctx), rowsKeptFrom(ctx, workspace)]);
  return {
    ...rangeMeta(selection),
    filters: appliedFilters(selection),
    data_as_of: asOf?.toISOString() ?? null,
    rows_kept_from: keptFrom,
  };
}

export const rangeMeta = ({ days, timeZone }: Selection) => ({
  start_date: dateOfDay(days.firstDay),
  end_date: dateOfDay(days.lastDay),
  timezone: timeZone,
});
