import type { AnalyticsFilters, QrAnalyticsFilters } from '@waymark/shared/contract/analytics';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { paginated, type PageOf, type Reply } from '@waymark/shared/kernel/http/reply';
import { showBreakdown } from './breakdown/show-breakdown.js';
import type { ConversionContext } from './conversions/record-conversion.js';
import { conversionHandlers } from './conversions/routes.js';
import type { ExportContext } from './export/export-scans.js';
import { exportHandlers } from './export/routes.js';
import { listFilters, presentFilterLink } from './filters/list-filters.js';
import { listScans, type ScansContext } from './scans/list-scans.js';
import { presentQrScan, presentScan, type Scan } from './scans/scan.js';
import { checkRange, readSelection } from './selection/selection.js';
import { presentQrSummary } from './summary/present-qr-summary.js';
import { showSummary, type SummaryContext } from './summary/show-summary.js';

interface ScansRequest {
  query: (AnalyticsFilters | QrAnalyticsFilters) & { page: number; per_page: number };
  workspace: { slug: string };
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
};

/** The two deployments differ here alone: in the names of their filters, and in what an answer leaves out. */
export function analyticsHandlers(
  ctx: SummaryContext & ScansContext & ConversionContext & ExportContext,
): Handlers<'analytics'> {
  return {
    'analytics.summary': async ({ query, workspace }) => ({
      body: await showSummary(ctx, readSelection(workspace.slug, query)),
    }),
    'analytics.qr_summary': async ({ query, workspace }) => ({
      body: presentQrSummary(await showSummary(ctx, readSelection(workspace.slug, query))),
    }),
    'analytics.scans': (request) => scansPage(ctx, request, presentScan),
    'analytics.qr_scans': (request) => scansPage(ctx, request, presentQrScan),
    'analytics.breakdown': async ({ query, workspace }) => ({
      body: await showBreakdown(ctx, readSelection(workspace.slug, query), query),
    }),
    'analytics.filters': async ({ query, workspace }) => {
      const { links, campaigns } = await listFilters(ctx, workspace.slug, query.search);
      return { body: { data: { links: links.map(presentFilterLink), campaigns } } };
    },
    'analytics.qr_filters': async ({ query, workspace }) => {
      const { links, campaigns } = await listFilters(ctx, workspace.slug, query.search);
      return { body: { data: { qr_codes: links.map(presentFilterLink), campaigns } } };
    },
    ...conversionHandlers(ctx),
    ...exportHandlers(ctx),
  };
}

async function scansPage(
  ctx: ScansContext,
  { query, workspace, url }: ScansRequest,
  present: (scan: Scan) => unknown,
): Promise<Reply> {
  const page = { page: query.page, perPage: query.per_page };
  const { items, total }: PageOf<Scan> = await listScans(ctx, readSelection(workspace.slug, query), page);
  return paginated({ items: items.map(present), total }, page, url);
}
