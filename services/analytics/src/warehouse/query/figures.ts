import { countries } from 'countries-list';
import type { Interval } from '@waymark/contract/analytics';
import {
  CAMPAIGN,
  isCounted,
  selectLinks,
  localDate,
  localTime,
  NONE,
  selectScans,
  type ScanQuery,
} from './scan-query.js';
import { pointOf } from './trend-point.js';
import { bind, joinSql, sql, Sql } from './sql.js';

const CODE = /^[A-Z]{2}$/;
const codes = Object.entries(countries).map(([country, { continent }]) => [country, continent] as const);

/**
 * Maps a scan's country to its continent by the codes of a library. Literals, because bound values are sent in the URL.
 */
const CONTINENT_OF_COUNTRY = sql`transform(toString(country), ${literalList(0)}, ${literalList(1)}, 'unknown')`;

function literalList(index: 0 | 1): Sql {
  const texts = codes.map((pair) => pair[index]);
  if (!texts.every((text) => CODE.test(text))) throw new Error('a code of a country or continent has two letters');
  return new Sql([`['${texts.join("','")}']`], []);
}

const DIMENSIONS = {
  link: () => sql`link_id`,
  campaign: () => CAMPAIGN,
  trigger: () => sql`trigger`,
  continent: () => CONTINENT_OF_COUNTRY,
  country: () => sql`country`,
  region: () => sql`region`,
  city: () => sql`city`,
  device: () => sql`device`,
  browser: () => sql`browser`,
  os: () => sql`os`,
  language: () => sql`language`,
  referrer: () => sql`referrer`,
  hour: (query: ScanQuery) => sql`toString(toHour(${localTime(query)}))`,
  weekday: (query: ScanQuery) => sql`toString(toDayOfWeek(${localDate(query)}))`,
} as const;
/** Current fields of a scan's link. A link that is not loaded yet has none. */
const LINK_DIMENSIONS = {
  domain: sql`if(domain = '', ${bind.text(NONE)}, domain)`,
  tag: sql`tag_place.1`,
  folder: sql`if(folder = '', ${bind.text(NONE)}, folder)`,
} as const;
export type FigureDimension = keyof typeof DIMENSIONS | keyof typeof LINK_DIMENSIONS;
export const FIGURE_DIMENSIONS = [...Object.keys(DIMENSIONS), ...Object.keys(LINK_DIMENSIONS)] as FigureDimension[];

/** How visitors are counted: an estimate is within 2 % and needs a fraction of the memory. */
export type VisitorCount = 'exact' | 'estimated';

export interface SummaryRow {
  part: 'total' | 'point' | 'device';
  /** The start of a point (see `pointOf`), or the device. */
  value: string;
  scans: number;
  unique_visitors: number;
  bot_scans: number;
}

export interface BreakdownRow {
  dimension: FigureDimension;
  value: string;
  scans: number;
  unique_visitors: number;
  /** Scans of all values of the dimension, including those beyond the limit. */
  total: number;
}

/** The scans of a link on a local date. */
export interface LinkDayRow {
  link: string;
  date: string;
  scans: number;
}

/** Counts the scans of each link on each day, with one read of the scans. */
export function linkDaysSql(query: ScanQuery): Sql {
  const columns = sql`link_id AS link, toString(${localDate(query)}) AS date, ${isCounted(query)} AS is_counted`;
  return sql`
    SELECT link, date, count() AS scans
    FROM (${selectScans(query, columns)})
    WHERE is_counted
    GROUP BY link, date`;
}

/** Selects totals, points with scans, and devices, with one read of the scans. */
export function summarySql(query: ScanQuery, interval: Interval, count: VisitorCount): Sql {
  const rows = selectScans(
    query,
    sql`${pointOf(query, interval)} AS point, device AS device_name, ${VISIT}, is_bot, ${isCounted(query)} AS is_counted`,
  );
  return sql`
    SELECT
      multiIf(grouping(point) = 0, 'point', grouping(device_name) = 0, 'device', 'total') AS part,
      multiIf(grouping(point) = 0, toString(point), grouping(device_name) = 0, toString(device_name), '') AS value,
      countIf(is_counted) AS scans,
      ${visitors(count)} AS unique_visitors,
      countIf(is_bot) AS bot_scans
    FROM (${rows})
    GROUP BY GROUPING SETS ((), (point), (device_name))`;
}

/** Ranks the values of several dimensions by scans, descending; ties by value. */
export function breakdownsSql(
  query: ScanQuery,
  { dimensions, limit }: { dimensions: readonly FigureDimension[]; limit: number },
  count: VisitorCount,
): Sql {
  const rows = dimensionRows(query, dimensions);
  const sets = dimensions.map((name) => sql`(${COLUMNS[name]})`);
  const branch = (value: (name: FigureDimension) => Sql): Sql =>
    joinSql(
      dimensions.map((name) => sql`grouping(${COLUMNS[name]}) = 0, ${value(name)}`),
      COMMA,
    );
  return sql`
    SELECT dimension, value, scans, unique_visitors, sum(different_scans) OVER (PARTITION BY dimension) AS total
    FROM (
      SELECT
        multiIf(${branch((name) => sql`${bind.text(name)}`)}, '') AS dimension,
        multiIf(${branch((name) => COLUMNS[name])}, '') AS value,
        countIf(is_first) AS different_scans,
        ${dimensions.includes('tag') ? sql`if(grouping(${COLUMNS.tag}) = 0, count(), different_scans)` : sql`different_scans`} AS scans,
        ${visitors(count)} AS unique_visitors
      FROM (${rows})
      WHERE is_counted
      GROUP BY GROUPING SETS (${joinSql(sets, COMMA)})
    )
    ORDER BY dimension, scans DESC, value
    LIMIT ${bind.count(limit)} BY dimension`;
}

/** Selects one row per scan; with the tag dimension, one per tag of its link, and marks the first of them. */
function dimensionRows(query: ScanQuery, dimensions: readonly FigureDimension[]): Sql {
  const own = dimensions.filter((name) => !isOfLink(name));
  const columns = [
    ...own.map((name) => sql`toString(${DIMENSIONS[name](query)}) AS ${COLUMNS[name]}`),
    VISIT,
    sql`${isCounted(query)} AS is_counted`,
  ];
  const ofLinks = dimensions.filter(isOfLink);
  if (ofLinks.length === 0) return sql`${selectScans(query, joinSql([...columns, sql`true AS is_first`], COMMA))}`;
  const linkColumns = [
    ...(ofLinks.includes('tag') ? [TAG_PLACE, sql`tag_place.2 = 1 AS is_first`] : [sql`true AS is_first`]),
    ...ofLinks.map((name) => sql`${LINK_DIMENSIONS[name]} AS ${COLUMNS[name]}`),
  ];
  return sql`
    SELECT *, ${joinSql(linkColumns, COMMA)}
    FROM (${selectScans(query, joinSql([...columns, sql`link_id AS scanned_link`], COMMA))}) AS scanned
    LEFT ANY JOIN (${selectLinks(query, sql`id AS known_link, domain, folder, tags`)}) AS known
    ON scanned_link = known_link`;
}

const isOfLink = (name: FigureDimension): name is keyof typeof LINK_DIMENSIONS => name in LINK_DIMENSIONS;

/** A tag of the link and its index. */
const TAG_PLACE = sql`
  if(empty(tags), [${bind.text(NONE)}], tags) AS any_tags,
  arrayJoin(arrayZip(any_tags, arrayEnumerate(any_tags))) AS tag_place`;

const COMMA = sql`, `;

/** Unique aliases: ClickHouse would use an alias with the name of a column in the conditions. */
const COLUMNS: Record<FigureDimension, Sql> = {
  link: sql`by_link`,
  campaign: sql`by_campaign`,
  trigger: sql`by_trigger`,
  continent: sql`by_continent`,
  country: sql`by_country`,
  region: sql`by_region`,
  city: sql`by_city`,
  device: sql`by_device`,
  browser: sql`by_browser`,
  os: sql`by_os`,
  language: sql`by_language`,
  referrer: sql`by_referrer`,
  hour: sql`by_hour`,
  weekday: sql`by_weekday`,
  domain: sql`by_domain`,
  tag: sql`by_tag`,
  folder: sql`by_folder`,
};

/**
 * Visitors are counted per UTC day, by a 64-bit hash: for five million visitors, the probability of a single miscount
 * is about one in a million, at a third of the cost of the pairs themselves.
 */
const VISIT = sql`visit`;

/** The estimate keeps 2^14 cells of HyperLogLog per value: a standard error of 0.8 %. */
const visitors = (count: VisitorCount): Sql =>
  count === 'exact'
    ? sql`uniqExactIf(visit, is_counted AND visit != 0)`
    : sql`uniqCombined64If(14)(visit, is_counted AND visit != 0)`;
