import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import type { ScanPosition } from '../ledger/scan-store.js';

/** UTC days, both inclusive. */
export interface DayRange {
  from: string;
  to: string;
}

interface Progress extends ScanPosition {
  _id: string;
}

/** The progress of a reclassification; deleted when it has finished. */
export class ProgressStore {
  private readonly progress: Model<Progress>;

  constructor(db: Database) {
    const schema = new Schema<Progress>({ _id: String, workspace: String, scannedAt: Date, id: String }, { id: false });
    this.progress = db.model<Progress>('Reclassification', schema, 'reclassifications');
  }

  async positionOf(range: DayRange): Promise<ScanPosition | null> {
    return this.progress.findById(keyOf(range)).lean<ScanPosition>().exec();
  }

  async savePosition(
    range: DayRange,
    { workspace, scannedAt, id }: ScanPosition,
    session: ClientSession,
  ): Promise<void> {
    const change = { $set: { workspace, scannedAt, id } };
    await this.progress.updateOne({ _id: keyOf(range) }, change, { upsert: true, session });
  }

  async deletePosition(range: DayRange): Promise<void> {
    await this.progress.deleteOne({ _id: keyOf(range) });
  }
}

const keyOf = ({ from, to }: DayRange): string => `${from} ${to}`;
