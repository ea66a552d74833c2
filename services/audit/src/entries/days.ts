/** `YYYY-MM-DD` in UTC. */
export type Day = string;

/** Whole days, both inclusive. */
export interface DayRange {
  first: Day;
  last: Day;
}

/** Points in time, both inclusive. */
export interface TimeRange {
  from: Date;
  to: Date;
}

const DAY_MS = 24 * 3600 * 1000;
const ALL_DAYS: DayRange = { first: '0000-01-01', last: '9999-12-31' };

export const dayOf = (time: Date): Day => time.toISOString().slice(0, 10);
export const startOfDay = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);
export const endOfDay = (day: Day): Date => new Date(`${day}T23:59:59.999Z`);

/** Splits a time range into its whole days and the partial days at its ends, newest first. */
export function splitRange({ from, to }: Partial<TimeRange>): { late?: TimeRange; days?: DayRange; early?: TimeRange } {
  const [first, last] = [from ? dayOf(from) : ALL_DAYS.first, to ? dayOf(to) : ALL_DAYS.last];
  const cutsFirst = from !== undefined && from > startOfDay(first);
  const cutsLast = to !== undefined && to < endOfDay(last);
  if (first === last && (cutsFirst || cutsLast)) return { late: { from: from!, to: to! } };

  const days = {
    first: cutsFirst ? dayOf(shiftDay(first, 1)) : first,
    last: cutsLast ? dayOf(shiftDay(last, -1)) : last,
  };
  return {
    ...(cutsLast && { late: { from: startOfDay(last), to } }),
    ...(days.first <= days.last && { days }),
    ...(cutsFirst && { early: { from, to: endOfDay(first) } }),
  };
}

const shiftDay = (day: Day, days: number): Date => new Date(startOfDay(day).getTime() + days * DAY_MS);
