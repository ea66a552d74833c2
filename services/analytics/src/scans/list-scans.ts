import type { ScanRow } from '@waymark/shared/contract/analytics';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import type { ReportContext } from '../reports/context.js';
import { questionOf } from '../reports/question.js';
import type { Selection } from '../selection/selection.js';
import type { Position, ScanRecord } from '../warehouse/query/scan-rows.js';

/** As many rows as one query of an export answers. */
const EXPORTED_AT_ONCE = 2000;

/** A page of scans, newest first, ties by id, and how many there are in all. */
export async function listScans(
  { reader, retention }: ReportContext,
  selection: Selection,
  { page, perPage, signal }: Page & { signal?: AbortSignal },
): Promise<PageOf<ScanRow>> {
  const question = await questionOf(retention, selection);
  const offset = (page - 1) * perPage;
  const total = await reader.scanCount(question, signal);
  if (offset >= total) return { items: [], total };
  const rows = await reader.scanRows(question, { limit: perPage, offset }, signal);
  return { items: rows.map(scanRowOf), total };
}

/** All of them, read as fast as they are taken: each portion is a query of its own from where the last one ended. */
export async function* newestFirst(
  { reader, retention }: ReportContext,
  selection: Selection,
): AsyncGenerator<ScanRow> {
  const question = await questionOf(retention, selection);
  for (let after: Position | undefined; ;) {
    const rows = await reader.exportedRows(question, { limit: EXPORTED_AT_ONCE, after });
    yield* rows.map(scanRowOf);
    const last = rows.at(-1);
    if (!last || rows.length < EXPORTED_AT_ONCE) return;
    after = { scannedAt: new Date(last.scanned_at), id: last.id };
  }
}

const scanRowOf = ({ scanned_at, ...row }: ScanRecord): ScanRow => ({
  ...row,
  device: row.device as ScanRow['device'],
  scanned_at: new Date(scanned_at).toISOString(),
});
