import { changesBetween } from '@waymark/contract/audit-changes';
import { linkImportCompleted } from '@waymark/contract/events';
import type { RowError } from '@waymark/contract/imports';
import type { ResourceContext } from '../context.js';
import { presentFigures, type ImportJob } from './import-job.js';
import { ASKED } from './start-import.js';

const TOLD = {
  ...ASKED,
  status: 'status',
  created_count: 'created',
  updated_count: 'updated',
  unchanged_count: 'unchanged',
  skipped_count: 'skipped',
  failed_count: 'failed',
} as const;

/** Completes an import after its last row. @returns its status, unless another worker has taken it over */
export function completeImport(ctx: ResourceContext, job: ImportJob): Promise<string> {
  return finish(ctx, job, job.tally.failed > 0 ? 'completed_with_errors' : 'completed', []);
}

/** Fails an import that makes no more progress; processed rows keep their results. */
export function failImport(ctx: ResourceContext, job: ImportJob): Promise<string> {
  const message = 'The import stopped here: something went wrong on our side.';
  return finish(ctx, job, 'failed', [{ row: job.nextRow + 1, field: null, code: 'server_error', message }]);
}

async function finish(
  ctx: ResourceContext,
  job: ImportJob,
  status: 'completed' | 'completed_with_errors' | 'failed',
  errors: RowError[],
): Promise<string> {
  const at = await ctx.imports.now();
  const outcome = await ctx.db.transaction(async (tx) => {
    if ((await ctx.imports.finish(job, { status, at, errors }, tx.session)) === 'taken_over') return 'taken over';
    await ctx.unfinishedImports.releaseUnits({ owner: job.workspace }, tx.session);
    const figures = presentFigures({ ...job, status, finishedAt: at });
    const target = { type: 'import', id: job._id, label: null };
    const changes = changesBetween(TOLD, null, { ...job, ...job.tally, status });
    tx.emit(linkImportCompleted.create(job.event, { import: figures }, { target, changes }));
    return status;
  });
  await ctx.importResults.remove(await ctx.imports.prune(job.workspace));
  return outcome;
}
