import type { Interval } from '@waymark/shared/contract/analytics';
import { pointOf } from './point.js';
import { conversionsOf, type Filter, type FilterName, type Question } from './question.js';
import { sql, type Sql } from './sql.js';

export interface ConversionsRow {
  /** See `pointOf`. */
  point: string;
  conversions: number;
}

const CONVERSION_FILTERS: readonly FilterName[] = ['link', 'campaign', 'domain', 'tag', 'folder'];

/** Whether the filter is on a column of a conversion, or on its link. */
export const isConversionFilter = ({ name }: Filter): boolean => CONVERSION_FILTERS.includes(name);

/** The recorded conversions of each point that has some. They are kept longer than scans: no plan limits them. */
export function conversionsSql(question: Question, interval: Interval): Sql {
  const columns = sql`toString(${pointOf(question, interval)}) AS point, count() AS conversions`;
  return sql`${conversionsOf({ ...question, keptFrom: null }, columns)} GROUP BY point`;
}
