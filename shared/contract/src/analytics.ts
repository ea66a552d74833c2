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

const text = (meaning: string) => z.string().describe(meaning);
const nullableText = (meaning: string) => z.string().nullable().describe(meaning);
const count = (meaning: string) => z.number().int().describe(meaning);
const nullableCount = (meaning: string) => z.number().int().nullable().describe(meaning);
const flag = (meaning: string) => z.boolean().describe(meaning);

const KIND_OF_DEVICE = 'Kind of device, by the user agent; `other` for game consoles, televisions and unknown ones.';
export const scanRow = z
  .object({
    id: text('Unique id, beginning with `scn_`.'),
    link_id: text('Id of the link that was visited.'),
    short_code: text('Current short code at the time of the visit, also when the visitor used an earlier one.'),
    scanned_at: timestamp.describe('When the visitor was redirected, in UTC.'),
    trigger: trigger.describe('`qr` for a visit of `/q/{short_code}` or with `qr=1`, `link` for any other.'),
    country: text("ISO 3166 code of the visitor's country, by the IP address; `unknown` where it is not known."),
    region: text("Name of the visitor's state or region, by the IP address; `unknown` where it is not known."),
    city: text("Name of the visitor's city, by the IP address; `unknown` where it is not known."),
    device: device.describe(KIND_OF_DEVICE),
    browser: text('Browser, or app with a browser of its own, such as `Instagram`; `unknown` where it is not known.'),
    os: text('Operating system without its version, such as `Android`; `unknown` where it is not known.'),
    language: text('Preferred language of the browser: an ISO 639 code without a region, such as `de`, or `unknown`.'),
    referrer: text('Host of the page with the link, without `www.`; `direct` without one, or for an IP address.'),
    campaign: nullableText('Campaign tag at the time of the visit; `null` when there was none.'),
    is_unique: flag(
      'Whether it is the first stored scan of its link or QR code by this visitor on this UTC day; `false` for a bot.',
    ),
    is_bot: flag(
      'Whether a program made it: a crawler, a preview, a browser that fetches ahead, or a client without a user agent.',
    ),
  })
  .describe('A scan: one visit of a short code that was redirected, by a link or a QR code.');
export type ScanRow = z.infer<typeof scanRow>;

/** The same in the QR deployment. */
export const qrScanRow = scanRow
  .omit({ link_id: true, trigger: true })
  .extend({ qr_code_id: text('Id of the QR code that was visited.') })
  .describe('A scan: one visit of the short code of a QR code that was redirected.');
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
    description:
      'First day of the range, inclusive, in `timezone`; not before 1970. Omit it, or pass `all`, for 29 days before the last day.',
  }),
  end_date: day('end_date').meta({
    description:
      'Last day of the range, inclusive, in `timezone`. Omit it, or pass `all`, for today. A range has at most five years (1,830 days).',
  }),
  timezone: z
    .string({ error: 'The timezone must be given once.' })
    .refine(isTimeZone, asIssue(formatInvalid('timezone', 'be an IANA zone name')))
    .default('UTC')
    .meta({
      description: 'Zone of all days and hours: an IANA name such as `Europe/Berlin`; `UTC` by default.',
    }),
  country: values('country', 'Scans from these countries (ISO 3166 codes; `unknown` where it is not known).'),
  region: values('region', 'Scans from these regions; `unknown` where it is not known.'),
  city: values('city', 'Scans from these cities; `unknown` where it is not known.'),
  device: words('device', 'Scans from these devices.', device.options),
  browser: values(
    'browser',
    'Scans by these browsers, as scans name them (`Chrome`); `unknown` where it is not known.',
  ),
  os: values('os', 'Scans by these operating systems, as scans name them (`iOS`); `unknown` where it is not known.'),
  language: values(
    'language',
    'Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known.',
  ),
  referrer: values('referrer', 'Scans that came from these hosts; `direct` without a referrer.'),
  campaign: values(
    'campaign',
    'Scans of links that had these campaign tags at that time; `none` without one. Write a comma, a `!` or a backslash of a name with a backslash in front of it.',
  ),
  include_bots: z
    .stringbool({ error: 'The include_bots must be true or false.' })
    .meta({ type: 'boolean' })
    .default(false)
    .meta({ description: '`true` also counts the scans of bots, see `is_bot` of a scan; `false` by default.' }),
};

/** The filters of every analytics route; `all` or an absent one disables a filter. A row must match all of them. */
export const analyticsFilters = z.object({
  ...commonFilters,
  link_id: values('link_id', 'Scans of the links with these ids; an unknown id matches nothing.'),
  trigger: words('trigger', 'Scans of QR codes (`qr`) or of links (`link`).', trigger.options),
  domain_id: values('domain_id', `Scans of links that are on these domains now; \`none\` for the default short host.`),
  tag_id: values('tag_id', 'Scans of links that have any of these tags now; `none` for links without tags.'),
  folder_id: values('folder_id', 'Scans of links that are in these folders now; `none` for links in no folder.'),
});
export type AnalyticsFilters = z.infer<typeof analyticsFilters>;

/** The same in the QR deployment. */
export const qrAnalyticsFilters = z.object({
  ...commonFilters,
  qr_code_id: values('qr_code_id', 'Scans of the QR codes with these ids; an unknown id matches nothing.'),
});
export type QrAnalyticsFilters = z.infer<typeof qrAnalyticsFilters>;

/** Bounds the size of an answer, because any three letters may be a currency: 300 rows with 100 sums each take about 1 MB. */
export const CURRENCIES_MAX = 100;
const conversionValues = z.array(
  z.object({
    currency: text('Three capital letters, by ISO 4217.'),
    value: z.number().describe('Sum of the values in this currency.'),
  }),
);
const SUMS =
  'The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most ' +
  'conversions first. A conversion without a `value` is in no sum.';
const currenciesTruncated = {
  currencies_truncated: flag(`Whether a list of sums has more than ${CURRENCIES_MAX} currencies and ends there.`),
};

const ONCE_A_DAY = 'one with the same IP address and user agent counts once in each UTC day';
const kpiCounts = z.object({
  total_scans: count('Scans in the range that match the filters; those of bots only with `include_bots`.'),
  unique_visitors: count(
    `Visitors who made these scans: ${ONCE_A_DAY}. A scan that arrives more than 24 hours after its day counts none.`,
  ),
  conversions: nullableCount(
    'Recorded conversions that occurred in the range. `null` under a filter that a conversion does not have: all but links, campaigns, domains, tags and folders.',
  ),
  conversion_rate: z
    .number()
    .nullable()
    .describe('`conversions` divided by `total_scans`: 0 where there is no scan, `null` where `conversions` is.'),
  conversion_values: conversionValues.nullable().meta({ description: `${SUMS} \`null\` where \`conversions\` is.` }),
  bot_scans: count('Scans of bots in the range that match the filters, also without `include_bots`.'),
});
const previousKpis = {
  description: 'The same figures of the range that is compared with; absent without `compare`.',
};
const kpis = kpiCounts.extend({
  active_links: count('Links that are active now and match the filters by link, campaign, domain, tag and folder.'),
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
      'Length of the points of the trend: `day` by default, `hour` for at most 14 days. Weeks begin on Mondays. All in `timezone`.',
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
  scans: count('Scans in these days or hours.'),
  unique_visitors: count(`Visitors who made these scans: ${ONCE_A_DAY}.`),
  conversions: nullableCount('Conversions that occurred then; `null` where those of `kpis` are.'),
});
const NOT_YET = '`null` for a point that begins after `data_as_of`';
const trendCounts = pointCounts.extend({
  scans: nullableCount(`Scans in the part of the point that is in the range. ${NOT_YET}.`),
  unique_visitors: nullableCount(
    `Visitors who made these scans; one who returns in another point counts in both. ${NOT_YET}.`,
  ),
  conversions: nullableCount(`Conversions that occurred in the point. ${NOT_YET}, and where those of \`kpis\` are.`),
});
const previousPoint = {
  description:
    'Figures of the days or hours that this point is compared with; `null` where there are none, and where the range is not over yet. ' +
    'Absent without `compare`.',
};
const comparedStart = {
  date: z.iso.date().describe('Local date of the first of these days or hours.'),
  starts_at: timestamp.describe('When the first of them begins, in UTC.'),
};
const trendPoint = trendCounts.extend({
  date: z.iso.date().describe('Local date on which the point begins; a week or month may begin before the range.'),
  starts_at: timestamp.describe('When the point begins, in UTC.'),
  previous: pointCounts.extend(comparedStart).nullable().optional().meta(previousPoint),
});
const qrPointCounts = pointCounts.omit({ conversions: true });
const qrTrendPoint = trendPoint.omit({ conversions: true }).extend({
  previous: qrPointCounts.extend(comparedStart).nullable().optional().meta(previousPoint),
});
const trendOf = <T extends z.ZodType>(point: T) =>
  z.array(point).describe('A point for each interval that overlaps the range, the earliest first, also without scans.');
const totals = { description: 'Figures of the whole range.' };
const devices = z
  .array(
    z.object({
      device: device.describe(KIND_OF_DEVICE),
      scans: count('Scans by these devices.'),
      share: z.number().describe('Part of `total_scans`, from 0 to 1.'),
    }),
  )
  .describe('Devices that made scans, the one with the most first.');
const rowsKeptFrom = {
  rows_kept_from: z.iso.date().nullable().meta({
    description:
      'First UTC day whose scans are still kept: earlier ones are neither listed nor counted. `null` while all are kept.',
  }),
};
const dates = {
  start_date: z.iso.date().describe('First day of the range, inclusive, in `timezone`.'),
  end_date: z.iso.date().describe('Last day of the range, inclusive, in `timezone`.'),
};
const asOf = (subject: string) =>
  timestamp
    .nullable()
    .describe(
      `Every stored ${subject} from before this time is counted; later ones may be missing. \`null\` while the history is being reloaded.`,
    );
const selectionMeta = z.object({
  ...dates,
  timezone: text('IANA name of the zone of all days and hours.'),
  filters: z
    .record(z.string(), z.unknown())
    .describe('The filters that were applied, by parameter: as a request takes them, `all` where there is none.'),
  data_as_of: asOf('scan'),
  ...rowsKeptFrom,
  unique_visitors_estimated: flag(
    'Whether `unique_visitors` are estimated, within 2 %: above five million scans in the range (fewer with more than three dimensions), or when an exact count would need too much memory.',
  ),
});
const META = 'What was counted, and how complete it is.';
const summaryMeta = selectionMeta.extend({
  interval: interval.describe('Length of the points of the trend.'),
  compared_with: z
    .object({ compare: comparison.describe('How the earlier range was chosen.'), ...dates })
    .nullable()
    .describe('The earlier range; its days before `rows_kept_from` have no scans. `null` without `compare`.'),
});

export const summary = z
  .object({
    data: z
      .object({ kpis: kpis.meta(totals), trend: trendOf(trendPoint), devices })
      .describe('Figures of the selected scans.'),
    meta: summaryMeta.extend(currenciesTruncated).describe(META),
  })
  .describe('Figures of the scans and conversions of a range of days.');
export type SummaryBody = z.infer<typeof summary>;

/** The same in the QR deployment, which has no conversions. */
export const qrSummary = z
  .object({
    data: z
      .object({
        kpis: qrKpiCounts
          .extend({
            active_qr_codes: count('QR codes that are active now and match the filters by QR code and campaign.'),
            previous: qrKpiCounts.optional().meta(previousKpis),
          })
          .meta(totals),
        trend: trendOf(qrTrendPoint),
        devices,
      })
      .describe('Figures of the selected scans.'),
    meta: summaryMeta.describe(META),
  })
  .describe('Figures of the scans of a range of days.');
export type QrSummaryBody = z.infer<typeof qrSummary>;

const limit = wholeNumber('limit', 1, 100)
  .default(25)
  .meta({ description: 'At most this many values of each dimension, 1 to 100; 25 unless given.' });
const appliedLimit = count('Most values of a dimension in this answer.');
const SCAN_VALUES =
  '`hour` is the hour of the day (0 to 23) and `weekday` the day of the week (1 is Monday), both in `timezone`; `continent` is ' +
  'AF, AN, AS, EU, NA, OC, SA or `unknown`; a scan without a campaign has the campaign `none`.';
const DIMENSION_VALUES =
  `${SCAN_VALUES} ` +
  '`domain`, `tag` and `folder` are ids of what the link of a scan has now, or `none`; a scan of a link with two tags counts in both rows. ' +
  'Their names are in the lists of domains, tags and folders of the workspace.';

/** The parameters of a breakdown besides the filters. */
const breakdownQuery = analyticsFilters.extend({
  dimension: choice('dimension', dimension.options).meta({ description: DIMENSION_VALUES }),
  limit,
});

export const breakdownRow = z
  .object({
    value: text('Value of the dimension; an id where that is a link, QR code, domain, tag or folder.'),
    scans: count('Scans with this value.'),
    unique_visitors: count(`Visitors who made these scans: ${ONCE_A_DAY}.`),
    share: z
      .number()
      .describe('`scans` as a part of `meta.total`, from 0 to 1. Those of tags may add up to more than 1.'),
  })
  .describe('One value of a dimension.');
const namesOfLink = {
  short_code: nullableText('Current short code; `null` until analytics knows of the link.'),
  title: nullableText('Current title; `null` when there is none.'),
};
export const linkRow = breakdownRow.extend(namesOfLink).describe('One link or QR code, as a value of a dimension.');
const ONLY_OF_LINKS = 'Only in the dimension `link`.';
const anyRow = breakdownRow.extend({
  short_code: namesOfLink.short_code.optional().describe(`${namesOfLink.short_code.description} ${ONLY_OF_LINKS}`),
  title: namesOfLink.title.optional().describe(`${namesOfLink.title.description} ${ONLY_OF_LINKS}`),
});
export type BreakdownRowBody = z.infer<typeof anyRow>;

const total = z
  .number()
  .int()
  .meta({ description: 'Scans of all values, also of those beyond the limit; each `share` is a part of this number.' });

export const breakdown = z
  .object({
    data: z.array(anyRow).describe('Values with the most scans, most first; those with equally many by value.'),
    meta: z
      .object({
        dimension: dimension.describe('What `value` is in the rows.'),
        total,
        limit: appliedLimit,
        truncated: flag('Whether there are more values than `limit`.'),
        ...rowsKeptFrom,
        unique_visitors_estimated: selectionMeta.shape.unique_visitors_estimated,
      })
      .describe(META),
  })
  .describe('Scans of a selection, by the values of one dimension.');
export type BreakdownBody = z.infer<typeof breakdown>;

/** Several dimensions, separated by commas. */
const dimensionList = <const T extends readonly string[]>(options: T, meanings: string, example: string) => {
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
    .meta({ description: `${problem.message} ${meanings}`, example });
};
const breakdownsQuery = analyticsFilters.extend({
  dimensions: dimensionList(dimension.options, DIMENSION_VALUES, 'country,link'),
  limit,
});
const qrBreakdownsQuery = qrAnalyticsFilters.extend({
  dimensions: dimensionList(qrDimension.options, SCAN_VALUES, 'country,qr_code'),
  limit,
});

const rowsBy = <T extends string>(names: readonly T[]) =>
  z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        z
          .array(name === 'link' || name === 'qr_code' ? linkRow : breakdownRow)
          .optional()
          .describe('Values with the most scans, most first; absent unless requested.'),
      ]),
    ) as Record<T, z.ZodOptional<z.ZodArray<typeof anyRow>>>,
  );
const truncatedDimensions = <T extends string>(names: z.ZodType<T>) => ({
  truncated: flag('Whether any of the dimensions has more values than `limit`.'),
  truncated_dimensions: z.array(names).describe('The dimensions with more values than `limit`.'),
});
const breakdownsOf = <T extends string>(names: z.ZodType<T>, rows: z.ZodType) =>
  z
    .object({
      data: rows.describe('The requested dimensions, by name.'),
      meta: selectionMeta.extend({ total, limit: appliedLimit, ...truncatedDimensions(names) }).describe(META),
    })
    .describe('Scans of a selection, by the values of several dimensions.');
export const breakdowns = breakdownsOf(dimension, rowsBy(dimension.options));
/** The same in the QR deployment. */
export const qrBreakdowns = breakdownsOf(qrDimension, rowsBy(qrDimension.options));

/** Those filters that a conversion has, and its own. */
export const conversionFilters = analyticsFilters.pick({ start_date: true, end_date: true, timezone: true }).extend({
  link_id: values('link_id', 'Conversions of the links with these ids.'),
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
    'link,source',
  ),
  limit,
});

const conversionRow = z.object({
  value: text('Value of the dimension: the id of a link, a campaign tag, or a source.'),
  conversions: count('Recorded conversions with this value that occurred in the range.'),
  share: z.number().describe('`conversions` as a part of `meta.total`, from 0 to 1.'),
  conversion_values: conversionValues.meta({ description: SUMS }),
});
const convertedLinkRow = conversionRow.extend(namesOfLink);
const mostConverted = <T extends z.ZodType>(row: T) =>
  z
    .array(row)
    .optional()
    .describe(
      'Values with the most conversions, most first, those with equally many by value; absent unless requested.',
    );
export const conversionBreakdowns = z
  .object({
    data: z
      .object({
        link: mostConverted(convertedLinkRow),
        campaign: mostConverted(conversionRow),
        source: mostConverted(conversionRow),
      })
      .describe('The requested dimensions, by name.'),
    meta: selectionMeta
      .pick({ start_date: true, end_date: true, timezone: true, filters: true })
      .extend({
        data_as_of: asOf('conversion'),
        total: count(
          'Conversions of all values, also of those beyond the limit; each `share` is a part of this number.',
        ),
        limit: appliedLimit,
        ...truncatedDimensions(conversionDimension),
        ...currenciesTruncated,
      })
      .describe(META),
  })
  .describe('Conversions of a selection, by the values of several dimensions.');
export type ConversionBreakdownsBody = z.infer<typeof conversionBreakdowns>;

const SCANS_BY_DAY_IDS_MAX = 100;
const scannedIds = (example: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'The ids are required.' : 'The ids must be given once.') })
    .transform((text, ctx) => {
      const ids = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
      const problem = problemOfIds(ids);
      if (problem === undefined) return ids;
      report(ctx, problem);
      return z.NEVER;
    })
    .meta({
      description: `Ids of links (in the QR codes deployment, of QR codes), separated by commas; at most ${SCANS_BY_DAY_IDS_MAX}.`,
      example,
    });

function problemOfIds(ids: string[]): Problem | undefined {
  if (ids.length === 0) return required('ids');
  if (ids.length > SCANS_BY_DAY_IDS_MAX) return tooMany('ids', SCANS_BY_DAY_IDS_MAX);
  return ids.every((id) => /^\w{1,64}$/.test(id)) ? undefined : formatInvalid('ids', 'be ids, separated by commas');
}

const scansByDayQuery = (exampleId: string) =>
  z.object({
    ids: scannedIds(exampleId),
    days: wholeNumber('days', 1, 90)
      .default(7)
      .meta({ description: 'The number of days, 1 to 90, of which today in `timezone` is the last; 7 unless given.' }),
    timezone: commonFilters.timezone,
    include_bots: commonFilters.include_bots,
  });
export type ScansByDayQuery = z.infer<ReturnType<typeof scansByDayQuery>>;

const dayOfScans = z.object({
  date: z.iso.date().describe('Day in `timezone`.'),
  scans: count('Scans on this day; 0 also for an id that does not exist.'),
});
export const scansByDay = z
  .object({
    data: z.record(z.string(), z.array(dayOfScans)).describe('Every day of the range, the earliest first, by id.'),
    meta: selectionMeta.omit({ filters: true, unique_visitors_estimated: true }).describe(META),
  })
  .describe('Scans of each day, by link or QR code.');
export type ScansByDayBody = z.infer<typeof scansByDay>;

const filtersQuery = z.object({
  search: filter('search', 255).meta({
    description:
      'Only links or QR codes whose title, short code or an earlier code contains this text, in any case, and campaigns that do. At most 255 characters.',
  }),
  cursor: filter('cursor', 2048).meta({
    description: 'The `meta.next_cursor` of the previous response, with the same `search`.',
  }),
});
const filterLinks = z
  .array(
    z.object({
      id: text('What the filter by it takes.'),
      short_code: text('Current short code.'),
      title: nullableText('Text for people; `null` when there is none.'),
    }),
  )
  .describe('At most 1,000 that are not deleted: those scanned last first, after a `cursor` by id.');
const filterMeta = z
  .object({
    truncated: flag('Whether there are more values: repeat the request with `next_cursor`.'),
    next_cursor: nullableText('With it as `cursor` the answer continues; `null` at the end.'),
  })
  .describe('Whether the lists are complete.');
const campaigns = z
  .array(z.string())
  .describe('At most 1,000 campaign tags of links and of stored scans, in alphabetical order.');
const filterData = { description: 'Links or QR codes, and campaigns, by which analytics can be filtered.' };
/** The values of filters: at most 1,000 links and 1,000 campaigns in one answer. Being a list, it has no entity tag. */
export const filterValues = z
  .object({ data: z.object({ links: filterLinks, campaigns }).meta(filterData), meta: filterMeta })
  .meta(filterData);
/** The same in the QR deployment. */
export const qrFilterValues = z
  .object({ data: z.object({ qr_codes: filterLinks, campaigns }).meta(filterData), meta: filterMeta })
  .meta(filterData);

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
  return answer
    .extend({
      meta: answer.shape.meta.extend(scansMeta).describe('Place of the page in the list, and how long scans are kept.'),
    })
    .describe('The answer with one page of scans.');
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
    query: scansByDayQuery('lnk_01KG9R2J5C7D8E9F0G1H2J3K4M'),
    response: { status: 200, schema: scansByDay },
  },
  'analytics.qr_codes': {
    method: 'GET',
    path: `${path}/qr-codes`,
    deployments: ['qr'],
    service: 'analytics',
    access,
    versions: ['v1'],
    query: scansByDayQuery('qr_01KG9R3A6B7C8D9E0F1G2H3J4K'),
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
