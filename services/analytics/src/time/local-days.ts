import { DAY_MS, HOUR_MS } from './utc-day.js';

/** Calendar days of a time zone, both inclusive. A day is counted from 1970-01-01, as `Date.UTC` counts it. */
export interface LocalDays {
  firstDay: number;
  lastDay: number;
}

export interface LocalHour {
  /** Seconds since 1970 at which the hour would begin, had its time had the same distance to UTC before. */
  key: number;
  startsAt: Date;
  /** The local day on which it begins. */
  day: number;
}

/** Each hour of the days; one that the clocks divide is two, one that they skip is none. */
export function hoursOf({ startsAt, endsAt, periods }: LocalDays): LocalHour[] {
  return periods.flatMap(({ from, to, offsetMs }) => {
    const first = Math.max(from, startsAt.getTime());
    const end = Math.min(to, endsAt.getTime());
    const start = Math.floor((first + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    return Array.from({ length: Math.max(0, Math.ceil((end - start) / HOUR_MS)) }, (_, index) => {
      const at = start + index * HOUR_MS;
      const begin = Math.max(at, first);
      return { key: at / 1000, startsAt: new Date(begin), day: Math.floor((begin + offsetMs) / DAY_MS) };
    });
  });
}

export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`) / DAY_MS;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Today's date in a time zone. */
export function localDate(timeZone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const fields = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${fields['year']}-${fields['month']}-${fields['day']}`;
}
