import { dateOfDay, dayNumber } from './local-days.js';

/** Moves the days of an earlier range to those of the range that is compared with it. */
export type DateShift =
  | { days: number }
  /** A year later; 29 February becomes the 28th, and no day comes before the first one of the later range. */
  | { years: 1; firstDay: number };

/** Returns the day in the later range. The SQL of a trend mirrors it (`shiftedDate`). */
export function shiftDay(day: number, shift: DateShift): number {
  if ('days' in shift) return day + shift.days;
  const date = dateOfDay(day).replace('-02-29', '-02-28');
  return Math.max(shift.firstDay, dayNumber(`${Number(date.slice(0, 4)) + shift.years}${date.slice(4)}`));
}
