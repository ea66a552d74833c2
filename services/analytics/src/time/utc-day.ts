export const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

let latest = { day: NaN, date: '' };

/** Returns the UTC date of an instant as `YYYY-MM-DD`. Caches the latest day, because nearly all scans are of one day. */
export function utcDay(time: Date): string {
  const day = Math.floor(time.getTime() / DAY_MS);
  if (day !== latest.day) latest = { day, date: time.toISOString().slice(0, 10) };
  return latest.date;
}

export function startOfUtcDay(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}
