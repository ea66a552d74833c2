import type { Comparison, Interval } from '@waymark/contract/analytics';
import type { Selection } from '../selection/selection.js';
import { dateOfDay, localDays } from '../../time/local-days.js';
import type { TrendPoint } from './points.js';

/** Returns the same selection for the earlier range. */
export function comparedSelection(selection: Selection, comparison: Comparison): Selection {
  const { firstDay, lastDay } = selection.days;
  const length = lastDay - firstDay + 1;
  const [start, end] =
    comparison === 'previous_period'
      ? [dateOfDay(firstDay - length), dateOfDay(firstDay - 1)]
      : [yearBefore(dateOfDay(firstDay)), yearBefore(dateOfDay(lastDay))].map((date) =>
          date.replace('-02-29', '-02-28'),
        );
  return { ...selection, days: localDays(selection.timeZone, start!, end!) };
}

/**
 * Pairs each point with its counterpart: by date for days and hours of the previous year, otherwise by position in the
 * range. 29 February has no counterpart in a year without one, nor has the second of two repeated hours.
 */
export function pairPoints<P extends TrendPoint>(
  points: readonly TrendPoint[],
  earlier: readonly P[],
  by: { comparison: Comparison; interval: Interval },
): (P | undefined)[] {
  const isByDate = by.comparison === 'previous_year' && (by.interval === 'day' || by.interval === 'hour');
  if (!isByDate) return points.map((_, index) => earlier[index]);
  const names = pointNames(earlier);
  const byName = new Map(earlier.map((point, index) => [names[index], point]));
  return pointNames(points.map(({ date }) => ({ date: yearBefore(date) }))).map((name) => byName.get(name));
}

/** Identifies a point by its date and its position within that date. */
function pointNames(points: readonly Pick<TrendPoint, 'date'>[]): string[] {
  let place = 0;
  return points.map(({ date }, index) => {
    place = points[index - 1]?.date === date ? place + 1 : 0;
    return `${date} ${place}`;
  });
}

/** Turns 29 February into an invalid date. */
const yearBefore = (date: string): string => `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`;
