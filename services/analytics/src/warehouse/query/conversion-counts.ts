import type { Interval } from '@waymark/contract/analytics';
import { pointOf } from './trend-point.js';
import { selectConversions, type Filter, type FilterName, type ScanQuery } from './scan-query.js';
import { sql, type Sql } from './sql.js';

export interface ConversionsRow {
  /** See `pointOf`. */
  point: string;
  conversions: number;
}

const CONVERSION_FILTERS: readonly FilterName[] = ['link', 'campaign', 'domain', 'tag', 'folder'];

/** Whether the filter applies to a column of conversions, or to their links. */
export const isConversionFilter = ({ name }: Filter): boolean => CONVERSION_FILTERS.includes(name);

/** Counts recorded conversions per point. Ignores retention, because no plan limits conversions. */
export function conversionsSql(query: ScanQuery, interval: Interval): Sql {
  const columns = sql`toString(${pointOf(query, interval)}) AS point, count() AS conversions`;
  return sql`${selectConversions({ ...query, keptFrom: null }, columns)} GROUP BY point`;
}
