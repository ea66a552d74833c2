import type { Interval } from '@waymark/contract/analytics';
import { localDate, type Question } from './question.js';
import { bind, sql, type Sql } from './sql.js';

const INTERVALS = {
  hour: hourOf,
  day: localDate,
  week: (question: Question) => sql`toMonday(${localDate(question)})`,
  month: (question: Question) => sql`toStartOfMonth(${localDate(question)})`,
} as const satisfies Record<Interval, (question: Question) => Sql>;

/** Returns the point of a row: the local date on which it begins, or the key of an hour. Weeks begin on Mondays. */
export const pointOf = (question: Question, interval: Interval): Sql => INTERVALS[interval](question);

/**
 * Returns the key of a `LocalHour`. For zones that have crossed the date line, the server's offset is wrong by one day.
 */
function hourOf({ timeZone }: Question): Sql {
  const offset = sql`timeZoneOffset(toTimeZone(at, ${bind.text(timeZone)}))`;
  const start = sql`intDiv(toUnixTimestamp(at) + ${offset}, 3600) * 3600 - ${offset}`;
  return sql`concat(toString(${start}), ' ', toString((${offset} + 86400) % 86400))`;
}
