import { Schema, type ClientSession, type Model, type Types } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Scan } from '../scans/scan.js';
import { pack, unpack, utcDayOf, type Countable } from './countable.js';

/** Scans that one transaction has stored and that no cell counts yet. */
interface Uncounted {
  _id: Types.ObjectId;
  /** See `pack`. */
  scans: string;
}

const BATCHES_AT_ONCE = 1000;
const READ_AT_ONCE = 10;

/** How much is counted at once. What it takes to count depends on both. */
export interface Portion {
  scans: number;
  /** Each of them has cells of its own. */
  linkDays: number;
}

/** What is to be counted of the scans that are stored but not counted yet, in the order in which they came. */
export class UncountedStore {
  private readonly batches: Model<Uncounted>;

  constructor(db: Database) {
    this.batches = db.model('Uncounted', new Schema<Uncounted>({ scans: String }), 'uncounted');
  }

  /** In the transaction that stores these scans, each of which is new: each will be counted once. */
  async add(scans: readonly Scan[], session: ClientSession): Promise<void> {
    await this.batches.collection.insertOne({ scans: pack(scans) }, { session });
  }

  /**
   * Takes out the oldest batches, up to this much and what the last one has more.
   * @returns whether these are all, too
   */
  async take(most: Portion, session: ClientSession): Promise<{ scans: Countable[]; areAll: boolean }> {
    const scans: Countable[] = [];
    const linkDays = new Set<string>();
    const taken: Types.ObjectId[] = [];
    const hasRoom = () => scans.length < most.scans && linkDays.size < most.linkDays && taken.length < BATCHES_AT_ONCE;
    const oldestFirst = this.batches
      .find({}, null, { session })
      .sort({ _id: 1 })
      .limit(BATCHES_AT_ONCE + 1)
      .lean();
    for await (const batch of oldestFirst.cursor({ batchSize: READ_AT_ONCE })) {
      if (!hasRoom()) break;
      taken.push(batch._id);
      for (const scan of unpack(batch.scans)) {
        scans.push(scan);
        linkDays.add(`${scan.linkId} ${utcDayOf(scan)}`);
      }
    }
    if (taken.length > 0) await this.batches.deleteMany({ _id: { $in: taken } }, { session });
    return { scans, areAll: hasRoom() };
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
}
