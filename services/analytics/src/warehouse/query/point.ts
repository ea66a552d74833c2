import type { Interval } from '@waymark/shared/contract/analytics';
import { localDate, type Question } from './question.js';
import { bind, sql, type Sql } from './sql.js';

const INTERVALS = {
  hour: hourOf,
  day: localDate,
  week: (question: Question) => sql`toMonday(${localDate(question)})`,
  month: (question: Question) => sql`toStartOfMonth(${localDate(question)})`,
} as const satisfies Record<Interval, (question: Question) => Sql>;


/** The start of the point of a trend that a row is in: a local date, or the seconds since 1970 of an hour. Weeks begin on Mondays. */
export const pointOf = (question: Question, interval: Interval): Sql => INTERVALS[interval](question);

/** Counted from the full hours of local time, half an hour's distance to UTC included. */
function hourOf({ timeZone }: Question): Sql {
  const offset = sql`timeZoneOffset(toTimeZone(at, ${bind.text(timeZone)}))`;
  return sql`intDiv(toUnixTimestamp(at) + ${offset}, 3600) * 3600 - ${offset}`;
}

