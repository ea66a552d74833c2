import { createLink, type CreateLinkBody } from '@waymark/contract/links';
import type { ProblemCode } from '@waymark/contract/problem-codes';
import { csvInvalid, moreProblems, type Problem, type FieldProblems } from '@waymark/contract/problems';
import { quotaProblem, type QuotaDetails } from '@waymark/contract/quota';
import { AppError, type NamedProblem } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { noProblems, parseBody } from '@waymark/kernel/http/input';

const PROBLEMS_MAX = 10;
/** A message contains no values of the caller, but may contain the caller's field names. */
const FIELD_LENGTH_MAX = 100;
const MESSAGE_LENGTH_MAX = 300;

export interface RowProblem {
  /** `null` for the row as a whole. */
  field: string | null;
  message: string;
  /** Absent for a row as a whole. */
  problem_code?: ProblemCode;
  params?: Problem['params'];
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
    return { problems: rowProblems(error.problems ?? []) };
  }
}

/** Returns one entry per problem, bounded in length; the last one says how many are left out. */
export function rowProblems(problems: readonly NamedProblem[]): RowProblem[] {
  const found = problems.map(({ field, code, message, params }) => ({
    field: field.slice(0, FIELD_LENGTH_MAX),
    message: message.slice(0, MESSAGE_LENGTH_MAX),
    problem_code: code,
    ...(params && { params }),
  }));
  if (found.length <= PROBLEMS_MAX) return found;
  const { code, ...rest } = moreProblems(found.length - PROBLEMS_MAX + 1);
  return [...found.slice(0, PROBLEMS_MAX - 1), { field: null, problem_code: code, ...rest }];
}

export const problemsIn = (problems: FieldProblems): RowProblem[] =>
  rowProblems(Object.entries(problems).flatMap(([field, found]) => found.map((problem) => ({ field, ...problem }))));

export const quotaProblems = (details: QuotaDetails): RowProblem[] =>
  rowProblems([{ field: 'quota', ...quotaProblem(details) }]).map((problem) => ({ ...problem, details }));

/** A row that is refused as a whole. */
const refusedRow = (message: string): ImportRow => ({ problems: [{ field: null, message }] });
/** A row whose line is no row of the columns. */
export const refusedLine = (line: number, message: string): ImportRow => {
  const { code, ...problem } = csvInvalid(`Line ${line} ${message}`, { line });
  return { problems: [{ field: null, problem_code: code, ...problem }] };
};
export const TOO_LONG = refusedRow('The row is too long.');
