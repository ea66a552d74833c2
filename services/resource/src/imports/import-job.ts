import type { EventContext } from '@waymark/shared/contract/event';
import type { LinkImportBody, ImportStatus, OnDuplicate, RowError } from '@waymark/shared/contract/imports';
import type { Owner } from '../quota/owner.js';

/** Rows that are stored, and done, together: more of them would keep visitors and other requests waiting. */
export const ROWS_PER_CHUNK = 100;

/** What has become of rows so far. */
export interface Tally {
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

export interface ImportJob {
  _id: string;
  workspace: string;
  /** Of the workspace when the import was sent. */
  plan: Owner['plan'];
  /** Of the request: every event that the rows cause names who sent it. */
  event: EventContext;
  onDuplicate: OnDuplicate;
  dryRun: boolean;
  status: ImportStatus;
  totalRows: number;
  /** Rows before this one are done: it moves in the transaction that does them. */
  nextRow: number;
  tally: Tally;
  /** The first of them. */
  rowErrors: RowError[];
  /** Until then nobody else works on it. */
  leaseUntil: Date;
  /** Who does; a later lease has another. */
  leaseId: string | null;
  /** Leases since a row was last done. */
  attempts: number;
  createdAt: Date;
  /** Of the first lease. */
  startedAt?: Date;
  finishedAt: Date | null;
}

export const NOTHING_DONE: Tally = { created: 0, updated: 0, skipped: 0, failed: 0 };

export const isFinished = (status: ImportStatus): boolean => status !== 'queued' && status !== 'processing';

export function presentImport(job: ImportJob): LinkImportBody {
  return {
    id: job._id,
    status: job.status,
    options: { on_duplicate: job.onDuplicate, dry_run: job.dryRun },
    total_rows: job.totalRows,
    processed_rows: job.nextRow,
    created_count: job.tally.created,
    updated_count: job.tally.updated,
    skipped_count: job.tally.skipped,
    failed_count: job.tally.failed,
    errors: job.rowErrors,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}
