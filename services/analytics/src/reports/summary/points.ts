import type { Interval } from '@waymark/contract/analytics';
import { dateOfDay, dayNumber, hoursOf, localDays, startsOfDays, type LocalDays } from '../../time/local-days.js';

/** A point of a trend, with or without scans. */
export interface TrendPoint {
  /** Its key in the warehouse's results. */
  key: string;
  /** The local date on which it begins. */
  date: string;
  startsAt: Date;
}

/** Returns every point that overlaps the range, in order. */
export function trendPoints(interval: Interval, days: LocalDays, timeZone: string): TrendPoint[] {
  if (interval === 'hour') {
    return hoursOf(days).map(({ key, day, startsAt }) => ({ key, date: dateOfDay(day), startsAt }));
  }
  const all = Array.from({ length: days.lastDay - days.firstDay + 1 }, (_, index) => days.firstDay + index);
  const dates = [...new Set(all.map((day) => pointDateOf(day, interval)))];
  const first = dayNumber(dates[0]!);
  const starts = startsOfDays(localDays(timeZone, dates[0]!, dates.at(-1)!));
  return dates.map((date) => ({ key: date, date, startsAt: new Date(starts[dayNumber(date) - first]!) }));
}

/** Returns the first date of the point that contains a local day. */
export function pointDateOf(day: number, interval: Exclude<Interval, 'hour'>): string {
  if (interval === 'month') return `${dateOfDay(day).slice(0, 7)}-01`;
  return dateOfDay(interval === 'week' ? day - ((new Date(dateOfDay(day)).getUTCDay() + 6) % 7) : day);
}
