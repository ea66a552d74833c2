import type { Interval } from '@waymark/shared/contract/analytics';
import { CAMPAIGN, isCounted, localDate, scansOf, type Question } from './question.js';
import { CONTINENT } from './continent.js';
import { pointOf } from './point.js';
import { bind, joined, sql, type Sql } from './sql.js';

const DIMENSIONS = {
  link: () => sql`link_id`,
  campaign: () => CAMPAIGN,
  trigger: () => sql`trigger`,
  continent: () => CONTINENT,
  country: () => sql`country`,
  region: () => sql`region`,
  city: () => sql`city`,
  device: () => sql`device`,
  browser: () => sql`browser`,
  os: () => sql`os`,
  referrer: () => sql`referrer`,
  hour: ({ timeZone }: Question) => sql`toString(toHour(at, ${bind.text(timeZone)}))`,
  weekday: (question: Question) => sql`toString(toDayOfWeek(${localDate(question)}))`,
} as const;
export type FigureDimension = keyof typeof DIMENSIONS;
export const FIGURE_DIMENSIONS = Object.keys(DIMENSIONS) as FigureDimension[];

/** How visitors are counted: an estimate is within 1 % and needs a fraction of the memory. */
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
  /** Scans of all values of the dimension, also of those past the limit. */
  total: number;
}

/** Totals, points of the trend that have scans, and devices, from one read of the scans. */
export function summarySql(question: Question, interval: Interval, count: VisitorCount): Sql {
  const rows = scansOf(
    question,
    sql`${pointOf(question, interval)} AS point, device AS device_name, ${VISITOR}, is_bot, ${isCounted(question)} AS is_counted`,
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

/** The values of several dimensions by scans, most first; of as many scans, by value. */
export function breakdownsSql(
  question: Question,
  { dimensions, limit }: { dimensions: readonly FigureDimension[]; limit: number },
  count: VisitorCount,
): Sql {
  const columns = dimensions.map((name) => sql`toString(${DIMENSIONS[name](question)}) AS ${COLUMNS[name]}`);
  const rows = scansOf(question, sql`${joined(columns, COMMA)}, ${VISITOR}, ${isCounted(question)} AS is_counted`);
  const sets = dimensions.map((name) => sql`(${COLUMNS[name]})`);
  const branch = (value: (name: FigureDimension) => Sql): Sql =>
    joined(
      dimensions.map((name) => sql`grouping(${COLUMNS[name]}) = 0, ${value(name)}`),
      COMMA,
    );
  return sql`
    SELECT dimension, value, scans, unique_visitors, sum(scans) OVER (PARTITION BY dimension) AS total
    FROM (
      SELECT
        multiIf(${branch((name) => sql`${bind.text(name)}`)}, '') AS dimension,
        multiIf(${branch((name) => COLUMNS[name])}, '') AS value,
        count() AS scans,
        ${visitors(count)} AS unique_visitors
      FROM (${rows})
      WHERE is_counted
      GROUP BY GROUPING SETS (${joined(sets, COMMA)})
    )
    ORDER BY dimension, scans DESC, value
    LIMIT ${bind.count(limit)} BY dimension`;
}

const COMMA = sql`, `;

/** Names of their own: an alias that is also a column would be taken for it in the conditions. */
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
  referrer: sql`by_referrer`,
  hour: sql`by_hour`,
  weekday: sql`by_weekday`,
};

/**
 * A visitor is one of a UTC day. 64 bits of a hash tell them apart: five million visitors are miscounted by one with a
 * probability of one in a million, at a third of the cost of the pairs themselves. Zero bytes: the salt of the day was
 * destroyed before the scan came in.
 */
const VISITOR = sql`cityHash64(toDate(at), visitor) AS day_visitor, visitor != toFixedString('', 16) AS has_visitor`;

const visitors = (count: VisitorCount): Sql =>
  count === 'exact'
    ? sql`uniqExactIf(day_visitor, is_counted AND has_visitor)`
    : sql`uniqCombined64If(day_visitor, is_counted AND has_visitor)`;
