import { Schema, type ClientSession, type Model } from 'mongoose';
import type { RowOutcome, RowProblem } from '@waymark/contract/imports';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Page } from '@waymark/kernel/mongo/page';
import type { LinkAddress } from '../links/code-store.js';
import { ROWS_PER_CHUNK, type ImportJob } from './import-job.js';

/** The result of a row. */
export interface RowResult {
  /** From 1. */
  row: number;
  outcome: RowOutcome;
  linkId: string | null;
  /** The place of the link when the row was processed. */
  place: LinkAddress | null;
  errors: RowProblem[];
}

interface ResultChunk {
  _id: string;
  importId: string;
  /** The number of the first row. */
  row: number;
  results: RowResult[];
  expiresAt: Date;
}

/** The results of import rows; one document has those of a batch, at most `ROWS_PER_CHUNK`. */
export class ResultStore {
  private readonly chunks: Model<ResultChunk>;

  constructor(db: Database) {
    const schema = new Schema<ResultChunk>(
      { _id: String, importId: String, row: Number, results: Schema.Types.Mixed, expiresAt: Date },
      { minimize: false, versionKey: false },
    );
    schema.index({ importId: 1, row: 1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.chunks = db.model<ResultChunk>('ImportResults', schema, 'import_results');
  }

  /** Inserts one document at a time: encoding those of a whole import at once would block the event loop. */
  async insertResults(
    { _id: importId, rowsKeptUntil: expiresAt }: ImportJob,
    results: RowResult[],
    session: ClientSession,
  ) {
    // A job that a version without results started has none.
    if (!expiresAt) return;
    for (let index = 0; index < results.length; index += ROWS_PER_CHUNK) {
      const chunk = results.slice(index, index + ROWS_PER_CHUNK);
      const { row } = chunk[0]!;
      const _id = `${importId}:${String(row).padStart(5, '0')}`;
      await this.chunks.insertMany([{ _id, importId, row, results: chunk, expiresAt }], { session, lean: true });
    }
  }

  /** Returns the results of the rows that the job has processed, in their order. */
  async findResults(
    { _id: importId, nextRow: doneCount }: Pick<ImportJob, '_id' | 'nextRow'>,
    outcome: RowOutcome | undefined,
    { page, perPage }: Page,
  ): Promise<RowResult[]> {
    return this.chunks.aggregate<RowResult>([
      { $match: { importId, ...(outcome && { 'results.outcome': outcome }) } },
      { $sort: { row: 1 } },
      { $unwind: '$results' },
      { $replaceRoot: { newRoot: '$results' } },
      { $match: { row: { $lte: doneCount }, ...(outcome && { outcome }) } },
      { $skip: (page - 1) * perPage },
      { $limit: perPage },
    ]);
  }

  async deleteResults(importIds: string[]): Promise<void> {
    if (importIds.length > 0) await this.chunks.deleteMany({ importId: { $in: importIds } });
  }
}
