import { randomUUID } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import { IMPORT_ERRORS_MAX, type ImportStatus, type RowError } from '@waymark/shared/contract/imports';
import type { Database } from '@waymark/shared/kernel/database';
import type { ImportJob, Tally } from './import-job.js';
import type { ImportRow } from './read-rows.js';

/** Rows that are stored, and done, together: more of them would keep visitors and other requests waiting. */
export const ROWS_AT_ONCE = 100;
const KEPT_DAYS = 90;
const NOBODY = new Date(0);

/** Rows as text: what a row calls its fields never becomes the name of a field here. */
interface RowChunk {
  _id: string;
  importId: string;
  from: number;
  rows: string;
}

/** What a batch of rows has come to. */
export interface Progress {
  rows: number;
  tally: Tally;
  errors: RowError[];
}

export class ImportStore {
  private readonly jobs: Model<ImportJob>;
  private readonly chunks: Model<RowChunk>;

  constructor(db: Database) {
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
        tally: { created: Number, updated: Number, skipped: Number, failed: Number },
        rowErrors: Schema.Types.Mixed,
        leaseUntil: Date,
        leaseId: String,
        attempts: Number,
        createdAt: Date,
        startedAt: Date,
        finishedAt: Date,
      },
      { minimize: false, versionKey: false },
    );
    jobs.index({ status: 1, leaseUntil: 1 });
    jobs.index({ finishedAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.jobs = db.model<ImportJob>('Import', jobs, 'imports');
    const chunks = new Schema<RowChunk>({ _id: String, importId: String, from: Number, rows: String });
    chunks.index({ importId: 1, from: 1 });
    this.chunks = db.model<RowChunk>('ImportRows', chunks, 'import_rows');
  }

  async insert(job: ImportJob, rows: ImportRow[], session: ClientSession): Promise<void> {
    const chunks: RowChunk[] = [];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const text = JSON.stringify(rows.slice(from, from + ROWS_AT_ONCE));
      chunks.push({ _id: `${job._id}:${String(from).padStart(5, '0')}`, importId: job._id, from, rows: text });
    }
    await this.jobs.insertMany([job], { session, lean: true });
    await this.chunks.insertMany(chunks, { session, lean: true });
  }

  byId(workspace: string, id: string): Promise<ImportJob | null> {
    return this.jobs.findOne({ _id: id, workspace }).lean<ImportJob>().exec();
  }

  countUnfinished(workspace: string): Promise<number> {
    return this.jobs.countDocuments({ workspace, finishedAt: null }).exec();
  }

  /** The oldest job that nobody works on, for this long. */
  claim(leaseMs: number): Promise<ImportJob | null> {
    const now = new Date();
    return this.jobs
      .findOneAndUpdate(
        { status: { $in: ['queued', 'processing'] satisfies ImportStatus[] }, leaseUntil: { $lte: now } },
        {
          $set: { status: 'processing', leaseId: randomUUID(), leaseUntil: new Date(now.getTime() + leaseMs) },
          $inc: { attempts: 1 },
          $min: { startedAt: now },
        },
        { sort: { leaseUntil: 1, _id: 1 }, returnDocument: 'after', timestamps: false },
      )
      .lean<ImportJob>()
      .exec();
  }

  /** The next rows of the job, as many as are stored together; of a dry run all that are left. */
  async nextRows({ _id, nextRow, dryRun }: ImportJob): Promise<ImportRow[]> {
    const first = nextRow - (nextRow % ROWS_AT_ONCE);
    const from = dryRun ? { $gte: first } : first;
    const chunks = await this.chunks.find({ importId: _id, from }).sort({ from: 1 }).lean<RowChunk[]>();
    return chunks.flatMap(({ rows }) => JSON.parse(rows) as ImportRow[]).slice(nextRow - first);
  }

  /**
   * Notes what has become of the next rows, and keeps the lease.
   * @returns the job as it is then, or null when somebody else has gone on with it
   */
  async advance(
    job: ImportJob,
    progress: Progress,
    leaseMs: number,
    session: ClientSession,
  ): Promise<ImportJob | null> {
    const { tally } = progress;
    const errors = progress.errors.slice(0, IMPORT_ERRORS_MAX - job.rowErrors.length);
    return this.jobs
      .findOneAndUpdate(
        { _id: job._id, nextRow: job.nextRow, leaseId: job.leaseId },
        {
          $set: { leaseUntil: new Date(Date.now() + leaseMs), attempts: 0 },
          $inc: {
            nextRow: progress.rows,
            'tally.created': tally.created,
            'tally.updated': tally.updated,
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

  /** Ends the job: its rows are not needed any more. */
  async finish(job: ImportJob, end: { status: ImportStatus; at: Date; errors: RowError[] }, session: ClientSession) {
    const { matchedCount } = await this.jobs.updateOne(
      { _id: job._id, leaseId: job.leaseId, finishedAt: null },
      {
        $set: { status: end.status, finishedAt: end.at },
        ...(end.errors.length > 0 && { $push: { rowErrors: { $each: end.errors } } }),
      },
      { session, timestamps: false },
    );
    if (matchedCount === 1) await this.chunks.deleteMany({ importId: job._id }, { session });
    return matchedCount === 1 ? 'finished' : 'taken_over';
  }

  /** Gives the job back, to be gone on with from then on. */
  async release({ _id, leaseId }: ImportJob, from = NOBODY): Promise<void> {
    await this.jobs.updateOne({ _id, leaseId }, { $set: { leaseUntil: from } }, { timestamps: false });
  }
}
