import { Schema, Types, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Scan } from '../scans/scan.js';

import { pack, unpack, utcDayOf, type Countable } from './countable.js';
import { grouped } from './grouped.js';

/** Scans that one transaction has stored and that no cell counts yet. */
interface Uncounted {
  _id: Types.ObjectId;
  /** See `pack`. */
  scans: string;
  /** The earliest time of a scan among them: retention keeps every row from the lowest on. */
  oldest: Date;
}

/** A batch that could not be counted: it waits for an operator, and the others go on without it. */
interface SetAside extends Uncounted {
  /** `null` where the batch cannot be read. */
  workspace: string | null;
  error: string;
  setAsideAt: Date;
}

const BATCHES_AT_ONCE = 1000;
const READ_AT_ONCE = 10;
const ERROR_LENGTH_MAX = 500;

/** How much is counted at once. What it takes to count depends on both. */
export interface Portion {
  scans: number;
  /** Each of them has cells of its own. */
  linkDays: number;
}

/** What is to be counted of the scans that are stored but not counted yet, in the order in which they came. */
export class UncountedStore {
  private readonly batches: Model<Uncounted>;
  private readonly aside: Model<SetAside>;

  constructor(private readonly db: Database) {
    const schema = new Schema<Uncounted>({ scans: String, oldest: Date });
    schema.index({ oldest: 1 });
    this.batches = db.model('Uncounted', schema, 'uncounted');
    const aside = { scans: String, oldest: Date, workspace: String, error: String, setAsideAt: Date };
    this.aside = db.model('SetAside', new Schema<SetAside>(aside), 'uncounted_set_aside');
  }

  /** In the transaction that stores these scans, each of which is new: each will be counted once. */
  async add(scans: readonly Countable[], session: ClientSession): Promise<void> {
    await this.batches.collection.insertOne({ scans: pack(scans), oldest: oldestOf(scans) }, { session });
  }

  /**
   * Takes out the oldest batches, up to this much and what the last one has more: at least one, however little may be taken.
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

  /**
   * Takes the oldest batch out of the way of the others. One of several workspaces is divided into one for each, to be
   * counted after the others: what cannot be counted is then set aside alone.
   * @returns what was set aside, or `null` where the batch was divided
   */
  setAsideOldest(cause: unknown): Promise<{ workspace: string | null } | null> {
    return this.db.transaction(async ({ session }) => {
      const batch = await this.batches.findOne({}, null, { session }).sort({ _id: 1 }).lean<Uncounted>();
      if (!batch) return null;
      await this.batches.deleteOne({ _id: batch._id }, { session });
      const byWorkspace = readByWorkspace(batch);
      if (byWorkspace && byWorkspace.size > 1) {
        for (const scans of byWorkspace.values()) await this.add(scans, session);
        return null;
      }
      const workspace = byWorkspace?.keys().next().value ?? null;
      const error = String(cause).slice(0, ERROR_LENGTH_MAX);
      await this.aside.insertMany([{ ...batch, workspace, error, setAsideAt: new Date() }], { session, lean: true });
      return { workspace };
    });
  }

  /** Exact: an estimate may still include batches that were just put back. */
  setAsideCount(): Promise<number> {
    return this.aside.countDocuments({});
  }

  /** The latest first. */
  listSetAside(limit: number): Promise<Pick<SetAside, '_id' | 'workspace' | 'error' | 'setAsideAt'>[]> {
    return this.aside.find({}, { scans: 0, oldest: 0 }).sort({ _id: -1 }).limit(limit).lean();
  }

  /** Puts one back to be counted. @returns false when none is left */
  putBackSetAside(): Promise<boolean> {
    return this.db.transaction(async ({ session }) => {
      const batch = await this.aside.findOneAndDelete({}, { session }).lean<SetAside>();
      if (!batch) return false;
      const { scans, oldest } = batch;
      await this.batches.collection.insertOne({ _id: new Types.ObjectId(), scans, oldest }, { session });
      return true;
    });
  }

  /** Ids of the scans that are not counted, of all batches that have one from before this time. */
  async idsBefore(time: Date, session: ClientSession): Promise<Set<string>> {
    const ids = new Set<string>();
    const mayHaveOne = { $or: [{ oldest: { $lt: time } }, { oldest: { $exists: false } }] };
    for (const model of [this.batches, this.aside as unknown as Model<Uncounted>]) {
      const batches = model.find(mayHaveOne, null, { session, batchSize: READ_AT_ONCE }).lean<Uncounted>();
      for await (const batch of batches.cursor()) {
        for (const scans of readByWorkspace(batch)?.values() ?? []) for (const { _id } of scans) ids.add(_id);
      }
    }
    return ids;
  }

  /** Every scan from before this time is counted; `null` when all are. Batches that were set aside have what they need. */
  async countedBefore(session?: ClientSession): Promise<Date | null> {
    const lowest = await this.batches.findOne({}, { oldest: 1 }, { session }).sort({ oldest: 1 }).lean<Uncounted>();
    if (!lowest) return null;
    // Stored by a version without the field, or damaged: nothing is known of it.
    return lowest.oldest instanceof Date ? lowest.oldest : new Date(0);
  }

  /** When the oldest of them was stored; `null` when all are counted. */
  async oldestAt(): Promise<Date | null> {
    const oldest = await this.batches.findOne({}, { _id: 1 }).sort({ _id: 1 }).lean();
    return oldest?._id.getTimestamp() ?? null;
  }
}

const oldestOf = (scans: readonly Pick<Scan, 'scannedAt'>[]): Date =>
  new Date(scans.reduce((oldest, { scannedAt }) => Math.min(oldest, scannedAt.getTime()), Infinity));

/** `null` where the batch cannot be read. */
function readByWorkspace({ scans }: Uncounted): Map<string, Countable[]> | null {
  try {
    return grouped(unpack(scans), ({ workspace }) => workspace);
  } catch {
    return null;
  }
}
