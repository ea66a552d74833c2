import { z } from 'zod';
import { asIssue, outOfRange, rangeInvalid, required, tooLong, type FieldProblems } from './problems.js';

/** A time with nanoseconds has 35 characters. ISO 8601 has no limit, and an export records its filters. */
const LENGTH_MAX = 40;
const YEAR_10000 = Date.UTC(10_000, 0);

/** One end of a range: a day in UTC or a point in time, both inclusive. */
export const dateOrTime = (name: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], {
      error: ({ input }) =>
        input === undefined ? required(name).message : `The ${name} must be a date (YYYY-MM-DD) or a time (ISO 8601).`,
    })
    .refine((value) => value.length <= LENGTH_MAX, asIssue(tooLong(name, LENGTH_MAX)))
    .refine((value) => Date.parse(value) < YEAR_10000, asIssue(outOfRange(name, 'be before the year 10000')));

/** Describe the ends of a range of what happens at a time. */
export const atOrAfter = (subject: string) =>
  `${subject} at this time or later; a date (\`YYYY-MM-DD\`) is the start of that day in UTC.`;
export const atOrBefore = (subject: string) =>
  `${subject} at this time or earlier; a date (\`YYYY-MM-DD\`) is the end of that day in UTC.`;

export const firstMomentOf = (value: string): Date => new Date(value);

/** Returns a time unchanged, and for a date the end of its day in UTC. */
export const lastMomentOf = (value: string): Date => new Date(value.includes('T') ? value : `${value}T23:59:59.999Z`);

interface Range {
  from?: string;
  to?: string;
}

/** Returns the problem of a range that ends before it starts. */
export function rangeProblems({ from, to }: Range): FieldProblems {
  if (from === undefined || to === undefined || firstMomentOf(from) <= lastMomentOf(to)) return {};
  return { from: [rangeInvalid('from', 'not be after the to')] };
}
