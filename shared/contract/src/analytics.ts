import { z } from 'zod';
import { choice, csvQuery, cursorPaging, filter, nextCursor, paginated, timestamp, wholeNumber } from './common.js';
import { describedList, listFilter } from './filter-list.js';
import {
  asIssue,
  formatInvalid,
  notAllowedBy,
  outOfRange,
  report,
  required,
  tooMany,
  type Problem,
} from './problems.js';
import { ANALYTICS_READERS } from './roles.js';
import type { RouteDefinition } from './route.js';

export const trigger = z.enum(['link', 'qr']);
export const device = z.enum(['desktop', 'mobile', 'tablet', 'other']);
export type Device = z.infer<typeof device>;

/** The dimensions of a breakdown in both deployments. */
const COMMON_DIMENSIONS = [
  'country',
  'city',
  'region',
  'device',
  'browser',
  'os',
  'language',
  'referrer',
  'continent',
  'campaign',
  'hour',
  'weekday',
] as const;
export const dimension = z.enum([...COMMON_DIMENSIONS, 'link', 'trigger', 'domain', 'tag', 'folder']);
export type Dimension = z.infer<typeof dimension>;
/** The same in the QR deployment. */
export const qrDimension = z.enum([...COMMON_DIMENSIONS, 'qr_code']);
export type QrDimension = z.infer<typeof qrDimension>;

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
  language: z.string(),
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
    .refine((value) => value >= '1970-01-01', asIssue(outOfRange(name, 'not be before 1970')))
    .optional();

/** Names that `Intl` takes and IANA does not have: ambiguous abbreviations (`IST`), and `SystemV/…`. */
const NOT_IANA =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i;

/** Accepts names only: newer versions of Node also take an offset (`+05:30`) for a zone. */
function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z]/.test(value) || NOT_IANA.test(value)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}

const values = (name: string, subject: string) => listFilter(name).meta({ description: describedList(subject) });
const words = (name: string, subject: string, options: readonly string[]) =>
  listFilter(name, options).meta({ description: describedList(subject, options) });

const commonFilters = {
  start_date: day('start_date').meta({
    description: 'The first day, in `timezone`. By default the range is the 30 days up to its last day.',
  }),
  end_date: day('end_date').meta({
    description: 'The last day, inclusive; today by default. The range is at most five years.',
  }),
  timezone: z
    .string({ error: 'The timezone must be given once.' })
    .refine(isTimeZone, asIssue(formatInvalid('timezone', 'be an IANA zone name')))
    .default('UTC')
    .meta({ description: 'An IANA name such as `Europe/Berlin`; UTC by default.' }),
  country: values('country', 'Scans from these countries (ISO 3166 codes; `unknown` where it is not known).'),
  region: values('region', 'Scans from these regions; `unknown` where it is not known.'),
  city: values('city', 'Scans from these cities; `unknown` where it is not known.'),
  device: words('device', 'Scans from these devices.', device.options),
  browser: values('browser', 'Scans by these browsers; `unknown` where it is not known.'),
  os: values('os', 'Scans by these operating systems; `unknown` where it is not known.'),
  language: values(
    'language',
    'Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known.',
  ),
  referrer: values('referrer', 'Scans that came from these hosts; `direct` without a referrer.'),
  campaign: values(
    'campaign',
    'Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it.',
  ),
  include_bots: z
    .stringbool({ error: 'The include_bots must be true or false.' })
    .meta({ type: 'boolean' })
    .default(false)
    .meta({ description: 'Whether scans of bots also count. By default they do not.' }),
};

/** The filters of every analytics route; `all` or an absent one disables a filter. A row must match all of them. */
export const analyticsFilters = z.object({
  ...commonFilters,
  link_id: values('link_id', 'Scans of these links.'),
  trigger: words('trigger', 'Scans of QR codes (`qr`) or of links (`link`).', trigger.options),
  domain_id: values('domain_id', `Scans of links that are on these domains now; \`none\` for the default short host.`),
  tag_id: values('tag_id', 'Scans of links that have any of these tags now; `none` for links without tags.'),
  folder_id: values('folder_id', 'Scans of links that are in these folders now; `none` for links in no folder.'),
});
export type AnalyticsFilters = z.infer<typeof analyticsFilters>;

/** The same in the QR deployment. */
export const qrAnalyticsFilters = z.object({
  ...commonFilters,
  qr_code_id: values('qr_code_id', 'Scans of these QR codes.'),
});
export type QrAnalyticsFilters = z.infer<typeof qrAnalyticsFilters>;

/** Bounds the size of an answer, because any three letters may be a currency: 300 rows with 100 sums each take about 1 MB. */
export const CURRENCIES_MAX = 100;
const conversionValues = z.array(z.object({ currency: z.string(), value: z.number() }));
const SUMS =
  'The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most ' +
  'conversions first. A conversion without a `value` is in no sum.';
const currenciesTruncated = {
  currencies_truncated: z
    .boolean()
    .meta({ description: `A list of sums has more than ${CURRENCIES_MAX} currencies and ends there.` }),
};

const kpiCounts = z.object({
  total_scans: z.number().int(),
  unique_visitors: z.number().int(),
  conversions: z.number().int().nullable().meta({
    description:
      '`null` under a filter that a conversion does not have: all but links, campaigns, domains, tags and folders.',
  }),
  conversion_rate: z
    .number()
    .nullable()
    .meta({ description: 'Conversions per scan: 0 where there is no scan, `null` where `conversions` is.' }),
  conversion_values: conversionValues.nullable().meta({ description: `${SUMS} \`null\` where \`conversions\` is.` }),
  bot_scans: z.number().int(),
});
const previousKpis = { description: 'With `compare`: the same figures of the range that is compared with.' };
const kpis = kpiCounts.extend({
  active_links: z.number().int(),
  previous: kpiCounts.optional().meta(previousKpis),
});
const qrKpiCounts = kpiCounts.omit({ conversions: true, conversion_rate: true, conversion_values: true });
const interval = choice('interval', ['hour', 'day', 'week', 'month']);
export type Interval = z.infer<typeof interval>;
const comparison = choice('compare', ['previous_period', 'previous_year']);
export type Comparison = z.infer<typeof comparison>;

/** The parameters of a summary besides the filters. */
const trendQuery = {
  interval: interval.default('day').meta({
    description:
      'The length of the points of the trend; `hour` for at most 14 days. Weeks begin on Mondays. All in `timezone`.',
  }),
  compare: comparison.optional().meta({
    description:
      'Adds the figures of as many days right before the range (`previous_period`), or of the same dates a year before (`previous_year`). ' +
      'While the range is not over, the earlier one ends at the same time of day as `data_as_of`.',
  }),
};
export const summaryQuery = analyticsFilters.extend(trendQuery);
export type SummaryQuery = z.infer<typeof summaryQuery>;
export const qrSummaryQuery = qrAnalyticsFilters.extend(trendQuery);
export type QrSummaryQuery = z.infer<typeof qrSummaryQuery>;

const pointCounts = z.object({
  scans: z.number().int(),
  unique_visitors: z.number().int(),
  conversions: z.number().int().nullable(),
});
const NOT_YET = '`null` for a point that begins after `data_as_of`.';
const trendCounts = pointCounts.extend({
  scans: z.number().int().nullable().meta({ description: NOT_YET }),
  unique_visitors: z.number().int().nullable().meta({ description: NOT_YET }),
});
const previousPoint = {
  description:
    'With `compare`: the figures of the days or hours that this point is compared with, if there are any; `date` and ' +
    '`starts_at` are those of the first of them. `null` for a point that begins after `data_as_of`.',
};
const trendPoint = trendCounts.extend({
  date: z.iso.date().meta({
    description: 'The local date on which the point begins; a week or month may begin before the range.',
  }),
  starts_at: timestamp.meta({ description: 'The time at which the point begins.' }),
  previous: pointCounts.extend({ date: z.iso.date(), starts_at: timestamp }).nullable().optional().meta(previousPoint),
});
const qrPointCounts = pointCounts.omit({ conversions: true });
const qrTrendPoint = trendPoint.omit({ conversions: true }).extend({
  previous: qrPointCounts
    .extend({ date: z.iso.date(), starts_at: timestamp })
    .nullable()
    .optional()
    .meta(previousPoint),
});
const devices = z.array(z.object({ device, scans: z.number().int(), share: z.number() }));
const rowsKeptFrom = {
  rows_kept_from: z.iso.date().nullable().meta({
    description: 'Scans before this UTC day are neither listed nor counted any more; `null` while all are kept.',
  }),
};
const selectionMeta = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  timezone: z.string(),
  filters: z.record(z.string(), z.unknown()),
  data_as_of: timestamp.nullable().meta({
    description:
      'The figures include every scan that analytics has received up to this time. `null` while the history of the workspace is being reloaded.',
  }),
  ...rowsKeptFrom,
  unique_visitors_estimated: z.boolean().meta({
    description:
      'Whether `unique_visitors` are estimated, within 2 %: above five million scans in the range, or when an exact count would need too much memory.',
  }),
});
const summaryMeta = selectionMeta.extend({
  interval,
  compared_with: z
    .object({ compare: comparison, start_date: z.iso.date(), end_date: z.iso.date() })
    .nullable()
    .meta({ description: 'The range of `compare`. Days before `rows_kept_from` have no scans in it.' }),
});

export const summary = z.object({
  data: z.object({ kpis, trend: z.array(trendPoint), devices }),
  meta: summaryMeta.extend(currenciesTruncated),
});
export type SummaryBody = z.infer<typeof summary>;

/** The same in the QR deployment, which has no conversions. */
export const qrSummary = z.object({
  data: z.object({
    kpis: qrKpiCounts.extend({
      active_qr_codes: z.number().int(),
      previous: qrKpiCounts.optional().meta(previousKpis),
    }),
    trend: z.array(qrTrendPoint),
    devices,
  }),
  meta: summaryMeta,
});
export type QrSummaryBody = z.infer<typeof qrSummary>;

const limit = wholeNumber('limit', 1, 100)
  .default(25)
  .meta({ description: 'Rows of each dimension; 25 unless given.' });
const DIMENSION_VALUES =
  '`hour` is the hour of the day (0 to 23) and `weekday` the day of the week (1 is Monday), both in `timezone`; `continent` is ' +
  'AF, AN, AS, EU, NA, OC, SA or `unknown`; a scan without a campaign has the campaign `none`. ' +
  '`domain`, `tag` and `folder` are ids of what the link of a scan has now, or `none`; a scan of a link with two tags counts in both rows. ' +
  'Their names are in the lists of domains, tags and folders of the workspace.';

/** The parameters of a breakdown besides the filters. */
const breakdownQuery = analyticsFilters.extend({
  dimension: choice('dimension', dimension.options).meta({ description: DIMENSION_VALUES }),
  limit,
});

const breakdownRow = z.object({
  value: z.string(),
  scans: z.number().int(),
  unique_visitors: z.number().int(),
  share: z.number(),
});
const nullableText = z.string().nullable();
/** Describes a link; both are `null` until analytics has received the link's event. */
const linkRow = breakdownRow.extend({ short_code: nullableText, title: nullableText });
const anyRow = breakdownRow.extend({ short_code: nullableText.optional(), title: nullableText.optional() });
export type BreakdownRowBody = z.infer<typeof anyRow>;

const total = z
  .number()
  .int()
  .meta({ description: 'Scans of all values, also of those beyond the limit; each `share` is a part of this number.' });

export const breakdown = z.object({
  /** Sorted by scans, most first; rows with equally many by value. */
  data: z.array(anyRow),
  meta: z.object({
    dimension,
    total,
    limit: z.number().int(),
    truncated: z.boolean().meta({ description: 'There are more values than `limit`.' }),
    ...rowsKeptFrom,
    unique_visitors_estimated: z.boolean(),
  }),
});
export type BreakdownBody = z.infer<typeof breakdown>;

/** Several dimensions, separated by commas. */
const dimensionList = <const T extends readonly string[]>(options: T, meanings: string) => {
  const problem = notAllowedBy('dimensions', `be one or more of ${options.join(', ')}, separated by commas`, options);
  return z
    .string({
      error: ({ input }) =>
        input === undefined ? 'The dimensions are required.' : 'The dimensions must be given once.',
    })
    .transform((text, ctx) => {
      const names = [...new Set(text.split(',').map((name) => name.trim()))];
      if (names.every((name): name is T[number] => options.includes(name))) return names;
      report(ctx, problem);
      return z.NEVER;
    })
    .meta({ description: `${problem.message} ${meanings}` });
};
const breakdownsQuery = analyticsFilters.extend({
  dimensions: dimensionList(dimension.options, DIMENSION_VALUES),
  limit,
});
const qrBreakdownsQuery = qrAnalyticsFilters.extend({
  dimensions: dimensionList(qrDimension.options, DIMENSION_VALUES),
  limit,
});

const rowsBy = <T extends string>(names: readonly T[]) =>
  z.object(
    Object.fromEntries(
      names.map((name) => [name, z.array(name === 'link' || name === 'qr_code' ? linkRow : breakdownRow).optional()]),
    ) as Record<T, z.ZodOptional<z.ZodArray<typeof anyRow>>>,
  );
const truncatedDimensions = <T extends string>(names: z.ZodType<T>) => ({
  truncated: z.boolean(),
  truncated_dimensions: z.array(names).meta({ description: 'Dimensions with more values than `limit`.' }),
});
const breakdownsOf = <T extends string>(names: z.ZodType<T>, rows: z.ZodType) =>
  z.object({
    data: rows,
    meta: selectionMeta.extend({
      total,
      limit: z.number().int(),
      ...truncatedDimensions(names),
    }),
  });
export const breakdowns = breakdownsOf(dimension, rowsBy(dimension.options));
/** The same in the QR deployment. */
export const qrBreakdowns = breakdownsOf(qrDimension, rowsBy(qrDimension.options));

/** Those filters that a conversion has, and its own. */
export const conversionFilters = analyticsFilters.pick({ start_date: true, end_date: true, timezone: true }).extend({
  link_id: values('link_id', 'Conversions of these links.'),
  campaign: values(
    'campaign',
    'Conversions of links that had these campaigns when the conversion was recorded; `none` without a campaign.',
  ),
  source: values('source', 'Conversions from these sources. Write the source `all` as `\\all`.'),
  domain_id: values(
    'domain_id',
    'Conversions of links that are on these domains now; `none` for the default short host.',
  ),
  tag_id: values('tag_id', 'Conversions of links that have any of these tags now; `none` for links without tags.'),
  folder_id: values('folder_id', 'Conversions of links that are in these folders now; `none` for links in no folder.'),
});
export type ConversionSelection = z.infer<typeof conversionFilters>;

export const conversionDimension = z.enum(['link', 'campaign', 'source']);
export type ConversionDimension = z.infer<typeof conversionDimension>;
const conversionBreakdownsQuery = conversionFilters.extend({
  dimensions: dimensionList(
    conversionDimension.options,
    'A conversion of a link without a campaign has the campaign `none`.',
  ),
  limit,
});

const conversionRow = z.object({
  value: z.string(),
  conversions: z.number().int(),
  share: z.number(),
  conversion_values: conversionValues.meta({ description: SUMS }),
});
const convertedLinkRow = conversionRow.extend({ short_code: nullableText, title: nullableText });
/** Sorted by conversions, most first; rows with equally many by value. */
export const conversionBreakdowns = z.object({
  data: z.object({
    link: z.array(convertedLinkRow).optional(),
    campaign: z.array(conversionRow).optional(),
    source: z.array(conversionRow).optional(),
  }),
  meta: selectionMeta.pick({ start_date: true, end_date: true, timezone: true, filters: true }).extend({
    data_as_of: timestamp.nullable().meta({
      description:
        'The figures include every conversion that analytics has recorded up to this time. `null` while the history of the workspace is being reloaded.',
    }),
    total: z.number().int().meta({
      description: 'Conversions of all values, also of those beyond the limit; each `share` is a part of this number.',
    }),
    limit: z.number().int(),
    ...truncatedDimensions(conversionDimension),
    ...currenciesTruncated,
  }),
});
export type ConversionBreakdownsBody = z.infer<typeof conversionBreakdowns>;

const SCANS_BY_DAY_IDS_MAX = 100;
const scannedIds = z
  .string({ error: ({ input }) => (input === undefined ? 'The ids are required.' : 'The ids must be given once.') })
  .transform((text, ctx) => {
    const ids = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
    const problem = problemOfIds(ids);
    if (problem === undefined) return ids;
    report(ctx, problem);
    return z.NEVER;
  })
  .meta({ description: `Ids, separated by commas; at most ${SCANS_BY_DAY_IDS_MAX}.` });

function problemOfIds(ids: string[]): Problem | undefined {
  if (ids.length === 0) return required('ids');
  if (ids.length > SCANS_BY_DAY_IDS_MAX) return tooMany('ids', SCANS_BY_DAY_IDS_MAX);
  return ids.every((id) => /^\w{1,64}$/.test(id)) ? undefined : formatInvalid('ids', 'be ids, separated by commas');
}

const scansByDayQuery = z.object({
  ids: scannedIds,
  days: wholeNumber('days', 1, 90)
    .default(7)
    .meta({ description: 'The number of days, of which today in `timezone` is the last; 7 unless given.' }),
  timezone: commonFilters.timezone,
  include_bots: commonFilters.include_bots,
});
export type ScansByDayQuery = z.infer<typeof scansByDayQuery>;

export const scansByDay = z.object({
  /** For each id, every day in order. */
  data: z.record(z.string(), z.array(z.object({ date: z.iso.date(), scans: z.number().int() }))),
  meta: selectionMeta.omit({ filters: true, unique_visitors_estimated: true }),
});
export type ScansByDayBody = z.infer<typeof scansByDay>;

const filtersQuery = z.object({
  search: filter('search', 255).meta({
    description:
      'Only links whose title, short code or an earlier code contains this text, and campaigns that contain it.',
  }),
  cursor: filter('cursor', 2048).meta({
    description: 'The `meta.next_cursor` of the previous response, with the same `search`.',
  }),
});
const filterLinks = z.array(z.object({ id: z.string(), short_code: z.string(), title: z.string().nullable() }));
const filterMeta = z.object({ truncated: z.boolean(), next_cursor: z.string().nullable() });
const campaigns = z.array(z.string());
/** The values of filters: at most 1,000 links and 1,000 campaigns in one answer. Being a list, it has no entity tag. */
export const filterValues = z.object({ data: z.object({ links: filterLinks, campaigns }), meta: filterMeta });
/** The same in the QR deployment. */
export const qrFilterValues = z.object({ data: z.object({ qr_codes: filterLinks, campaigns }), meta: filterMeta });

const scansMeta = {
  total: z
    .number()
    .int()
    .meta({ description: 'Scans of the selection; with a `cursor`, as many as on the first page.' }),
  next_cursor: nextCursor,
  ...rowsKeptFrom,
};
const scansPage = <T extends z.ZodType>(row: T) => {
  const answer = paginated(row);
  return answer.extend({ meta: answer.shape.meta.extend(scansMeta) });
};

/** Carries `rows_kept_from` with a CSV file; absent while all rows are kept. */
export const ROWS_KEPT_FROM_HEADER = 'X-Rows-Kept-From';

const path = '/workspaces/{workspace}/analytics';

const access = { kind: 'workspace', ability: 'read', roles: ANALYTICS_READERS } as const;

export const analyticsRoutes = {
  'analytics.summary': {
    method: 'GET',
    path: `${path}/summary`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: summaryQuery,
    response: { status: 200, schema: summary },
  },
  'analytics.qr_summary': {
    method: 'GET',
    path: `${path}/summary`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrSummaryQuery,
    response: { status: 200, schema: qrSummary },
  },
  'analytics.scans': {
    method: 'GET',
    path: `${path}/scans`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: analyticsFilters.extend(cursorPaging),
    response: { status: 200, schema: scansPage(scanRow) },
  },
  'analytics.qr_scans': {
    method: 'GET',
    path: `${path}/scans`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrAnalyticsFilters.extend(cursorPaging),
    response: { status: 200, schema: scansPage(qrScanRow) },
  },
  'analytics.export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['links'],
    service: 'analytics',
    access,
    query: analyticsFilters.extend(csvQuery),
    response: { status: 200, contentTypes: ['text/csv'] },
  },
  'analytics.qr_export': {
    method: 'GET',
    path: `${path}/export`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    query: qrAnalyticsFilters.extend(csvQuery),
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
  'analytics.breakdowns': {
    method: 'GET',
    path: `${path}/breakdowns`,
    deployments: ['links'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: breakdownsQuery,
    response: { status: 200, schema: breakdowns },
  },
  'analytics.qr_breakdowns': {
    method: 'GET',
    path: `${path}/breakdowns`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: qrBreakdownsQuery,
    response: { status: 200, schema: qrBreakdowns },
  },
  'analytics.conversion_breakdowns': {
    method: 'GET',
    path: `${path}/conversions/breakdowns`,
    deployments: ['links'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: conversionBreakdownsQuery,
    response: { status: 200, schema: conversionBreakdowns },
  },
  'analytics.links': {
    method: 'GET',
    path: `${path}/links`,
    deployments: ['links'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: scansByDayQuery,
    response: { status: 200, schema: scansByDay },
  },
  'analytics.qr_codes': {
    method: 'GET',
    path: `${path}/qr-codes`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: scansByDayQuery,
    response: { status: 200, schema: scansByDay },
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
