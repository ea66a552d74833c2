import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import { linkImportStarted } from '@waymark/contract/events';
import type { OnDuplicate } from '@waymark/contract/imports';
import type { ResourceContext } from '../context.js';
import type { Owner } from '../quota/owner.js';
import { NOTHING_DONE, ROWS_KEPT_DAYS, type ImportJob } from './import-job.js';
import type { StagedImport } from './stage-rows.js';

export interface ImportOptions {
  on_duplicate: OnDuplicate;
  dry_run: boolean;
}

/** Each has up to 10 MB of rows, and a process runs one at a time. */
export const IMPORTS_UNFINISHED_MAX = 20;

/** The fields that the audit log shows at the start and at the end of an import. */
export const ASKED = { total_rows: 'totalRows', on_duplicate: 'onDuplicate', dry_run: 'dryRun' } as const;

/**
 * Stores the job of an import whose rows are stored. From then on the import completes even if this process dies.
 * @throws AppError `validation_failed` while the workspace has too many unfinished imports
 */
export async function startImport(
  ctx: ResourceContext,
  event: EventContext,
  owner: Owner,
  staged: StagedImport,
): Promise<ImportJob> {
  const job = newJob(event, owner, staged);
  return ctx.db.transaction(async (tx) => {
    await ctx.unfinishedImports.reserveUnits({ owner: owner.slug, limit: IMPORTS_UNFINISHED_MAX }, tx.session);
    await ctx.imports.insert(job, tx.session);
    const data = { import: { id: job._id, total_rows: job.totalRows, ...staged.options } };
    const target = { type: 'import', id: job._id, label: null };
    tx.emit(linkImportStarted.create(event, data, { target, changes: changesBetween(ASKED, null, job) }));
    return job;
  });
}

function newJob(event: EventContext, owner: Owner, { id, stagedAt, totalRows, options }: StagedImport): ImportJob {
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
