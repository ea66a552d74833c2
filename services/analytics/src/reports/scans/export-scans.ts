import type { EventContext } from '@waymark/contract/event';
import { analyticsExported } from '@waymark/contract/events';
import { csvFile, type Cell } from '@waymark/kernel/http/csv';
import type { Reply } from '@waymark/kernel/http/reply';
import type { ReportContext } from '../selection/report-context.js';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import { dateOfDay } from '../../time/local-days.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import type { Selection } from '../selection/selection.js';
import { daySlices, type ExportColumn, type RowPosition } from '../../warehouse/query/scan-pages.js';

/** Rows per query: about a megabyte; the reader ends a page of longer rows earlier. */
const ROWS_AT_ONCE = 5000;

interface SelectedScans {
  selection: Selection;
  /** The columns of a scan. */
  columns: readonly ExportColumn[];
  /** Ends the reading when the client disconnects. */
  signal: AbortSignal;
}

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

/** Yields every scan of a selection, newest first. Runs no query while it waits for a slow client. */
async function* scansNewestFirst(
  ctx: RowsKeptContext & Pick<ReportContext, 'reader'>,
  { selection, columns, signal }: SelectedScans,
): AsyncGenerator<Cell[]> {
  const { reader } = ctx;
  const query = await scanQueryOf(ctx, selection);
  const [id, scannedAt] = [columns.indexOf('id'), columns.indexOf('scanned_at')];
  for (const days of daySlices(await reader.countRowsByDay(query, signal), { rowsMax: ROWS_AT_ONCE, growth: 1 })) {
    for (let after: RowPosition | undefined; ;) {
      const page = { columns, limit: ROWS_AT_ONCE, days, after };
      const { rows, isCut } = await reader.readExportRows(query, page, signal);
      for (const row of rows) yield row.json();
      if (rows.length < ROWS_AT_ONCE && !isCut) break;
      const last = rows.at(-1)!.json();
      after = { id: String(last[id]), scannedAt: new Date(String(last[scannedAt])) };
    }
  }
}
