import type { EventContext } from '@waymark/contract/event';
import {
  IMPORT_ERRORS_MAX,
  type LinkImportBody,
  type ImportStatus,
  type OnDuplicate,
  type RowError,
  type RowOutcome,
} from '@waymark/contract/imports';
import type { Owner } from '../links/change.js';

/** Rows stored together, before they are processed. */
export const ROWS_PER_CHUNK = 100;
/** Rows processed in one transaction: more of them would delay visitors and other requests. */
export const ROWS_PER_BATCH = 10;

/**
 * How long rows wait for their import, and results are kept. The end of an import removes its rows; those of one that
 * never started expire.
 */
export const ROWS_KEPT_DAYS = 30;

/** The number of rows with each outcome so far. */
export type OutcomeCounts = Record<RowOutcome, number>;

export interface ImportOptions {
  on_duplicate: OnDuplicate;
  dry_run: boolean;
}

export interface ImportJob {
  _id: string;
  workspace: string;
  /** The plan of the workspace when the import was sent. */
  plan: Owner['plan'];
  /** The context of the request: every event that the rows cause names its sender. */
  event: EventContext;
  onDuplicate: OnDuplicate;
  dryRun: boolean;
  status: ImportStatus;
  totalRows: number;
  /** Rows before this one are processed; the transaction that processes rows advances it. */
  nextRow: number;
  tally: OutcomeCounts;
  /** The first errors, up to a limit. */
  rowErrors: RowError[];
  /** The number of all errors; absent in a job of a version that did not count them. */
  errorCount?: number;
  /** Until then no other worker claims it. */
  leaseUntil: Date;
  /** Identifies the lease; each later one has another id. */
  leaseId: string | null;
  /** Leases since a row was last processed. */
  attempts: number;
  createdAt: Date;
  /** The time of the first lease. */
  startedAt?: Date;
  finishedAt: Date | null;
  /** Absent in a job of a version that stored no results of rows. */
  rowsKeptUntil?: Date;
}

export const NOTHING_DONE: OutcomeCounts = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };

export const isFinished = (status: ImportStatus): boolean => status !== 'queued' && status !== 'processing';

/** True if there are more errors than the job holds. */
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
