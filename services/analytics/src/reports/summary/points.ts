import type { Interval } from '@waymark/contract/analytics';
import { shiftDay, type DateShift } from '../../time/date-shift.js';
import { dateOfDay, dayNumber, hoursOf, localDays, startsOfDays, type LocalDays } from '../../time/local-days.js';
import { comparedHour } from '../../warehouse/query/trend-point.js';

/** A point of a trend, with or without scans. */
export interface TrendPoint {
  /** Its key in the warehouse's results. */
  key: string;
  /** Its key in the results of an earlier range. */
  comparedKey: string;
  /** The local date on which it begins. */
  date: string;
  startsAt: Date;
}

/** Returns every point that overlaps the range, in order. */
export function trendPoints(interval: Interval, days: LocalDays, timeZone: string): TrendPoint[] {
  if (interval === 'hour') {
    return hoursOf(days).map(({ key, day, hour, startsAt }) => {
      const date = dateOfDay(day);
      return { key, comparedKey: comparedHour(date, hour), date, startsAt };
    });
  }
  const all = Array.from({ length: days.lastDay - days.firstDay + 1 }, (_, index) => days.firstDay + index);
  const dates = [...new Set(all.map((day) => pointDateOf(day, interval)))];
  const first = dayNumber(dates[0]!);
  const starts = startsOfDays(localDays(timeZone, dates[0]!, dates.at(-1)!));
  return dates.map((date) => ({
    key: date,
    comparedKey: date,
    date,
    startsAt: new Date(starts[dayNumber(date) - first]!),
  }));
}

/** The days or hours of an earlier range that are compared with a point. */
export interface ComparedPoint {
  /** The local date of the first of them. */
  date: string;
  startsAt: Date;
}

/** Returns the compared points by the `comparedKey` of the points. Each day and hour of the range is in one of them. */
export function comparedPoints(interval: Interval, days: LocalDays, shift: DateShift): Map<string, ComparedPoint> {
  const points = new Map<string, ComparedPoint>();
  for (const { key, day, startsAt } of comparedStarts(interval, days, shift)) {
    if (!points.has(key)) points.set(key, { date: dateOfDay(day), startsAt });
  }
  return points;
}

function comparedStarts(interval: Interval, days: LocalDays, shift: DateShift) {
  if (interval === 'hour') {
    return hoursOf(days).map(({ day, hour, startsAt }) => ({
      day,
      startsAt,
      key: comparedHour(dateOfDay(shiftDay(day, shift)), hour),
    }));
  }
  return startsOfDays(days)
    .slice(0, -1)
    .map((start, index) => {
      const day = days.firstDay + index;
      return { day, startsAt: new Date(start), key: pointDateOf(shiftDay(day, shift), interval) };
    });
}

/** Returns the first date of the point that contains a local day. */
export function pointDateOf(day: number, interval: Exclude<Interval, 'hour'>): string {
  if (interval === 'month') return `${dateOfDay(day).slice(0, 7)}-01`;
  return dateOfDay(interval === 'week' ? day - ((new Date(dateOfDay(day)).getUTCDay() + 6) % 7) : day);
}
