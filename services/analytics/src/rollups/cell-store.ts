import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Dimension } from './vocabulary.js';
import type { Database } from '@waymark/shared/kernel/database';
import { cellId, dayOf, dayPrefix } from './cell-id.js';
import { incrementsOf, isLarge, partsOf, sumOf, type Cell, type Increment } from './cells.js';
import type { DayTally } from './tally-scans.js';
import { DIMENSIONS } from './vocabulary.js';

const CELLS_AT_ONCE = 500;

/** One dimension of a cell. */
export interface CellPart {
  _id: string;
  rows?: Uint8Array | null;
  totals?: Uint8Array;
}

/** The counts of scans and visitors. */
export class CellStore {
  private readonly cells: Model<Cell>;

  constructor(db: Database) {
    const schema = new Schema<Cell>({ _id: String, scans: Number, asOf: Date, rows: Object, totals: Object });
    this.cells = db.model<Cell>('Cell', schema, 'cells');
  }

  async add(days: readonly DayTally[], session: ClientSession): Promise<void> {
    const increments = days.flatMap(incrementsOf);
    const tooMuch = await this.addTo(increments, session, isLarge);
    await this.addTo(tooMuch.flatMap(partsOf), session, () => false);
  }

  /** What cells have of one dimension: their totals, where they have some and these do, otherwise their rows. */
  async find(ids: readonly string[], dimension: Dimension, { doTotals }: { doTotals: boolean }): Promise<CellPart[]> {
    const [rows, totals] = [`$rows.${dimension}`, `$totals.${dimension}`];
    const projection = doTotals ? { totals, rows: { $cond: [{ $ifNull: [totals, false] }, null, rows] } } : { rows };
    const parts: CellPart[] = [];
    for (const some of inPortions(ids)) {
      const filter = { _id: { $in: some } } as never;
      const found = this.cells.collection.find<CellPart>(filter, { projection, promoteBuffers: true });
      parts.push(...(await found.toArray()));
    }
    return parts;
  }

  /** The newest scan of a workspace that is counted: all of its last day are in that day's cell or in its parts. */
  async asOf(workspace: string): Promise<Date | null> {
    const day = await this.lastDay(workspace);
    if (day === null) return null;
    const ids = [undefined, ...DIMENSIONS].map((dimension) => cellId(workspace, 'workspace', { day }, dimension));
    const cells = await this.cells.find({ _id: { $in: ids } }, { asOf: 1 }).lean<Pick<Cell, 'asOf'>[]>();
    const times = cells.map(({ asOf }) => asOf.getTime());
    return times.length === 0 ? null : new Date(Math.max(...times));
  }

  ofDay(workspace: string, day: number, session: ClientSession): Promise<Cell[]> {
    const prefix = dayPrefix(workspace, day);
    const filter = { _id: { $gte: prefix, $lt: `${prefix}~` } } as never;
    return this.cells.collection.find<Cell>(filter, { session, promoteBuffers: true }).toArray();
  }

  async removeDay(workspace: string, day: number, session: ClientSession): Promise<void> {
    const prefix = dayPrefix(workspace, day);
    await this.cells.deleteMany({ _id: { $gte: prefix, $lt: `${prefix}~` } }, { session });
  }

  /** The first UTC day from this one on that has cells. */
  async nextDay(workspace: string, from: number): Promise<number | null> {
    const next = await this.cells
      .findOne({ _id: { $gte: dayPrefix(workspace, from), $lt: `${workspace}|~` } }, { _id: 1 })
      .sort({ _id: 1 })
      .lean<Pick<Cell, '_id'>>();
    return next && dayOf(next._id);
  }

  private async lastDay(workspace: string): Promise<number | null> {
    const last = await this.cells
      .findOne({ _id: { $gte: `${workspace}|`, $lt: `${workspace}|~` } }, { _id: 1 })
      .sort({ _id: -1 })
      .lean<Pick<Cell, '_id'>>();
    return last && dayOf(last._id);
  }

  /** @returns what was not added because its cell would become too large */
  private async addTo(
    increments: Increment[],
    session: ClientSession,
    isTooLarge: (cell: Cell) => boolean,
  ): Promise<Increment[]> {
    const refused: Increment[] = [];
    for (const some of inPortions(increments.sort((a, b) => (a._id < b._id ? -1 : 1)))) {
      const ids = some.map(({ _id }) => _id);
      const filter = { _id: { $in: ids } } as never;
      const found = await this.cells.collection.find<Cell>(filter, { session, promoteBuffers: true }).toArray();
      const known = new Map(found.map((cell) => [cell._id, cell]));
      const sums: Cell[] = [];
      for (const increment of some) {
        const sum = sumOf(known.get(increment._id), increment);
        if (isTooLarge(sum)) refused.push(increment);
        else sums.push(sum);
      }
      await this.put(sums, known, session);
    }
    return refused;
  }

  private async put(cells: Cell[], known: ReadonlyMap<string, unknown>, session: ClientSession): Promise<void> {
    const [replaced, added] = [cells.filter(({ _id }) => known.has(_id)), cells.filter(({ _id }) => !known.has(_id))];
    const replacements = replaced.map((cell) => ({ replaceOne: { filter: { _id: cell._id }, replacement: cell } }));
    if (replaced.length > 0) await this.cells.collection.bulkWrite(replacements as never[], { session });
    if (added.length > 0) await this.cells.collection.insertMany(added as never[], { session });
  }
}

function* inPortions<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += CELLS_AT_ONCE) yield items.slice(at, at + CELLS_AT_ONCE);
}
