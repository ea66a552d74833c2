import type { Interval } from '@waymark/contract/analytics';
import { pointOf } from './point.js';
import { conversionsOf, type Filter, type FilterName, type Question } from './question.js';
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
export function conversionsSql(question: Question, interval: Interval): Sql {
  const columns = sql`toString(${pointOf(question, interval)}) AS point, count() AS conversions`;
  return sql`${conversionsOf({ ...question, keptFrom: null }, columns)} GROUP BY point`;
}
