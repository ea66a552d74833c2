import type { Interval } from '@waymark/contract/analytics';
import { localDate, type ScanQuery } from './scan-query.js';
import { bind, sql, type Sql } from './sql.js';

const INTERVALS = {
  hour: hourOf,
  day: localDate,
  week: (query: ScanQuery) => sql`toMonday(${localDate(query)})`,
  month: (query: ScanQuery) => sql`toStartOfMonth(${localDate(query)})`,
} as const satisfies Record<Interval, (query: ScanQuery) => Sql>;

/** Returns the point of a row: the local date on which it begins, or the key of an hour. Weeks begin on Mondays. */
export const pointOf = (query: ScanQuery, interval: Interval): Sql => INTERVALS[interval](query);

/**
 * Returns the key of a `LocalHour`. For zones that have crossed the date line, the server's offset is wrong by one day.
 */
function hourOf({ timeZone }: ScanQuery): Sql {
  const offset = sql`timeZoneOffset(toTimeZone(at, ${bind.text(timeZone)}))`;
  const start = sql`intDiv(toUnixTimestamp(at) + ${offset}, 3600) * 3600 - ${offset}`;
  return sql`concat(toString(${start}), ' ', toString((${offset} + 86400) % 86400))`;
}
