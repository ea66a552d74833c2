import type { EventContext } from '@waymark/contract/event';
import { analyticsExported } from '@waymark/contract/events';
import { csvFile, type Cell } from '@waymark/kernel/http/csv';
import type { Reply } from '@waymark/kernel/http/reply';
import type { ReportContext } from '../selection/report-context.js';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import { dateOfDay } from '../../time/local-days.js';
import { scansNewestFirst, type SelectedScans } from './newest-first.js';

export type ExportContext = ReportContext & RowsKeptContext;

export interface ScanExport extends SelectedScans {
  /** The filters by the names of the request. */
  filters: Record<string, unknown>;
  /** The names of the columns in the file. */
  names: readonly string[];
}

/** Exports the rows of a selection as CSV, newest first, as fast as the client reads. */
export function exportScans(ctx: ExportContext, event: EventContext, requested: ScanExport): Reply {
  const { workspace, days } = requested.selection;
  const name = `scans-${workspace.slug}-${dateOfDay(days.firstDay)}-${dateOfDay(days.lastDay)}`;
  return csvFile(name, requested.names, exportRows(ctx, event, requested));
}

/** Records the export in the audit log before it sends the first row. */
async function* exportRows(ctx: ExportContext, event: EventContext, requested: ScanExport): AsyncGenerator<Cell[]> {
  await ctx.db.transaction((tx) => Promise.resolve(tx.emit(exportedEvent(event, requested))));
  yield* scansNewestFirst(ctx, requested);
}

function exportedEvent(event: EventContext, { selection, filters: requested }: ScanExport) {
  const { workspace, days } = selection;
  const filters = { ...requested, start_date: dateOfDay(days.firstDay), end_date: dateOfDay(days.lastDay) };
  const target = { type: 'analytics', id: workspace.slug, label: null };
  return analyticsExported.create(event, { filters }, { target, changes: { filters: { from: null, to: filters } } });
}
