import { createLink, type CreateLinkBody } from '@waymark/contract/links';
import type { QuotaDetails } from '@waymark/contract/quota';
import { AppError } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { noProblems, parseBody, type FieldProblems } from '@waymark/kernel/http/input';

const PROBLEMS_MAX = 10;
/** A message contains no values of the caller, but may contain the caller's field names. */
const FIELD_LENGTH_MAX = 100;
const MESSAGE_LENGTH_MAX = 300;

export interface RowProblem {
  /** `null` for the row as a whole. */
  field: string | null;
  message: string;
  details?: QuotaDetails;
}

/** A row as stored: the link to create, or the reasons for its refusal. */
export type ImportRow = { input: CreateLinkBody } | { problems: RowProblem[] };

/** Checks one row as if it were the body of a single create. */
export function readRow(row: unknown, handling: Handling): ImportRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return refusedRow('The row must be an object.');
  const problems = noProblems();
  try {
    const input = parseBody(createLink, row, { problems, handling });
    return input ? { input } : { problems: problemsIn(problems) };
  } catch (error) {
    // A row that is nested too deeply is refused before its fields are read.
    if (!(error instanceof AppError)) throw error;
    return { problems: problemsIn(error.details as FieldProblems) };
  }
}

/** Returns one entry per message, bounded in length; the last one says how many are left out. */
export function problemsIn(problems: FieldProblems): RowProblem[] {
  const found = Object.entries(problems).flatMap(([field, messages]) =>
    messages.map((message) => ({
      field: field.slice(0, FIELD_LENGTH_MAX),
      message: (typeof message === 'string' ? message : message.message).slice(0, MESSAGE_LENGTH_MAX),
    })),
  );
  if (found.length <= PROBLEMS_MAX) return found;
  const leftOut = found.length - PROBLEMS_MAX + 1;
  return [...found.slice(0, PROBLEMS_MAX - 1), { field: null, message: `There are ${leftOut} more problems.` }];
}

export const quotaProblems = (details: QuotaDetails): RowProblem[] =>
  details.quota.map((message) => ({ field: 'quota', message, details }));

/** A row that is refused as a whole. */
export const refusedRow = (message: string): ImportRow => ({ problems: [{ field: null, message }] });
export const TOO_LONG = refusedRow('The row is too long.');
