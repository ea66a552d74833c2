import type { Comparison } from '@waymark/contract/analytics';
import type { DateShift } from '../../time/date-shift.js';
import { dateOfDay, dayNumber, localDays } from '../../time/local-days.js';
import type { Selection } from '../selection/selection.js';

/** The same selection for an earlier range, and how its days are paired with those of the selection. */
export interface ComparedRange {
  selection: Selection;
  shift: DateShift;
}

/** Returns the selection for the days before it, or for the same dates of the year before. */
export function comparedRange(selection: Selection, comparison: Comparison): ComparedRange {
  const { firstDay, lastDay } = selection.days;
  const length = lastDay - firstDay + 1;
  return comparison === 'previous_period'
    ? {
        selection: withDates(selection, dateOfDay(firstDay - length), dateOfDay(firstDay - 1)),
        shift: { days: length },
      }
    : {
        selection: withDates(selection, yearBefore(firstDay, '02-28'), dayBefore(yearBefore(lastDay + 1, '03-01'))),
        shift: { years: 1, firstDay },
      };
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
