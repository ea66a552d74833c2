import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS } from './utc-day.js';

/** A period in which a time zone's UTC offset is constant. */
export interface OffsetPeriod {
  from: number;
  /** Exclusive. */
  to: number;
  offsetMs: number;
}

/** Calendar days of a time zone, numbered from 1970-01-01 like the days of `Date.UTC`. */
export interface LocalDays {
  firstDay: number;
  lastDay: number;
  /** The first instant of the first day. */
  startsAt: Date;
  /** The first instant after the last day. */
  endsAt: Date;
  periods: readonly OffsetPeriod[];
}

/** Both dates are `YYYY-MM-DD` and inclusive. Handles daylight saving time, and days that begin at 01:00. */
export function localDays(timeZone: string, startDate: string, endDate: string): LocalDays {
  const [firstDay, lastDay] = [dayNumber(startDate), dayNumber(endDate)];
  const periods = offsetPeriods(timeZone, (firstDay - 2) * DAY_MS, (lastDay + 3) * DAY_MS);
  return {
    firstDay,
    lastDay,
    startsAt: new Date(startOfDay(firstDay, periods)),
    endsAt: new Date(startOfDay(lastDay + 1, periods)),
    periods,
  };
}

/** Returns the first instant of each day, and of the day after the last. */
export function startsOfDays({ firstDay, lastDay, periods }: LocalDays): number[] {
  return Array.from({ length: lastDay - firstDay + 2 }, (_, index) => startOfDay(firstDay + index, periods));
}

export interface LocalHour {
  /** Nominal start of the hour in seconds since 1970 (as if its UTC offset had applied before), and the offset in seconds. */
  key: string;
  startsAt: Date;
  /** The local day and hour (0 to 23) in which it begins. */
  day: number;
  hour: number;
}

/** Returns each hour of the days: two for an hour that a clock change divides, none for one that it skips. */
export function hoursOf({ startsAt, endsAt, periods }: LocalDays): LocalHour[] {
  return periods.flatMap(({ from, to, offsetMs }) => {
    const first = Math.max(from, startsAt.getTime());
    const end = Math.min(to, endsAt.getTime());
    if (first >= end) return [];
    const start = Math.floor((first + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    return Array.from({ length: Math.ceil((end - start) / HOUR_MS) }, (_, index) => {
      const time = start + index * HOUR_MS;
      const begin = Math.max(time, first);
      const key = `${time / 1000} ${offsetMs / 1000}`;
      const day = Math.floor((begin + offsetMs) / DAY_MS);
      const hour = Math.floor((begin + offsetMs - day * DAY_MS) / HOUR_MS);
      return { key, startsAt: new Date(begin), day, hour };
    });
  });
}

export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`) / DAY_MS;
}

export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns today's date in a time zone. */
export function localDate(timeZone: string, now: Date): string {
  const offset = offsetReader(timeZone);
  return dateOfDay(Math.floor((now.getTime() + offset(now.getTime())) / DAY_MS));
}

/** Returns the first instant whose local date is `day`: later than 00:00 when the clock skips midnight. */
const startOfDay = (day: number, periods: readonly OffsetPeriod[]): number => instantOf(day * DAY_MS, periods);

/** Returns the first instant at or after a local time, which is in milliseconds since the local 1970-01-01. */
export function instantOf(localMs: number, periods: readonly OffsetPeriod[]): number {
  for (const { from, to, offsetMs } of periods) {
    const instant = Math.max(from, localMs - offsetMs);
    if (instant < to) return instant;
  }
  throw new Error(`the local time ${localMs} is outside the periods`);
}

/** Returns the local time of an instant, in milliseconds since the local 1970-01-01. */
export function localTimeOf(instant: Date, periods: readonly OffsetPeriod[]): number {
  const time = instant.getTime();
  const period = periods.find(({ from, to }) => from <= time && time < to);
  if (!period) throw new Error(`${instant.toISOString()} is outside the periods`);
  return time + period.offsetMs;
}

const PERIODS_MAX = 1000;
const knownPeriods = new LRUCache<string, readonly OffsetPeriod[]>({ max: PERIODS_MAX });

/**
 * Cached: dashboards request the same days repeatedly, and each look-up calls `Intl`. The names of time zones are
 * case-insensitive.
 */
function offsetPeriods(name: string, from: number, to: number): readonly OffsetPeriod[] {
  const timeZone = name.toLowerCase();
  const key = `${timeZone} ${from} ${to}`;
  const known = knownPeriods.get(key);
  if (known) return known;
  const periods = findOffsetPeriods(timeZone, from, to);
  knownPeriods.set(key, periods);
  return periods;
}

function findOffsetPeriods(timeZone: string, from: number, to: number): OffsetPeriod[] {
  const offset = offsetReader(timeZone);
  const periods: OffsetPeriod[] = [{ from, to, offsetMs: offset(from) }];
  if (timeZone === 'utc') return periods;
  for (let time = from + DAY_MS; time <= to; time += DAY_MS) {
    const current = periods.at(-1)!;
    const offsetMs = offset(time);
    if (offsetMs === current.offsetMs) continue;
    current.to = changeBetween(time - DAY_MS, time, offset);
    periods.push({ from: current.to, to, offsetMs });
  }
  return periods;
}

/** Finds the instant of the offset change between `before` and `after`. */
function changeBetween(before: number, after: number, offset: (time: number) => number): number {
  const old = offset(before);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === old) before = middle;
    else after = middle;
  }
  return after;
}

/** Returns how far local time is ahead of UTC, in milliseconds. */
function offsetReader(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (time) => {
    const name = format.formatToParts(time).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return (sign === '-' ? -size : size) * 1000;
  };
}
