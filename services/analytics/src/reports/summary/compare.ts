import type { Comparison } from '@waymark/contract/analytics';
import type { DateShift } from '../../time/date-shift.js';
import { dateOfDay, dayNumber, instantOf, localDays, localTimeOf } from '../../time/local-days.js';
import { DAY_MS } from '../../time/utc-day.js';
import type { Selection } from '../selection/selection.js';

/** The same selection for an earlier range, and how its days are paired with those of the selection. */
export interface ComparedRange {
  selection: Selection;
  shift: DateShift;
  /** Where the comparison ends, when the range of the selection is not over. */
  before?: Date;
}

/**
 * Returns the selection for the days before it, or for the same dates of the year before. While the range of the selection
 * is not over, the earlier one ends at the same local time: part of a day is not compared with a whole one.
 * @param asOf up to when the figures of the selection are complete
 */
export function comparedRange(selection: Selection, comparison: Comparison, asOf: Date): ComparedRange {
  const { firstDay, lastDay } = selection.days;
  const length = lastDay - firstDay + 1;
  const range: ComparedRange =
    comparison === 'previous_period'
      ? {
          selection: withDates(selection, dateOfDay(firstDay - length), dateOfDay(firstDay - 1)),
          shift: { days: length },
        }
      : {
          selection: withDates(selection, yearBefore(firstDay, '02-28'), dayBefore(yearBefore(lastDay + 1, '03-01'))),
          shift: { years: 1, firstDay },
        };
  return asOf < selection.days.endsAt ? { ...range, before: earlierTime(asOf, selection, range) } : range;
}

/** Returns the time in the earlier range that is compared with `asOf`. */
function earlierTime(asOf: Date, { days }: Selection, { selection: earlier, shift }: ComparedRange): Date {
  if (asOf <= days.startsAt) return earlier.days.startsAt;
  const local = localTimeOf(asOf, days.periods);
  const day = Math.floor(local / DAY_MS);
  const earlierDay = 'days' in shift ? day - shift.days : dayNumber(yearBefore(day, '02-28'));
  return new Date(instantOf(local + (earlierDay - day) * DAY_MS, earlier.days.periods));
}

const withDates = (selection: Selection, start: string, end: string): Selection => ({
  ...selection,
  days: localDays(selection.timeZone, start, end),
});

const dayBefore = (date: string): string => dateOfDay(dayNumber(date) - 1);

/** @param leapDay replaces 29 February */
function yearBefore(day: number, leapDay: '02-28' | '03-01'): string {
  const date = dateOfDay(day).replace(/02-29$/, leapDay);
  return `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`;
}
