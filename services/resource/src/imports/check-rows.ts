import type { CreateLinkBody } from '@waymark/contract/links';
import type { ImportContext } from './context.js';
import { checkDestinations } from '../links/check-destination.js';
import { referenceProblems } from '../links/references.js';
import { problemsIn, type ImportRow, type RowProblem } from './read-row.js';

/** Checks all rows at once for the problems that no schema can find, as a single create does. */
export async function checkRows(ctx: ImportContext, workspace: string, rows: ImportRow[]): Promise<ImportRow[]> {
  const inputs = rows.flatMap((row) => ('input' in row ? [row.input] : []));
  const [destinations, references] = await Promise.all([
    checkDestinations(ctx, inputs),
    referenceProblems(ctx, workspace, inputs),
  ]);
  const problems = new Map<CreateLinkBody, RowProblem[]>(
    inputs.map((input, index) => [input, problemsIn({ ...destinations[index], ...references[index] })]),
  );
  return rows.map((row) => {
    const found = 'input' in row ? problems.get(row.input)! : [];
    return found.length > 0 ? { problems: found } : row;
  });
}
