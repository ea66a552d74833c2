import type { Cell } from '@waymark/kernel/http/csv';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { ReportContext } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import type { Selection } from '../selection/selection.js';
import { daySlices } from '../../warehouse/query/day-slices.js';
import type { ExportColumn, RowPosition } from '../../warehouse/query/scan-pages.js';

/** Rows per query: about a megabyte; the reader ends a page of longer rows earlier. */
const ROWS_AT_ONCE = 5000;

export interface SelectedScans {
  selection: Selection;
  /** The columns of a scan. */
  columns: readonly ExportColumn[];
  /** Ends the reading when the client disconnects. */
  signal: AbortSignal;
}

/** Yields every scan of a selection, newest first. Runs no query while it waits for a slow client. */
export async function* scansNewestFirst(
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
