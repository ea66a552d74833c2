import { Schema, type ClientSession, type Model, type Types } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Scan } from '../scans/scan.js';

/** Scans that one transaction has stored and that no cell counts yet. */
interface Uncounted {
  _id: Types.ObjectId;
  scanIds: string[];
}

const BATCHES_AT_ONCE = 1000;

/** The scans that are stored but not counted yet, in the order in which they came. */
export class UncountedStore {
  private readonly batches: Model<Uncounted>;

  constructor(db: Database) {
    this.batches = db.model('Uncounted', new Schema<Uncounted>({ scanIds: [String] }), 'uncounted');
  }

  /** In the transaction that stores these scans, each of which is new: each will be counted once. */
  async add(scans: readonly Scan[], session: ClientSession): Promise<void> {
    await this.batches.collection.insertOne({ scanIds: scans.map(({ _id }) => _id) }, { session });
  }

  /** Takes out the oldest batches, with as many scans as are wanted or a few more. @returns the ids of the scans */
  async take(scansWanted: number, session: ClientSession): Promise<string[]> {
    const oldest = await this.batches.find({}, null, { session }).sort({ _id: 1 }).limit(BATCHES_AT_ONCE).lean();
    const taken: Uncounted[] = [];
    let scans = 0;
    for (const batch of oldest) {
      if (scans >= scansWanted) break;
      taken.push(batch);
      scans += batch.scanIds.length;
    }
    if (taken.length > 0) await this.batches.deleteMany({ _id: { $in: taken.map(({ _id }) => _id) } }, { session });
    return taken.flatMap(({ scanIds }) => scanIds);
  }

  /** Ids of all scans that are not counted. */
  async ids(session: ClientSession): Promise<Set<string>> {
    const batches = await this.batches.find({}, null, { session }).lean();
    return new Set(batches.flatMap(({ scanIds }) => scanIds));
  }

  /** When the oldest of them was stored; `null` when all are counted. */
  async oldestAt(): Promise<Date | null> {
    const oldest = await this.batches.findOne({}, { _id: 1 }).sort({ _id: 1 }).lean();
    return oldest?._id.getTimestamp() ?? null;
  }
}
