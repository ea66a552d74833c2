import type { Comparison } from '@waymark/contract/analytics';
import type { DateShift } from '../../time/date-shift.js';
import { dateOfDay, localDays } from '../../time/local-days.js';
import type { Selection } from '../selection/selection.js';

/** The same selection for an earlier range, and how its days are paired with those of the selection. */
export interface ComparedRange {
  selection: Selection;
  shift: DateShift;
}

export function comparedRange(selection: Selection, comparison: Comparison): ComparedRange {
  const { firstDay, lastDay } = selection.days;
  const length = lastDay - firstDay + 1;
  return comparison === 'previous_period'
    ? {
        selection: withDates(selection, dateOfDay(firstDay - length), dateOfDay(firstDay - 1)),
        shift: { days: length },
      }
    : {
        selection: withDates(selection, yearBefore(firstDay), yearBefore(lastDay)),
        shift: { years: 1, firstDay },
      };
}

const withDates = (selection: Selection, start: string, end: string): Selection => ({
  ...selection,
  days: localDays(selection.timeZone, start, end),
});

function yearBefore(day: number): string {
  const date = dateOfDay(day).replace('-02-29', '-02-28');
  return `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`;
}
