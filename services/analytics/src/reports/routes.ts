import type {
  AnalyticsFilters,
  Comparison,
  Dimension,
  Interval,
  QrAnalyticsFilters,
  ScanRow,
  ScansByDayQuery,
} from '@waymark/contract/analytics';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import type { FieldProblems } from '@waymark/contract/problems';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import { cursorPaginated, paginated, type Reply } from '@waymark/kernel/http/reply';
import { linkDimension, presentQrScan, presentQrSummary, qrDimension } from './present-qr.js';
import { showConversionBreakdowns } from './breakdown/show-conversion-breakdowns.js';
import { showBreakdown, showBreakdowns, type BreakdownContext } from './breakdown/show-breakdown.js';
import type { ExportContext } from './scans/export-scans.js';
import { exportHandlers } from './scans/export-routes.js';
import { listFilters, presentFilterLink, type FiltersContext, type FiltersQuery } from './list-filters.js';
import type { ReportContext } from './selection/report-context.js';
import { rowsKeptFrom, type RowsKeptContext } from '../retention/rows-kept-from.js';
import { showScansByDay } from './breakdown/show-scans-by-day.js';
import { scanListKey } from './scans/cursor.js';
import { listScans } from './scans/list-scans.js';
import { checkCodes } from './selection/check-codes.js';
import { checkRange, checkTrend, qrFilters, readSelection } from './selection/selection.js';
import { showSummary, type SummaryContext } from './summary/show-summary.js';

type ReportRoute = Exclude<keyof Handlers<'analytics'>, `conversions.${string}`>;

interface Request {
  query: AnalyticsFilters | QrAnalyticsFilters;
  workspace: WorkspaceAccess;
  signal: AbortSignal;
}
interface SummaryRequest extends Request {
  query: Request['query'] & { interval: Interval; compare?: Comparison };
}
interface BreakdownsRequest extends Request {
  query: Request['query'] & { limit: number };
}
interface ScansRequest extends Request {
  query: Request['query'] & { page: number; per_page: number; cursor?: string };
  url: URL;
}

type SentFilters = Parameters<typeof checkRange>[0] & Parameters<typeof checkCodes>[0];
const checkSelection = (query: SentFilters): FieldProblems => ({ ...checkRange(query), ...checkCodes(query) });

export const reportChecks: Pick<Checks<'analytics'>, ReportRoute> = {
  'analytics.summary': ({ query }) => ({ ...checkTrend(query), ...checkCodes(query) }),
  'analytics.qr_summary': ({ query }) => ({ ...checkTrend(query), ...checkCodes(query) }),
  'analytics.scans': ({ query }) => checkSelection(query),
  'analytics.qr_scans': ({ query }) => checkSelection(query),
  'analytics.export': ({ query }) => checkSelection(query),
  'analytics.qr_export': ({ query }) => checkSelection(query),
  'analytics.breakdown': ({ query }) => checkSelection(query),
  'analytics.breakdowns': ({ query }) => checkSelection(query),
  'analytics.qr_breakdowns': ({ query }) => checkSelection(query),
  'analytics.conversion_breakdowns': ({ query }) => checkRange(query),
};

/** The two deployments differ only here: in the names of filters, and in fields that a response omits. */
export function reportHandlers(
  ctx: SummaryContext & FiltersContext & ExportContext,
): Pick<Handlers<'analytics'>, ReportRoute> {
  const summary = ({ query, workspace, signal }: SummaryRequest) => {
    const { interval, compare } = query;
    const selection = readSelection(workspace, query);
    return showSummary(ctx, workspace, { selection, interval, compare, signal });
  };
  return {
    'analytics.summary': async (request) => ({ body: await summary(request) }),
    'analytics.qr_summary': async (request) => ({ body: presentQrSummary(await summary(request)) }),
    'analytics.scans': (request) => scansPage(ctx, request, (row) => row),
    'analytics.qr_scans': (request) => scansPage(ctx, request, presentQrScan),
    'analytics.breakdown': async ({ workspace, query, signal }) => {
      const selection = readSelection(workspace, query);
      return { body: await showBreakdown(ctx, workspace, { ...query, selection, signal }) };
    },
    'analytics.breakdowns': async (request) => ({
      body: await breakdowns(ctx, { ...request, dimensions: request.query.dimensions }),
    }),
    'analytics.qr_breakdowns': async (request) => {
      const dimensions = request.query.dimensions.map(linkDimension);
      const { data, meta } = await breakdowns(ctx, { ...request, dimensions });
      const renamed = Object.entries(data).map(([name, rows]) => [qrDimension(name), rows]);
      const truncated = meta.truncated_dimensions.map(qrDimension);
      const filtered = qrFilters(meta.filters);
      const qrMeta = { ...meta, filters: filtered, truncated_dimensions: truncated };
      return { body: { data: Object.fromEntries(renamed) as object, meta: qrMeta } };
    },
    'analytics.conversion_breakdowns': async ({ workspace, query, signal }) => {
      const { dimensions, limit } = query;
      const selection = readSelection(workspace, query);
      return { body: await showConversionBreakdowns(ctx, { selection, dimensions, limit, signal }) };
    },
    'analytics.links': (request) => scansByDay(ctx, request),
    'analytics.qr_codes': (request) => scansByDay(ctx, request),
    'analytics.filters': (request) => filters(ctx, request, 'links'),
    'analytics.qr_filters': (request) => filters(ctx, request, 'qr_codes'),
    ...exportHandlers(ctx),
  };
}

function breakdowns(
  ctx: BreakdownContext,
  { query, workspace, signal, dimensions }: BreakdownsRequest & { dimensions: readonly Dimension[] },
) {
  const selection = readSelection(workspace, query);
  return showBreakdowns(ctx, workspace, { selection, dimensions, limit: query.limit, signal });
}

async function scansByDay(
  ctx: ReportContext & RowsKeptContext,
  { query, workspace, signal }: Omit<Request, 'query'> & { query: ScansByDayQuery },
): Promise<Reply> {
  return { body: await showScansByDay(ctx, workspace, { query, signal }) };
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
  { query, workspace, url, signal }: ScansRequest,
  present: (scan: ScanRow) => unknown,
): Promise<Reply> {
  const { page: requested, per_page: perPage, cursor } = query;
  const selection = readSelection(workspace, query);
  const { items, total, page, nextCursor } = await listScans(ctx, selection, {
    ...{ listKey: scanListKey(selection, query), page: requested, perPage, cursor },
    signal,
  });
  const meta = { next_cursor: nextCursor, rows_kept_from: await rowsKeptFrom(ctx, workspace) };
  const rows = { items: items.map(present), total };
  return cursor === undefined
    ? paginated(rows, { page: { page, perPage }, url }, meta)
    : cursorPaginated(rows, { page: { page, perPage }, url }, meta);
}
