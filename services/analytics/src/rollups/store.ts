import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Device } from '@waymark/shared/contract/analytics';
import type { Database } from '@waymark/shared/kernel/database';
import { dayIndexOf } from '../selection/day-index.js';
import { rangeFilter, type Selection } from '../selection/selection.js';
import type { Scan } from '../scans/scan.js';
import { cellsOf, countersIn, DEVICES, PART, partsOf, type Cell, type Counter } from './cells.js';

/** Scans of one local day and device, of people or of bots. */
export interface DayCount {
  day: number;
  device: Device;
  isBot: boolean;
  scans: number;
}

/**
 * Counts of scans, in step with the raw rows: both change in one transaction. A worker only adds parts, which no other
 * touches; folding adds them to their cells later. A reader sums parts and cells alike.
 */
export class RollupStore {
  private readonly cells: Model<Cell>;

  constructor(db: Database) {
    const schema = new Schema<Cell>({
      _id: String,
      workspace: String,
      at: Date,
      linkId: String,
      campaign: String,
      scans: Object,
    });
    schema.index({ workspace: 1, at: 1 });
    this.cells = db.model<Cell>('Rollup', schema, 'rollups');
  }

  /** In the transaction that stores these scans, each of which is new: from here on they are in every figure. */
  async add(scans: readonly Scan[], session: ClientSession): Promise<void> {
    await this.cells.collection.insertMany(partsOf(scans) as never[], { session });
  }

  /** Adds up to `max` parts to their cells. @returns how many there were */
  async fold(max: number, session: ClientSession): Promise<number> {
    const parts = await this.cells
      .find({ _id: { $gte: PART } }, null, { session })
      .sort({ _id: 1 })
      .limit(max)
      .lean<Cell[]>();
    if (parts.length === 0) return 0;
    await this.cells.deleteMany({ _id: { $in: parts.map(({ _id }) => _id) } }, { session });
    const increments = cellsOf(parts).map(({ _id, scans, ...names }) => {
      const $inc = Object.fromEntries(Object.entries(scans).map(([counter, count]) => [`scans.${counter}`, count]));
      return { updateOne: { filter: { _id }, update: { $inc, $setOnInsert: names }, upsert: true } };
    });
    await this.cells.collection.bulkWrite(increments as never[], { session, ordered: true });
    return parts.length;
  }

  /** Bots of the selection are always told, whether or not it counts them. */
  async countsByDay(selection: Selection): Promise<DayCount[]> {
    const kinds = DEVICES.flatMap((device) => [false, true].map((isBot) => ({ device, isBot })));
    const sums = kinds.map(
      ({ device, isBot }, i) => [`kind${i}`, sumOf(countersIn(selection, device, isBot))] as const,
    );
    const days = await this.cells
      .aggregate<{ _id: number } & Record<string, number>>([
        { $match: cellFilter(selection) },
        { $group: { _id: dayIndexOf('$at', selection.days), ...Object.fromEntries(sums) } },
      ])
      // One moment for the whole range: a fold that commits meanwhile is seen whole or not at all.
      .readConcern('snapshot')
      .exec();
    return days
      .flatMap((row) => kinds.map((kind, i) => ({ day: row._id, ...kind, scans: row[`kind${i}`]! })))
      .filter(({ scans }) => scans > 0);
  }

  async countScans(selection: Selection): Promise<number> {
    const counts = await this.countsByDay(selection);
    return counts.filter(({ isBot }) => selection.includeBots || !isBot).reduce((total, { scans }) => total + scans, 0);
  }
}

/** A cell holds every device, trigger and bot: those filters choose among its counters. */
function cellFilter(selection: Selection): Record<string, unknown> {
  return rangeFilter({ ...selection, device: undefined, trigger: undefined, includeBots: true }, 'at');
}

function sumOf(counters: Counter[]) {
  return { $sum: { $add: [0, ...counters.map((counter) => ({ $ifNull: [`$scans.${counter}`, 0] }))] } };
}
