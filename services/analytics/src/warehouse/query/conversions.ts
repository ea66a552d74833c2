import { conversionsOf, localDate, type Filter, type Question } from './question.js';
import { sql, type Sql } from './sql.js';

export interface ConversionsRow {
  date: string;
  conversions: number;
}

/** Whether a conversion has the column of the filter. */
export const isConversionFilter = ({ name }: Filter): boolean => name === 'link' || name === 'campaign';

/** The recorded conversions of each local date that has some. They are kept longer than scans: no plan limits them. */
export function conversionsSql(question: Question): Sql {
  const columns = sql`toString(${localDate(question)}) AS date, count() AS conversions`;
  return sql`${conversionsOf({ ...question, keptFrom: null }, columns)} GROUP BY date`;
}
