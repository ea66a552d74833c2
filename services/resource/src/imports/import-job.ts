import type { EventContext } from '@waymark/shared/contract/event';
import {
  IMPORT_ERRORS_MAX,
  type LinkImportBody,
  type ImportStatus,
  type OnDuplicate,
  type RowError,
  type RowOutcome,
} from '@waymark/shared/contract/imports';
import type { Owner } from '../quota/owner.js';

/** Rows that are stored, and done, together: more of them would keep visitors and other requests waiting. */
export const ROWS_PER_CHUNK = 100;

/**
 * Rows wait for their import, and their results stay, for so long. Rows are removed at the end of their import; those of one
 * that never started expire.
 */
export const ROWS_KEPT_DAYS = 30;

/** How many rows have had each outcome so far. */
export type Tally = Record<RowOutcome, number>;

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
  /** Of all; absent in a job of a version that did not count them. */
  errorCount?: number;
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
  /** Absent in a job of a version that stored no results of rows. */
  rowsKeptUntil?: Date;
}

export const NOTHING_DONE: Tally = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };

export const isFinished = (status: ImportStatus): boolean => status !== 'queued' && status !== 'processing';

/** Whether there are more errors than the job holds. */
export const hasMoreErrors = ({ rowErrors, errorCount }: ImportJob): boolean =>
  errorCount === undefined ? rowErrors.length >= IMPORT_ERRORS_MAX : errorCount > rowErrors.length;

/** A job as lists read it. */
export type ImportFigures = Omit<ImportJob, 'rowErrors'>;

export const presentImport = (job: ImportJob): LinkImportBody => ({ ...presentFigures(job), errors: job.rowErrors });

export function presentFigures(job: ImportFigures): Omit<LinkImportBody, 'errors'> {
  return {
    id: job._id,
    status: job.status,
    options: { on_duplicate: job.onDuplicate, dry_run: job.dryRun },
    total_rows: job.totalRows,
    processed_rows: job.nextRow,
    created_count: job.tally.created,
    updated_count: job.tally.updated,
    // A job of a version that counted these as updated has none.
    unchanged_count: job.tally.unchanged ?? 0,
    skipped_count: job.tally.skipped,
    failed_count: job.tally.failed,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    rows_kept_until: job.rowsKeptUntil?.toISOString() ?? null,
  };
}
