import {
  ROWS_KEPT_FROM_HEADER,
  scanRow,
  type AnalyticsFilters,
  type QrAnalyticsFilters,
} from '@waymark/contract/analytics';
import { formatList } from '@waymark/contract/filter-list';
import type { ApiRequest, Handlers } from '@waymark/kernel/http/api';
import { withMark } from '@waymark/kernel/http/csv';
import type { Reply } from '@waymark/kernel/http/reply';
import { rowsKeptFrom } from '../../retention/rows-kept-from.js';
import { readSelection } from '../selection/selection.js';
import { exportScans, type ExportContext, type ScanExport } from './export-scans.js';

type Layout = Pick<ScanExport, 'columns' | 'names'>;
type Filters = AnalyticsFilters | QrAnalyticsFilters;
type Request = Pick<ApiRequest, 'workspace' | 'eventContext' | 'signal'> & { query: Filters & { bom: boolean } };

const COLUMNS = scanRow.keyof().options;
const QR_COLUMNS = COLUMNS.filter((name) => name !== 'trigger');
const LINKS: Layout = { columns: COLUMNS, names: COLUMNS };
const QR: Layout = {
  columns: QR_COLUMNS,
  names: QR_COLUMNS.map((name) => (name === 'link_id' ? 'qr_code_id' : name)),
};

export function exportHandlers(
  ctx: ExportContext,
): Pick<Handlers<'analytics'>, 'analytics.export' | 'analytics.qr_export'> {
  return {
    'analytics.export': (request) => exportReply(ctx, request, LINKS),
    'analytics.qr_export': (request) => exportReply(ctx, request, QR),
  };
}

async function exportReply(
  ctx: ExportContext,
  { query: { bom, ...query }, workspace, eventContext, signal }: Request,
  layout: Layout,
): Promise<Reply> {
  const selection = readSelection(workspace, query);
  const keptFrom = await rowsKeptFrom(ctx, workspace);
  const file = exportScans(ctx, eventContext, { selection, filters: filtersAsText(query), ...layout, signal });
  const reply = withMark(file, bom);
  return { ...reply, headers: { ...reply.headers, ...(keptFrom && { [ROWS_KEPT_FROM_HEADER]: keptFrom }) } };
}

/** Returns the parameters of a request, with lists formatted as text again. */
const filtersAsText = (query: Filters): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'object' ? formatList(value) : value]),
  );
