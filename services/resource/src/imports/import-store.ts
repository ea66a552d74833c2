import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { IMPORT_ERRORS_MAX, type ImportStatus, type RowError } from '@waymark/contract/imports';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import {
  ROWS_KEPT_DAYS,
  ROWS_PER_CHUNK,
  type ImportFigures,
  type ImportJob,
  type OutcomeCounts,
} from './import-job.js';
import type { ImportRow } from './read-row.js';

const KEPT_DAYS = 90;
/** Finished jobs kept per workspace; each has up to 0.5 MB of errors. */
const KEPT_MAX = 200;

/** Rows as text, so that field names of a row never become field names here. */
interface RowChunk {
  _id: string;
  importId: string;
  from: number;
  rows: string;
  createdAt: Date;
}

const UNFINISHED: ImportStatus[] = ['queued', 'processing'];

/** The progress that a batch of rows adds to its job. */
export interface Progress {
  rows: number;
  tally: OutcomeCounts;
  errors: RowError[];
}

export class ImportStore {
  private readonly jobs: Model<ImportJob>;
  private readonly chunks: Model<RowChunk>;

  constructor(private readonly db: Database) {
    const jobs = new Schema<ImportJob>(
      {
        _id: String,
        workspace: String,
        plan: Schema.Types.Mixed,
        event: Schema.Types.Mixed,
        onDuplicate: String,
        dryRun: Boolean,
        status: String,
        totalRows: Number,
        nextRow: Number,
        tally: { created: Number, updated: Number, unchanged: Number, skipped: Number, failed: Number },
        rowErrors: Schema.Types.Mixed,
        errorCount: Number,
        leaseUntil: Date,
        leaseId: String,
        attempts: Number,
        createdAt: Date,
        startedAt: Date,
        finishedAt: Date,
        rowsKeptUntil: Date,
      },
      { minimize: false, versionKey: false },
    );
    jobs.index({ status: 1, leaseUntil: 1 });
    jobs.index({ workspace: 1, finishedAt: -1, _id: -1 });
    jobs.index({ workspace: 1, createdAt: -1, _id: -1 });
    jobs.index({ finishedAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.jobs = db.model<ImportJob>('Import', jobs, 'imports');
    const chunks = new Schema<RowChunk>({ _id: String, importId: String, from: Number, rows: String, createdAt: Date });
    chunks.index({ importId: 1, from: 1 });
    chunks.index({ createdAt: 1 }, { expireAfterSeconds: ROWS_KEPT_DAYS * 24 * 3600 });
    this.chunks = db.model<RowChunk>('ImportRows', chunks, 'import_rows');
  }

  /** Leases and expiry use the database's clock, which all replicas share. */
  now(): Promise<Date> {
    return this.db.now();
  }

  /** Stores the next chunk of rows, even before their job. */
  async insertRows(chunk: Omit<RowChunk, '_id'>): Promise<void> {
    const _id = `${chunk.importId}:${String(chunk.from).padStart(5, '0')}`;
    await this.chunks.insertMany([{ _id, ...chunk }], { lean: true });
  }

  async removeRows(importId: string): Promise<void> {
    await this.chunks.deleteMany({ importId });
  }

  async insertImport(job: ImportJob, session: ClientSession): Promise<void> {
    await this.jobs.insertMany([job], { session, lean: true });
  }

  async hasImport(id: string): Promise<boolean> {
    return (await this.jobs.exists({ _id: id })) !== null;
  }

  findImport(workspace: string, id: string): Promise<ImportJob | null> {
    return this.jobs.findOne({ _id: id, workspace }).lean<ImportJob>().exec();
  }

  /** Newest first. */
  async findPage(workspace: string, { page, perPage }: Page): Promise<PageOf<ImportFigures>> {
    const items = this.jobs
      .find({ workspace }, { rowErrors: 0 })
      .sort({ createdAt: -1, _id: -1 })
      .skip((page - 1) * perPage)
      .limit(perPage)
      .lean<ImportFigures[]>();
    return { items: await items, total: await this.jobs.countDocuments({ workspace }) };
  }

  countUnfinished(workspace: string): Promise<number> {
    return this.jobs.countDocuments({ workspace, finishedAt: null }).exec();
  }

  /**
   * Leases the job that has waited longest. The other jobs of its workspace move to the end of the queue: a workspace
   * with many imports gets no more turns than one with a single import.
   */
  async claimImport(leaseMs: number): Promise<ImportJob | null> {
    const now = await this.now();
    const job = await this.jobs
      .findOneAndUpdate(
        { status: { $in: UNFINISHED }, leaseUntil: { $lte: now } },
        {
          $set: { status: 'processing', leaseId: randomUUID(), leaseUntil: after(now, leaseMs) },
          $inc: { attempts: 1 },
          $min: { startedAt: now },
        },
        { sort: { leaseUntil: 1, _id: 1 }, returnDocument: 'after', timestamps: false },
      )
      .lean<ImportJob>();
    if (!job) return null;
    const waiting = { workspace: job.workspace, finishedAt: null, leaseUntil: { $lte: now } };
    await this.jobs.updateMany(waiting, { $set: { leaseUntil: now } }, { timestamps: false });
    return job;
  }

  /** Returns the job's next rows, all of one chunk. */
  async findNextRows({ _id, nextRow }: Pick<ImportJob, '_id' | 'nextRow'>, max: number): Promise<ImportRow[]> {
    const from = nextRow - (nextRow % ROWS_PER_CHUNK);
    const chunk = await this.chunks.findOne({ importId: _id, from }).lean<RowChunk>();
    if (!chunk) throw new Error(`the rows of ${_id} from ${from} on are gone`);
    return (JSON.parse(chunk.rows) as ImportRow[]).slice(nextRow - from, nextRow - from + max);
  }

  /** Extends the lease. @returns false if another worker has it */
  async renewLease({ _id, leaseId }: ImportJob, leaseMs: number): Promise<boolean> {
    const leaseUntil = after(await this.now(), leaseMs);
    const { matchedCount } = await this.jobs.updateOne(
      { _id, leaseId },
      { $set: { leaseUntil } },
      { timestamps: false },
    );
    return matchedCount === 1;
  }

  /**
   * Records the outcomes of the next rows. The lease stays unchanged.
   * @returns the updated job, or null if another worker has taken it over
   */
  async advanceImport(job: ImportJob, progress: Progress, session: ClientSession): Promise<ImportJob | null> {
    const { tally } = progress;
    const errors = progress.errors.slice(0, IMPORT_ERRORS_MAX - job.rowErrors.length);
    return this.jobs
      .findOneAndUpdate(
        { _id: job._id, nextRow: job.nextRow, leaseId: job.leaseId },
        {
          $set: { attempts: 0 },
          $inc: {
            nextRow: progress.rows,
            errorCount: progress.errors.length,
            'tally.created': tally.created,
            'tally.updated': tally.updated,
            'tally.unchanged': tally.unchanged,
            'tally.skipped': tally.skipped,
            'tally.failed': tally.failed,
          },
          ...(errors.length > 0 && { $push: { rowErrors: { $each: errors } } }),
        },
        { session, returnDocument: 'after', timestamps: false },
      )
      .lean<ImportJob>()
      .exec();
  }

  /** Ends the job and removes its rows, which are no longer needed. */
  async finishImport(
    job: ImportJob,
    end: { status: ImportStatus; finishedAt: Date; errors: RowError[] },
    session: ClientSession,
  ) {
    const { matchedCount } = await this.jobs.updateOne(
      { _id: job._id, leaseId: job.leaseId, finishedAt: null },
      {
        $set: { status: end.status, finishedAt: end.finishedAt },
        ...(end.errors.length > 0 && {
          $push: { rowErrors: { $each: end.errors } },
          $inc: { errorCount: end.errors.length },
        }),
      },
      { session, timestamps: false },
    );
    if (matchedCount === 1) await this.chunks.deleteMany({ importId: job._id }, { session });
    return matchedCount === 1 ? 'finished' : 'taken_over';
  }

  /** Removes the oldest finished jobs of a workspace beyond the limit. @returns their ids */
  async pruneImports(workspace: string): Promise<string[]> {
    const old = await this.jobs
      .find({ workspace, finishedAt: { $ne: null } }, { _id: 1 })
      .sort({ finishedAt: -1, _id: -1 })
      .skip(KEPT_MAX)
      .limit(KEPT_MAX)
      .lean<{ _id: string }[]>();
    const ids = old.map(({ _id }) => _id);
    if (ids.length > 0) await this.jobs.deleteMany({ _id: { $in: ids } });
    return ids;
  }

  /** Releases the lease; the next worker resumes the job no earlier than in `delayMs`. */
  async releaseImport({ _id, leaseId }: ImportJob, delayMs: number): Promise<void> {
    const leaseUntil = after(await this.now(), delayMs);
    await this.jobs.updateOne({ _id, leaseId }, { $set: { leaseUntil } }, { timestamps: false });
  }

  /** Releases the job after an outage, which uses up no attempt, even if the lease has expired meanwhile. */
  async releaseWithoutAttempt(job: ImportJob, delayMs: number): Promise<void> {
    await this.jobs.updateOne(
      { _id: job._id, attempts: { $gt: 0 } },
      { $inc: { attempts: -1 } },
      { timestamps: false },
    );
    await this.releaseImport(job, delayMs);
  }
}

const after = (date: Date, ms: number): Date => new Date(date.getTime() + ms);
