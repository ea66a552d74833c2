import type { Cell } from '@waymark/kernel/http/csv';
import type { ReportContext } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import type { Selection } from '../selection/selection.js';
import type { DayCount, DayRange, ExportColumn, RowPosition } from '../../warehouse/query/scan-pages.js';

/** Rows per query: about two megabytes, which is all that an export keeps in memory. */
const ROWS_AT_ONCE = 10_000;

/** Yields every scan of a selection, newest first. Runs no query while it waits for a slow client. */
export async function* scansNewestFirst(
  { reader, retention }: ReportContext,
  selection: Selection,
  columns: readonly ExportColumn[],
): AsyncGenerator<Cell[]> {
  const query = await scanQueryOf(retention, selection);
  const [id, scannedAt] = [columns.indexOf('id'), columns.indexOf('scanned_at')];
  for (const days of daySlices(await reader.countRowsByDay(query))) {
    for (let after: RowPosition | undefined; ;) {
      const rows = await reader.readExportRows(query, columns, { limit: ROWS_AT_ONCE, days, after });
      for (const row of rows) yield row.json();
      if (rows.length < ROWS_AT_ONCE) break;
      const last = rows.at(-1)!.json();
      after = { id: String(last[id]), scannedAt: new Date(String(last[scannedAt])) };
    }
  }
}

/** Groups consecutive days so that each group fits one query. */
function daySlices(counts: readonly DayCount[]): DayRange[] {
  const slices: DayRange[] = [];
  let rowCount = ROWS_AT_ONCE;
  for (const { day, rows } of counts) {
    if (rowCount + rows > ROWS_AT_ONCE) {
      slices.push({ first: day, last: day });
      rowCount = rows;
    } else {
      slices.at(-1)!.first = day;
      rowCount += rows;
    }
  }
  return slices;
}
