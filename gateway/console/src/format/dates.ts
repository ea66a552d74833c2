/** Calendar dates (`2026-09-11`), which have no time zone. */
const DAY_MS = 86_400_000;

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** The number of days of a range, both ends included. */
export const countDays = (start: string, end: string): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;

/** The last day of the month. */
export function endOfMonth(date: string): string {
  const [year, month] = date.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

export const startOfMonth = (date: string): string => `${date.slice(0, 8)}01`;

/** 1 is Monday. */
export const weekdayOf = (date: string): number => new Date(date).getUTCDay() || 7;

export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;

/** Today's date in the time zone. */
export const todayIn = (timezone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).format();

export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The browser's time zone; UTC where the browser names none, or one such as `Etc/Unknown` that it does not know itself. */
export function ownTimeZone(): string {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return name !== undefined && isTimeZone(name) ? name : 'UTC';
}
