import { createLink, type CreateLinkBody } from '@waymark/shared/contract/links';
import { parseBody, type FieldProblems } from '@waymark/shared/kernel/http/input';
import { flat } from './check-rows.js';
import { inTurns } from './in-turns.js';

/** Above what a valid row can take; what is longer is not even looked at. */
const ROW_LENGTH_MAX = 64 * 1024;
const PROBLEMS_MAX = 10;

export interface RowProblem {
  /** `null` for the row as a whole. */
  field: string | null;
  message: string;
}

/** A row as it is kept: what it wants, or why it can't have it. */
export type ImportRow = { input: CreateLinkBody } | { problems: RowProblem[] };

/** Looks at each row by itself, as if it were the body of a single create. */
export async function readRows(rows: unknown[]): Promise<ImportRow[]> {
  const read: ImportRow[] = [];
  for await (const row of inTurns(rows)) read.push(readRow(row));
  return read;
}

function readRow(row: unknown): ImportRow {
  if (JSON.stringify(row).length > ROW_LENGTH_MAX) return refused('The row is too long.');
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return refused('The row must be an object.');
  const problems: FieldProblems = {};
  const input = parseBody(createLink, row, problems);
  return input ? { input } : { problems: flat(problems).slice(0, PROBLEMS_MAX) };
}

const refused = (message: string): ImportRow => ({ problems: [{ field: null, message }] });
