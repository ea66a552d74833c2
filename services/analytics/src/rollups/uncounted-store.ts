import { Schema, type ClientSession, type Model, type Types } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Scan } from '../scans/scan.js';
import { pack, unpack, type Countable } from './countable.js';

/** Scans that one transaction has stored and that no cell counts yet. */
interface Uncounted {
  _id: Types.ObjectId;
  size: number;
  /** See `pack`. */
  scans: string;
}

const BATCHES_AT_ONCE = 1000;

/** What is to be counted of the scans that are stored but not counted yet, in the order in which they came. */
export class UncountedStore {
  private readonly batches: Model<Uncounted>;

  constructor(db: Database) {
    this.batches = db.model('Uncounted', new Schema<Uncounted>({ size: Number, scans: String }), 'uncounted');
  }

  /** In the transaction that stores these scans, each of which is new: each will be counted once. */
  async add(scans: readonly Scan[], session: ClientSession): Promise<void> {
    await this.batches.collection.insertOne({ size: scans.length, scans: pack(scans) }, { session });
  }

  /** Takes out the oldest batches, with as many scans as are wanted or a few more. */
  async take(scansWanted: number, session: ClientSession): Promise<Countable[]> {
    const ids = await this.oldest(scansWanted, session);
    if (ids.length === 0) return [];
    const these = { _id: { $in: ids } };
    const batches = await this.batches.find(these, null, { session }).sort({ _id: 1 }).lean();
    await this.batches.deleteMany(these, { session });
    return batches.flatMap(({ scans }) => unpack(scans));
  }

  /** Ids of all scans that are not counted. */
  async ids(session: ClientSession): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { scans } of this.batches.find({}, null, { session, batchSize: 10 }).lean().cursor()) {
      for (const { _id } of unpack(scans)) ids.add(_id);
    }
    return ids;
  }

  /** When the oldest of them was stored; `null` when all are counted. */
  async oldestAt(): Promise<Date | null> {
    const oldest = await this.batches.findOne({}, { _id: 1 }).sort({ _id: 1 }).lean();
    return oldest?._id.getTimestamp() ?? null;
  }

  private async oldest(scansWanted: number, session: ClientSession): Promise<Types.ObjectId[]> {
    const batches = await this.batches
      .find({}, { size: 1 }, { session })
      .sort({ _id: 1 })
      .limit(BATCHES_AT_ONCE)
      .lean();
    const ids: Types.ObjectId[] = [];
    let scans = 0;
    for (const { _id, size } of batches) {
      if (scans >= scansWanted) break;
      ids.push(_id);
      scans += size;
    }
    return ids;
  }
}
