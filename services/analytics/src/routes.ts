import type { Response } from 'express';
import type { AnalyticsFilters, QrAnalyticsFilters, ScanRow } from '@waymark/shared/contract/analytics';
import type { WorkspaceAccess } from '@waymark/shared/contract/identity';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { paginated, type Reply } from '@waymark/shared/kernel/http/reply';
import { showBreakdown } from './breakdown/show-breakdown.js';
import type { ConversionContext } from './conversions/record-conversion.js';
import { conversionChecks, conversionHandlers } from './conversions/routes.js';
import type { ExportContext } from './export/export-scans.js';
import { exportHandlers } from './export/routes.js';
import { listFilters, presentFilterLink, type FiltersContext, type FiltersQuery } from './filters/list-filters.js';
import type { ReportContext } from './reports/context.js';
import { signalOf } from './reports/signal.js';
import { rowsKeptFrom, type RowsKeptContext } from './retention/rows-kept-from.js';
import { listScans } from './scans/list-scans.js';
import { presentQrScan } from './scans/scan.js';
import { checkRange, readSelection } from './selection/selection.js';
import { presentQrSummary } from './summary/present-qr-summary.js';
import { showSummary, type SummaryContext } from './summary/show-summary.js';

interface Request {
  query: AnalyticsFilters | QrAnalyticsFilters;
  workspace: WorkspaceAccess;
}
interface ScansRequest extends Request {
  query: Request['query'] & { page: number; per_page: number };
  url: URL;
}

export const analyticsChecks: Checks<'analytics'> = {
  'analytics.summary': ({ query }) => checkRange(query),
  'analytics.qr_summary': ({ query }) => checkRange(query),
  'analytics.scans': ({ query }) => checkRange(query),
  'analytics.qr_scans': ({ query }) => checkRange(query),
  'analytics.export': ({ query }) => checkRange(query),
  'analytics.qr_export': ({ query }) => checkRange(query),
  'analytics.breakdown': ({ query }) => checkRange(query),
  ...conversionChecks,
};

/** The two deployments differ here alone: in the names of their filters, and in what an answer leaves out. */
export function analyticsHandlers(
  ctx: SummaryContext & FiltersContext & ConversionContext & ExportContext,
): Handlers<'analytics'> {
  const summary = ({ query, workspace }: Request, response: Response) =>
    showSummary(ctx, workspace, { selection: readSelection(workspace.slug, query), signal: signalOf(response) });
  return {
    'analytics.summary': async (request, response) => ({ body: await summary(request, response) }),
    'analytics.qr_summary': async (request, response) => ({ body: presentQrSummary(await summary(request, response)) }),
    'analytics.scans': (request, response) => scansPage(ctx, request, { present: (row) => row, response }),
    'analytics.qr_scans': (request, response) => scansPage(ctx, request, { present: presentQrScan, response }),
    'analytics.breakdown': async ({ workspace, query }, response) => ({
      body: await showBreakdown(ctx, readSelection(workspace.slug, query), { ...query, signal: signalOf(response) }),
    }),
    'analytics.filters': (request) => filters(ctx, request, 'links'),
    'analytics.qr_filters': (request) => filters(ctx, request, 'qr_codes'),
    ...conversionHandlers(ctx),
    ...exportHandlers(ctx),
  };
}

async function filters(
  ctx: FiltersContext,
  { query, workspace }: { query: FiltersQuery; workspace: WorkspaceAccess },
  name: 'links' | 'qr_codes',
): Promise<Reply> {
  const { links, campaigns, nextCursor } = await listFilters(ctx, workspace.slug, query);
  const data = { [name]: links.map(presentFilterLink), campaigns };
  return { body: { data, meta: { truncated: nextCursor !== null, next_cursor: nextCursor } } };
}

async function scansPage(
  ctx: ReportContext & RowsKeptContext,
  { query, workspace, url }: ScansRequest,
  { present, response }: { present: (scan: ScanRow) => unknown; response: Response },
): Promise<Reply> {
  const page = { page: query.page, perPage: query.per_page, signal: signalOf(response) };
  const { items, total } = await listScans(ctx, readSelection(workspace.slug, query), page);
  const rows = { items: items.map(present), total };
  return paginated(rows, page, url, { rows_kept_from: await rowsKeptFrom(ctx, workspace) });
}
