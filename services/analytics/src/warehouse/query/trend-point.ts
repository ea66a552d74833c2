import type { Interval } from '@waymark/contract/analytics';
import { dateOfDay } from '../../time/local-days.js';
import { localDate, localOffset, localTime, type ScanQuery } from './scan-query.js';
import { bind, sql, type Sql } from './sql.js';

const INTERVALS = {
  hour: (query: ScanQuery) => (query.shift ? comparedHourOf(query) : hourOf(query)),
  day: shiftedDate,
  week: (query: ScanQuery) => sql`toMonday(${shiftedDate(query)})`,
  month: (query: ScanQuery) => sql`toStartOfMonth(${shiftedDate(query)})`,
} as const satisfies Record<Interval, (query: ScanQuery) => Sql>;

/**
 * Returns the point of a row: the local date on which it begins, or the key of an hour. Weeks begin on Mondays. Rows of
 * an earlier range are in the points of the range that is compared with it.
 */
export const pointOf = (query: ScanQuery, interval: Interval): Sql => INTERVALS[interval](query);

/** The key of a point of an hour in an earlier range: by the clock, because clocks may change in either range. */
export const comparedHour = (date: string, hour: number): string => `${date} ${hour}`;

const comparedHourOf = (query: ScanQuery): Sql =>
  sql`concat(toString(${shiftedDate(query)}), ' ', toString(toHour(${localTime(query)})))`;

/** Mirrors `shiftDay`. */
function shiftedDate(query: ScanQuery): Sql {
  const { shift } = query;
  const date = localDate(query);
  if (!shift) return date;
  if ('days' in shift) return sql`${date} + ${bind.count(shift.days)}`;
  const first = bind.date(dateOfDay(shift.firstDay));
  return sql`greatest(addYears(${date}, ${bind.count(shift.years)}), toDate(${first}))`;
}

/** Returns the key of a `LocalHour`. */
function hourOf(query: ScanQuery): Sql {
  const offset = localOffset(query);
  const start = sql`intDiv(toUnixTimestamp(at) + ${offset}, 3600) * 3600 - ${offset}`;
  return sql`concat(toString(${start}), ' ', toString(${offset}))`;
}
