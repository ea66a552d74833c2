import type { Cell } from '@waymark/kernel/http/csv';
import type { ReportContext } from '../reports/context.js';
import { questionOf } from '../reports/question.js';
import type { Selection } from '../selection/selection.js';
import type { DayCount, Days, ExportColumn, Position } from '../warehouse/query/scan-rows.js';

/** Rows per query: about two megabytes, which is all that an export keeps in memory. */
const ROWS_AT_ONCE = 10_000;

/** Yields every scan of a selection, newest first. Runs no query while it waits for a slow client. */
export async function* newestFirst(
  { reader, retention }: ReportContext,
  selection: Selection,
  columns: readonly ExportColumn[],
): AsyncGenerator<Cell[]> {
  const question = await questionOf(retention, selection);
  const [id, scannedAt] = [columns.indexOf('id'), columns.indexOf('scanned_at')];
  for (const days of slicesOf(await reader.dayCounts(question))) {
    for (let after: Position | undefined; ;) {
      const rows = await reader.exportedRows(question, columns, { limit: ROWS_AT_ONCE, days, after });
      for (const row of rows) yield row.json();
      if (rows.length < ROWS_AT_ONCE) break;
      const last = rows.at(-1)!.json();
      after = { id: String(last[id]), scannedAt: new Date(String(last[scannedAt])) };
    }
  }
}

/** Groups consecutive days so that each group fits one query. */
function slicesOf(counts: readonly DayCount[]): Days[] {
  const slices: Days[] = [];
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
