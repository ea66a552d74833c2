/** `YYYY-MM-DD` in UTC. */
export type Day = string;

/** Whole days, both inclusive. */
export interface Days {
  first: Day;
  last: Day;
}

/** Points in time, both inclusive. */
export interface Stretch {
  from: Date;
  to: Date;
}

const DAY_MS = 24 * 3600 * 1000;
const EVER: Days = { first: '0000-01-01', last: '9999-12-31' };

export const dayOf = (time: Date): Day => time.toISOString().slice(0, 10);
export const startOf = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);
export const endOf = (day: Day): Date => new Date(`${day}T23:59:59.999Z`);

/** Splits a time range into its whole days and the partial days at its ends, newest first. */
export function splitRange({ from, to }: Partial<Stretch>): { late?: Stretch; days?: Days; early?: Stretch } {
  const [first, last] = [from ? dayOf(from) : EVER.first, to ? dayOf(to) : EVER.last];
  const cutsFirst = from !== undefined && from > startOf(first);
  const cutsLast = to !== undefined && to < endOf(last);
  if (first === last && (cutsFirst || cutsLast)) return { late: { from: from!, to: to! } };

  const days = {
    first: cutsFirst ? dayOf(shifted(first, 1)) : first,
    last: cutsLast ? dayOf(shifted(last, -1)) : last,
  };
  return {
    ...(cutsLast && { late: { from: startOf(last), to } }),
    ...(days.first <= days.last && { days }),
    ...(cutsFirst && { early: { from, to: endOf(first) } }),
  };
}

const shifted = (day: Day, days: number): Date => new Date(startOf(day).getTime() + days * DAY_MS);
