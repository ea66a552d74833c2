import { changesBetween } from '@waymark/contract/audit-changes';
import { linkImportCompleted } from '@waymark/contract/events';
import type { RowError } from '@waymark/contract/imports';
import type { ImportContext } from './context.js';
import { presentFigures, type ImportJob } from './import-job.js';
import { AUDITED_AT_START } from './start-import.js';

const AUDITED_AT_END = {
  ...AUDITED_AT_START,
  status: 'status',
  created_count: 'created',
  updated_count: 'updated',
  unchanged_count: 'unchanged',
  skipped_count: 'skipped',
  failed_count: 'failed',
} as const;

/** Completes an import after its last row. @returns its status, unless another worker has taken it over */
export function completeImport(ctx: ImportContext, job: ImportJob): Promise<string> {
  return finish(ctx, job, { status: job.tally.failed > 0 ? 'completed_with_errors' : 'completed', errors: [] });
}

/** Fails an import that makes no more progress; processed rows keep their results. */
export function failImport(ctx: ImportContext, job: ImportJob): Promise<string> {
  const message = 'The import stopped here: something went wrong on our side.';
  const error = { row: job.nextRow + 1, field: null, code: 'server_error', message } as const;
  return finish(ctx, job, { status: 'failed', errors: [error] });
}

interface ImportEnd {
  status: 'completed' | 'completed_with_errors' | 'failed';
  errors: RowError[];
}

async function finish(ctx: ImportContext, job: ImportJob, { status, errors }: ImportEnd): Promise<string> {
  const finishedAt = await ctx.imports.now();
  const outcome = await ctx.db.transaction(async (tx) => {
    if ((await ctx.imports.finishImport(job, { status, finishedAt, errors }, tx.session)) === 'taken_over')
      return 'taken over';
    await ctx.unfinishedImports.releaseUnits({ owner: job.workspace }, tx.session);
    const figures = presentFigures({ ...job, status, finishedAt });
    const target = { type: 'import', id: job._id, label: null };
    const changes = changesBetween(AUDITED_AT_END, null, { ...job, ...job.tally, status });
    tx.emit(linkImportCompleted.create(job.event, { import: figures }, { target, changes }));
    return status;
  });
  await ctx.importResults.deleteResults(await ctx.imports.pruneImports(job.workspace));
  return outcome;
}
