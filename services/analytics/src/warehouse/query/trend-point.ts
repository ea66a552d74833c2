import type { Interval } from '@waymark/contract/analytics';
import { localDate, localOffset, type ScanQuery } from './scan-query.js';
import { sql, type Sql } from './sql.js';

const INTERVALS = {
  hour: hourOf,
  day: localDate,
  week: (query: ScanQuery) => sql`toMonday(${localDate(query)})`,
  month: (query: ScanQuery) => sql`toStartOfMonth(${localDate(query)})`,
} as const satisfies Record<Interval, (query: ScanQuery) => Sql>;

/** Returns the point of a row: the local date on which it begins, or the key of an hour. Weeks begin on Mondays. */
export const pointOf = (query: ScanQuery, interval: Interval): Sql => INTERVALS[interval](query);

/** Returns the key of a `LocalHour`. */
function hourOf(query: ScanQuery): Sql {
  const offset = localOffset(query);
  const start = sql`intDiv(toUnixTimestamp(at) + ${offset}, 3600) * 3600 - ${offset}`;
  return sql`concat(toString(${start}), ' ', toString(${offset}))`;
}
