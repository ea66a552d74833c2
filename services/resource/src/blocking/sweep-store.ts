import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { NOTHING_BLOCKED } from '../destinations/blocked-destinations.js';

/** What a pass compares the links with: everything that is blocked here, or the verdicts of the checker as well. */
export type PassName = 'list' | 'check';

/** The latest pass over all links. */
export interface Pass {
  _id: PassName;
  /** The links up to this id are done; `null` once all are. */
  after: string | null;
  /** What was blocked when the pass began. */
  fingerprint: string;
  finishedAt: Date | null;
}

const NO_PASS = { after: null, fingerprint: NOTHING_BLOCKED, finishedAt: null };

export class SweepStore {
  private readonly passes: Model<Pass>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Pass>(
      { _id: String, after: String, fingerprint: String, finishedAt: Date },
      { versionKey: false },
    );
    this.passes = db.model<Pass>('DestinationSweep', schema, 'destination_sweeps');
  }

  async findPass(name: PassName): Promise<Pass> {
    return (await this.passes.findById(name).lean<Pass>()) ?? { _id: name, ...NO_PASS };
  }

  async savePass({ _id, ...fields }: Pass): Promise<void> {
    await this.passes.updateOne({ _id }, { $set: fields }, { upsert: true });
  }

  now(): Promise<Date> {
    return this.db.now();
  }
}
