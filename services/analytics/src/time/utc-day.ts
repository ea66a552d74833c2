export const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the UTC date of an instant as `YYYY-MM-DD`. */
export function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function startOfUtcDay(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}
