import type { AnalyticsFilters, QrAnalyticsFilters } from '@waymark/shared/contract/analytics';
import type { WorkspaceAccess } from '@waymark/shared/contract/identity';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { paginated, type PageOf, type Reply } from '@waymark/shared/kernel/http/reply';
import { KeyedSemaphore } from '@waymark/shared/kernel/keyed-semaphore';
import { showBreakdown } from './breakdown/show-breakdown.js';
import type { ConversionContext } from './conversions/record-conversion.js';
import { conversionChecks, conversionHandlers } from './conversions/routes.js';
import type { ExportContext } from './export/export-scans.js';
import { exportHandlers } from './export/routes.js';
import { listFilters, presentFilterLink, type FiltersContext, type FiltersQuery } from './filters/list-filters.js';
import { rowsKeptFrom, type RowsKeptContext } from './retention/rows-kept-from.js';
import { listScans, type ScansContext } from './scans/list-scans.js';
import { presentQrScan, presentScan, type Scan } from './scans/scan.js';
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

/** Requests that read rollups and links. */
const READS = { runningMax: 12, runningPerKeyMax: 3, waitingMax: 500, waitingPerKeyMax: 50 };

/** The two deployments differ here alone: in the names of their filters, and in what an answer leaves out. */
export function analyticsHandlers(
  ctx: SummaryContext & ScansContext & ConversionContext & ExportContext & FiltersContext,
): Handlers<'analytics'> {
  const reads = new KeyedSemaphore(READS);
  const inTurn = <T>({ workspace }: { workspace: { slug: string } }, answer: () => Promise<T>) =>
    reads.run(workspace.slug, answer);
  const summary = ({ query, workspace }: Request) => showSummary(ctx, workspace, readSelection(workspace.slug, query));
  return {
    'analytics.summary': (request) => inTurn(request, async () => ({ body: await summary(request) })),
    'analytics.qr_summary': (request) =>
      inTurn(request, async () => ({ body: presentQrSummary(await summary(request)) })),
    'analytics.scans': (request) => inTurn(request, () => scansPage(ctx, request, presentScan)),
    'analytics.qr_scans': (request) => inTurn(request, () => scansPage(ctx, request, presentQrScan)),
    'analytics.breakdown': (request) =>
      inTurn(request, async () => ({
        body: await showBreakdown(ctx, readSelection(request.workspace.slug, request.query), request.query),
      })),
    'analytics.filters': (request) => inTurn(request, () => filters(ctx, request, 'links')),
    'analytics.qr_filters': (request) => inTurn(request, () => filters(ctx, request, 'qr_codes')),
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
  ctx: ScansContext & RowsKeptContext,
  { query, workspace, url }: ScansRequest,
  present: (scan: Scan) => unknown,
): Promise<Reply> {
  const page = { page: query.page, perPage: query.per_page };
  const { items, total }: PageOf<Scan> = await listScans(ctx, readSelection(workspace.slug, query), page);
  const rows = { items: items.map(present), total };
  return paginated(rows, page, url, { rows_kept_from: await rowsKeptFrom(ctx, workspace) });
}
