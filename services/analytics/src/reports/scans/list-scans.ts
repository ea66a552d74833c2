import type { ScanRow } from '@waymark/contract/analytics';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { ReportContext } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import type { Selection } from '../selection/selection.js';
import type { ScanRecord } from '../../warehouse/query/scan-pages.js';
import { decodeScanCursor, encodeScanCursor } from './cursor.js';

export interface ScansPage extends PageOf<ScanRow> {
  /** The page number, counted from the newest row when the first page was read. */
  page: number;
  /** `null` on the last page. */
  nextCursor: string | null;
}

interface ScansRequest extends Page {
  listKey: string;
  /** Replaces the page number. */
  cursor?: string;
  signal?: AbortSignal;
}

/**
 * Returns a page of scans, newest first, ties by id, with the total; a request with a cursor reuses the total of the
 * first page.
 */
export async function listScans(
  ctx: RowsKeptContext & Pick<ReportContext, 'reader'>,
  selection: Selection,
  { listKey, page, perPage, cursor, signal }: ScansRequest,
): Promise<ScansPage> {
  const { reader } = ctx;
  const after = cursor === undefined ? undefined : decodeScanCursor(listKey, cursor);
  const query = await scanQueryOf(ctx, selection);
  const counted = after?.total ?? (await reader.countScans(query, signal));
  const offset = after ? 0 : (page - 1) * perPage;
  // One extra row shows whether there are more.
  const found =
    after || offset < counted ? await reader.listScanRows(query, { limit: perPage + 1, offset, after }, signal) : [];
  const rows = found.slice(0, perPage);
  const rowsBefore = after?.rowsRead ?? offset;
  // Late scans may have been added after the cursor.
  const total = Math.max(counted, rows.length > 0 ? rowsBefore + rows.length : 0);
  const cursorAfter = ({ scanned_at: time, id }: ScanRecord) =>
    encodeScanCursor(listKey, { scannedAt: new Date(time), id, rowsRead: rowsBefore + perPage, total });
  return {
    items: rows.map(scanRowOf),
    total,
    page: Math.floor(rowsBefore / perPage) + 1,
    nextCursor: found.length > perPage ? cursorAfter(rows.at(-1)!) : null,
  };
}

const scanRowOf = ({ scanned_at, ...row }: ScanRecord): ScanRow => ({
  ...row,
  device: row.device as ScanRow['device'],
  scanned_at: new Date(scanned_at).toISOString(),
});
