import { randomUUID } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { Database } from './database.js';
import { isDuplicateKey } from './errors.js';

interface LeaseRow {
  _id: string;
  owner: string;
  until: Date;
}

/** Lets one of several replicas do a job at a time; a dead owner's lease runs out by itself. */
export class Lease {
  private readonly owner = randomUUID();
  private readonly rows: Model<LeaseRow>;

  constructor(
    db: Database,
    private readonly name: string,
  ) {
    const schema = new Schema<LeaseRow>({ _id: String, owner: String, until: Date });
    this.rows = db.model<LeaseRow>('Lease', schema, 'leases');
  }

  /** Takes the lease or prolongs our own. @returns false while another owner holds it. */
  async take(forMs: number): Promise<boolean> {
    const now = Date.now();
    try {
      const row = await this.rows.findOneAndUpdate(
        { _id: this.name, $or: [{ owner: this.owner }, { until: { $lt: new Date(now) } }] },
        { $set: { owner: this.owner, until: new Date(now + forMs) } },
        { upsert: true, returnDocument: 'after' },
      );
      return row !== null;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
  /** Gives our own back before it runs out. */
  async release(): Promise<void> {
    await this.rows.deleteOne({ _id: this.name, owner: this.owner });
  }
}
