import { z } from 'zod';
import { choice, filter, page, paginated, perPage, selector, timestamp, wholeNumber, wordSelector } from './common.js';
import { ANALYTICS_READERS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { asTyped } from './visible-text.js';

export const trigger = z.enum(['link', 'qr']);
export const device = z.enum(['desktop', 'mobile', 'tablet', 'other']);
export type Device = z.infer<typeof device>;

/** What a breakdown may be by. */
export const dimension = z.enum(['country', 'city', 'region', 'device', 'browser', 'os', 'referrer']);
export type Dimension = z.infer<typeof dimension>;

export const scanRow = z.object({
  id: z.string(),
  link_id: z.string(),
  short_code: z.string(),
  scanned_at: timestamp,
  trigger,
  country: z.string(),
  region: z.string(),
  city: z.string(),
  device,
  browser: z.string(),
  os: z.string(),
  referrer: z.string(),
  campaign: z.string().nullable(),
  is_unique: z.boolean(),
  is_bot: z.boolean(),
});
export type ScanRow = z.infer<typeof scanRow>;

/** The same in the QR deployment. */
export const qrScanRow = scanRow.omit({ link_id: true, trigger: true }).extend({ qr_code_id: z.string() });
export type QrScanRow = z.infer<typeof qrScanRow>;

const day = (name: string) =>
  z
    .union([z.literal('all'), z.iso.date({ abort: true })], { error: `The ${name} must be YYYY-MM-DD.` })
    .refine((value) => value >= '1970-01-01', `The ${name} must not be before 1970.`)
    .optional();

/** A name: newer versions of Node take an offset (`+05:30`) for a zone, too. */
function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z]/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

const commonFilters = {
  start_date: day('start_date').meta({
    description: 'The first day, in `timezone`; 30 days with the last unless given.',
  }),
  end_date: day('end_date').meta({ description: 'The last day, inclusive; today unless given. At most five years.' }),
  timezone: z
    .string({ error: 'The timezone must be given once.' })
    .refine(isTimeZone, 'The timezone must be an IANA zone name.')
    .default('UTC')
    .meta({ description: 'An IANA name such as `Europe/Berlin`; UTC unless given.' }),
  device: wordSelector('device', device.options),
  campaign: selector('campaign', 255, asTyped),
  include_bots: z
    .stringbool({ error: 'The include_bots must be true or false.' })
    .meta({ type: 'boolean' })
    .default(false)
    .meta({ description: 'Whether scans of bots count as well; they do not unless asked for.' }),
};

/** The filters of every analytics route; `all` or an absent parameter disables one. */
export const analyticsFilters = z.object({
  ...commonFilters,
  link_id: selector('link_id', 255),
  trigger: wordSelector('trigger', trigger.options).meta({
    description: 'Scans of QR codes (`qr`), of links (`link`), or both (`all`).',
  }),
});
export type AnalyticsFilters = z.infer<typeof analyticsFilters>;

/** The same in the QR deployment. */
export const qrAnalyticsFilters = z.object({ ...commonFilters, qr_code_id: selector('qr_code_id', 255) });
export type QrAnalyticsFilters = z.infer<typeof qrAnalyticsFilters>;

const kpis = z.object({
  total_scans: z.number().int(),
  unique_visitors: z.number().int(),
  conversions: z
    .number()
    .int()
    .nullable()
    .meta({ description: '`null` under a `device` or `trigger` filter: a conversion has neither.' }),
  conversion_rate: z
    .number()
    .nullable()
    .meta({ description: 'Conversions per scan: 0 where there is no scan, `null` where `conversions` is.' }),
  active_links: z.number().int(),
  bot_scans: z.number().int(),
});
const trendDay = z.object({
  date: z.iso.date(),
  scans: z.number().int(),
  unique_visitors: z.number().int(),
  conversions: z.number().int().nullable(),
});
const devices = z.array(z.object({ device, scans: z.number().int(), share: z.number() }));
const rowsKeptFrom = {
  rows_kept_from: z.iso.date().nullable().meta({
    description: 'Rows of scans before this UTC day are deleted; `null` while all are kept. Figures are kept for ever.',
  }),
};
const summaryMeta = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  timezone: z.string(),
  filters: z.record(z.string(), z.unknown()),
  data_as_of: timestamp.nullable().meta({
    description:
      'Every scan up to this time that has reached analytics is counted, in every workspace. `null` while the history is loaded anew.',
  }),
  ...rowsKeptFrom,
  unique_visitors_estimated: z.boolean().meta({
    description: 'Whether `unique_visitors` are estimated, within 2 %: above five million scans in the range.',
  }),
});

export const summary = z.object({
  data: z.object({ kpis, trend: z.array(trendDay), devices }),
  meta: summaryMeta,
});
export type SummaryBody = z.infer<typeof summary>;

/** The same in the QR deployment, which has no conversions. */
export const qrSummary = z.object({
  data: z.object({
    kpis: kpis
      .omit({ conversions: true, conversion_rate: true, active_links: true })
      .extend({ active_qr_codes: z.number().int() }),
    trend: z.array(trendDay.omit({ conversions: true })),
    devices,
  }),
  meta: summaryMeta,
});
export type QrSummaryBody = z.infer<typeof qrSummary>;

/** What a breakdown asks for beside the filters. */
const breakdownQuery = analyticsFilters.extend({
  dimension: choice('dimension', dimension.options),
  limit: wholeNumber('limit', 1, 100).default(25),
});

export const breakdown = z.object({
  /** By scans, most first; of as many scans, by value. */
  data: z.array(
    z.object({ value: z.string(), scans: z.number().int(), unique_visitors: z.number().int(), share: z.number() }),
  ),
  meta: z.object({
    dimension,
    total: z
      .number()
      .int()
      .meta({ description: 'Scans of all values, also of those past the limit; a `share` is one of it.' }),
    limit: z.number().int(),
    truncated: z.boolean().meta({ description: 'There are more values than `limit`.' }),
    unique_visitors_estimated: z.boolean(),
  }),
});
export type BreakdownBody = z.infer<typeof breakdown>;

const filtersQuery = z.object({
  search: filter('search', 255).meta({
    description: 'Only links whose title, short code or earlier code contains it, and campaigns that contain it.',
  }),
  cursor: filter('cursor', 2048).meta({
    description: 'The `meta.next_cursor` of the previous answer, with the same `search`.',
  }),
});
const filterLinks = z.array(z.object({ id: z.string(), short_code: z.string(), title: z.string().nullable() }));
const filterMeta = z.object({ truncated: z.boolean(), next_cursor: z.string().nullable() });
const campaigns = z.array(z.string());
/** The values of filters: at most 1,000 links and 1,000 campaigns in one answer. It is a list, so it has no entity tag. */
export const filterValues = z.object({ data: z.object({ links: filterLinks, campaigns }), meta: filterMeta });
/** The same in the QR deployment. */
export const qrFilterValues = z.object({ data: z.object({ qr_codes: filterLinks, campaigns }), meta: filterMeta });

const scansPage = <T extends z.ZodType>(row: T) => {
  const answer = paginated(row);
  return answer.extend({ meta: answer.shape.meta.extend(rowsKeptFrom) });
};

/** Carries `rows_kept_from` with a CSV file; absent while all rows are kept. */
export const ROWS_KEPT_FROM_HEADER = 'X-Rows-Kept-From';

const path = '/workspaces/{workspace}/analytics';

const access = { kind: 'workspace', ability: 'read', roles: ANALYTICS_READERS } as const;
const paging = { page, per_page: perPage };

export const analyticsRoutes = {
  'analytics.summary': {
    method: 'GET',
    path: `${path}/summary`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: analyticsFilters,
    response: { status: 200, schema: summary },
  },
  'analytics.qr_summary': {
    method: 'GET',
    path: `${path}/summary`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrAnalyticsFilters,
    response: { status: 200, schema: qrSummary },
  },
  'analytics.scans': {
    method: 'GET',
    path: `${path}/scans`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: analyticsFilters.extend(paging),
    response: { status: 200, schema: scansPage(scanRow) },
  },
  'analytics.qr_scans': {
    method: 'GET',
    path: `${path}/scans`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrAnalyticsFilters.extend(paging),
    response: { status: 200, schema: scansPage(qrScanRow) },
  },
  'analytics.export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: analyticsFilters,
    response: { status: 200, contentTypes: ['text/csv'] },
  },
  'analytics.qr_export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrAnalyticsFilters,
    response: { status: 200, contentTypes: ['text/csv'] },
  },
  'analytics.breakdown': {
    method: 'GET',
    path: `${path}/breakdown`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: breakdownQuery,
    response: { status: 200, schema: breakdown },
  },
  'analytics.filters': {
    method: 'GET',
    path: `${path}/filters`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: filtersQuery,
    response: { status: 200, schema: filterValues },
  },
  'analytics.qr_filters': {
    method: 'GET',
    path: `${path}/filters`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: filtersQuery,
    response: { status: 200, schema: qrFilterValues },
  },
} as const satisfies Record<string, RouteDefinition>;
