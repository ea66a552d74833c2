import { CURRENCIES_MAX, type ConversionDimension, type Interval } from '@waymark/contract/analytics';
import { pointOf } from './trend-point.js';
import { CAMPAIGN, CONVERSION_FILTER_NAMES, selectConversions, type Filter, type ScanQuery } from './scan-query.js';
import { bind, joinSql, sql, type Sql } from './sql.js';

/** The conversions of a point, or those with a value in a currency. */
export interface ConversionsRow {
  part: 'point' | 'currency';
  /** The start of a point (see `pointOf`), or the currency. */
  value: string;
  conversions: number;
  /** The sum of the values; `null` for a point, whose conversions have different currencies. */
  amount: number | null;
}

export interface ConversionBreakdownRow {
  dimension: ConversionDimension;
  value: string;
  conversions: number;
  /** Conversions of all values of the dimension, including those beyond the limit. */
  total: number;
  /** The currency of the most conversions first. */
  amounts: [currency: string, amount: number][];
}

/** Whether the filter applies to a column of conversions, or to their links. */
export const isConversionFilter = ({ name }: Filter): boolean =>
  (CONVERSION_FILTER_NAMES as readonly string[]).includes(name);

/** One extra currency shows that there are more. */
const CURRENCY_ROWS_MAX = bind.count(CURRENCIES_MAX + 1);

/** Counts recorded conversions by point, and adds up their values by currency, with one read of the conversions. */
export function conversionsSql(query: ScanQuery, interval: Interval): Sql {
  return sql`
    SELECT
      if(grouping(point) = 0, 'point', 'currency') AS part,
      if(grouping(point) = 0, point, amount_currency) AS value,
      count() AS conversions,
      if(grouping(point) = 0, NULL, sum(decimal_amount)) AS amount
    FROM (${conversionRows(query, [sql`toString(${pointOf(query, interval)}) AS point`])})
    GROUP BY GROUPING SETS ((point), (amount_currency))
    HAVING part = 'point' OR value != ''
    ORDER BY part, conversions DESC, value
    LIMIT ${CURRENCY_ROWS_MAX} BY part, if(part = 'point', value, '')`;
}

/** Ranks the values of several dimensions by conversions, descending; ties by value. */
export function conversionBreakdownsSql(
  query: ScanQuery,
  { dimensions, limit }: { dimensions: readonly ConversionDimension[]; limit: number },
): Sql {
  const columns = dimensions.map((name) => sql`toString(${DIMENSIONS[name]}) AS ${COLUMNS[name]}`);
  const sets = dimensions.map((name) => sql`(${COLUMNS[name]}, amount_currency)`);
  const branch = (value: (name: ConversionDimension) => Sql): Sql =>
    joinSql(
      dimensions.map((name) => sql`grouping(${COLUMNS[name]}) = 0, ${value(name)}`),
      COMMA,
    );
  return sql`
    SELECT
      dimension,
      value,
      conversions,
      sum(conversions) OVER (PARTITION BY dimension) AS total,
      arrayMap(entry -> (entry.1, entry.2), arraySlice(arraySort(entry -> (-entry.3, entry.1), sums), 1, ${CURRENCY_ROWS_MAX})) AS amounts
    FROM (
      SELECT
        dimension,
        value,
        sum(counted) AS conversions,
        groupArrayIf((amount_currency, amount, counted), amount_currency != '') AS sums
      FROM (
        SELECT
          multiIf(${branch((name) => sql`${bind.text(name)}`)}, '') AS dimension,
          multiIf(${branch((name) => COLUMNS[name])}, '') AS value,
          amount_currency,
          count() AS counted,
          sum(decimal_amount) AS amount
        FROM (${conversionRows(query, columns)})
        GROUP BY GROUPING SETS (${joinSql(sets, COMMA)})
      )
      GROUP BY dimension, value
    )
    ORDER BY dimension, conversions DESC, value
    LIMIT ${bind.count(limit)} BY dimension`;
}

/** Ignores retention, because no plan limits conversions. */
const conversionRows = (query: ScanQuery, columns: readonly Sql[]): Sql =>
  selectConversions({ ...query, keptFrom: null }, joinSql([...columns, AMOUNT], COMMA));

const COMMA = sql`, `;

const DIMENSIONS = {
  link: sql`link_id`,
  campaign: CAMPAIGN,
  source: sql`source`,
} as const satisfies Record<ConversionDimension, Sql>;

/** Unique aliases: ClickHouse would use an alias with the name of a column in the conditions. */
const COLUMNS = {
  link: sql`by_link`,
  campaign: sql`by_campaign`,
  source: sql`by_source`,
} as const satisfies Record<ConversionDimension, Sql>;

/**
 * The value as a decimal number, because a sum of floating-point numbers depends on their order, and its currency; empty
 * without either, and for a value that 0.1.0 accepted although no decimal type can hold it.
 */
const AMOUNT = sql`
  toDecimal256OrNull(toString(value), 20) AS decimal_amount,
  if(isNull(decimal_amount), '', ifNull(toString(currency), '')) AS amount_currency`;
