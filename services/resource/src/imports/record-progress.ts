import type { ClientSession } from 'mongoose';
import type { RowError } from '@waymark/contract/imports';
import type { ImportContext } from './context.js';
import type { Link } from '../links/link.js';
import { NOTHING_DONE, type ImportJob, type OutcomeCounts } from './import-job.js';
import type { Outcome } from './plan-rows.js';
import type { ImportRow } from './read-row.js';
import type { RowResult } from './result-store.js';

/**
 * Stores the results of the next rows together with the progress of the job.
 * @returns the updated job, or null if another worker has taken it over
 */
export async function recordProgress(
  ctx: Pick<ImportContext, 'imports' | 'importResults'>,
  { job, results }: { job: ImportJob; results: RowResult[] },
  session: ClientSession,
): Promise<ImportJob | null> {
  const progress = { rows: results.length, tally: countOutcomes(results), errors: results.flatMap(errorsOf) };
  const after = await ctx.imports.advanceImport(job, progress, session);
  if (after) await ctx.importResults.insertResults(job, results, session);
  return after;
}

interface PlannedRows {
  /** The number of rows before them. */
  firstRow: number;
  rows: ImportRow[];
  outcomes: Outcome[];
}

export function resultsOf(job: ImportJob, { firstRow, rows, outcomes }: PlannedRows): RowResult[] {
  return outcomes.map((outcome, index) => ({
    row: firstRow + index + 1,
    outcome: outcome.done,
    ...('link' in outcome ? addressOf(job, rows[index]!, outcome.link) : { linkId: null, place: null }),
    errors: outcome.done === 'failed' ? outcome.problems.map((problem) => ({ ...problem, code: outcome.code })) : [],
  }));
}

/** A dry run creates no link, and a code that it generated is not the one that the import would generate. */
function addressOf({ dryRun }: ImportJob, row: ImportRow, { _id, hostname, shortCode }: Link) {
  const isGenerated = 'input' in row && row.input.short_code === undefined;
  return {
    linkId: dryRun ? null : _id,
    place: dryRun && isGenerated ? null : { hostname, shortCode },
  };
}

function countOutcomes(results: RowResult[]): OutcomeCounts {
  const tally = { ...NOTHING_DONE };
  for (const { outcome } of results) tally[outcome] += 1;
  return tally;
}

const errorsOf = ({ row, errors }: RowResult): RowError[] => errors.map((error) => ({ row, ...error }));
