import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import type { ScanPosition } from '../scans/store.js';
import type { Range } from './reclassify.js';

interface Progress extends ScanPosition {
  _id: string;
}

/** The progress of a reclassification; deleted when it has finished. */
export class ProgressStore {
  private readonly rows: Model<Progress>;

  constructor(db: Database) {
    const schema = new Schema<Progress>({ _id: String, workspace: String, scannedAt: Date, id: String }, { id: false });
    this.rows = db.model<Progress>('Reclassification', schema, 'reclassifications');
  }

  async positionOf(range: Range): Promise<ScanPosition | null> {
    return this.rows.findById(keyOf(range)).lean<ScanPosition>().exec();
  }

  async save(range: Range, { workspace, scannedAt, id }: ScanPosition, session: ClientSession): Promise<void> {
    const change = { $set: { workspace, scannedAt, id } };
    await this.rows.updateOne({ _id: keyOf(range) }, change, { upsert: true, session });
  }

  async forget(range: Range): Promise<void> {
    await this.rows.deleteOne({ _id: keyOf(range) });
  }
}

const keyOf = ({ from, to }: Range): string => `${from} ${to}`;
