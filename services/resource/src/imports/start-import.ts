import { changesBetween } from '@waymark/contract/audit-changes';
import { linkImportStarted } from '@waymark/contract/events';
import type { ImportContext } from './context.js';
import type { Author } from '../links/change.js';
import { NOTHING_DONE, ROWS_KEPT_DAYS, type ImportJob } from './import-job.js';
import type { StagedImport } from './stage-rows.js';

/** Each has up to 10 MB of rows, and a process runs one at a time. */
export const IMPORTS_UNFINISHED_MAX = 20;

/** The fields that the audit log shows at the start and at the end of an import. */
export const AUDITED_AT_START = { total_rows: 'totalRows', on_duplicate: 'onDuplicate', dry_run: 'dryRun' } as const;

/**
 * Stores the job of an import whose rows are stored. After that, the import completes even if this process dies.
 * @throws AppError `validation_failed` while the workspace has too many unfinished imports
 */
export async function startImport(ctx: ImportContext, author: Author, staged: StagedImport): Promise<ImportJob> {
  const { owner, event } = author;
  const job = newJob(author, staged);
  // Outside the turns of changes: a process reads one large import at a time (`READING`). It would wait for the changes of
  // its workspace, and the imports of other workspaces for it.
  return ctx.db.transaction(async (tx) => {
    await ctx.unfinishedImports.reserveUnits({ owner: owner.slug, limit: IMPORTS_UNFINISHED_MAX }, tx.session);
    await ctx.imports.insertImport(job, tx.session);
    const data = { import: { id: job._id, total_rows: job.totalRows, ...staged.options } };
    const target = { type: 'import', id: job._id, label: null };
    tx.emit(linkImportStarted.create(event, data, { target, changes: changesBetween(AUDITED_AT_START, null, job) }));
    return job;
  });
}

function newJob({ owner, event }: Author, { id, stagedAt, totalRows, options }: StagedImport): ImportJob {
  return {
    _id: id,
    workspace: owner.slug,
    plan: { activeLinks: owner.plan.activeLinks },
    event,
    onDuplicate: options.on_duplicate,
    dryRun: options.dry_run,
    status: 'queued',
    totalRows,
    nextRow: 0,
    tally: NOTHING_DONE,
    rowErrors: [],
    errorCount: 0,
    leaseUntil: stagedAt,
    leaseId: null,
    attempts: 0,
    createdAt: stagedAt,
    finishedAt: null,
    rowsKeptUntil: new Date(stagedAt.getTime() + ROWS_KEPT_DAYS * 24 * 3600_000),
  };
}
