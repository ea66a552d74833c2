import type { Dimension } from './vocabulary.js';
import { cellId, PERIODS_PER_DAY, QUARTERS_PER_CELL, type Scope } from './cell-id.js';
import {
  decodeRows,
  encodeRows,
  inWholeDays,
  QUARTERS_PER_DAY,
  Rows,
  sumOfRows,
  totalsOf,
  type Grain,
} from './rows.js';
import type { DayTally } from './tally-scans.js';
import { DIMENSIONS } from './vocabulary.js';

/** What would make a cell larger is kept apart by dimension: readers want the rows of one only. */
const LARGE_BYTES = 8 * 1024;

/** Totals are kept beside at least so many times as many rows. */
const ROWS_PER_TOTAL = 3;

/** The counts of one scope (see `Scope`), over a UTC day as a whole or over a quarter of it by quarter-hours. */
export interface Cell {
  _id: string;
  scans: number;
  /** The newest scan of the workspace and day when this was written. */
  asOf: Date;
  /** By dimension, encoded. */
  rows: RowsByDimension;
  /** Of whole days, where it is far less: `totalsOf` these rows. Most questions want no more. */
  totals?: RowsByDimension;
}

type RowsByDimension = Partial<Record<Dimension, Uint8Array>>;

/** What is to be added to a cell. */
export interface Increment {
  _id: string;
  /** The ids of the cells in which a large one goes on. */
  partId: (dimension: Dimension) => string;
  grain: Grain;
  asOf: Date;
  rows: Map<Dimension, Rows>;
}

export function incrementsOf({ workspace, day, tally, asOf }: DayTally): Increment[] {
  const increments: Increment[] = [];
  const add = (scope: Scope, period: number | undefined, rows: Rows[]) => {
    const idOf = (dimension?: Dimension) => cellId(workspace, scope, { day, period }, dimension);
    const grain = period === undefined ? 'day' : 'quarter';
    const byDimension = new Map(rows.map((of, index) => [DIMENSIONS[index]!, of]));
    increments.push({ _id: idOf(), partId: idOf, grain, asOf, rows: byDimension });
  };
  for (const [scope, rows] of tally.scopes()) {
    add(scope, undefined, rows.map(inWholeDays));
    inPeriods(rows).forEach((inPeriod, period) => {
      if (inPeriod.some((of) => of.size > 0)) add(scope, period, inPeriod);
    });
  }
  return increments;
}

/** The same for the parts of a large cell. */
export function partsOf({ partId, rows, ...increment }: Increment): Increment[] {
  return [...rows].map(([dimension, of]) => ({
    ...increment,
    _id: partId(dimension),
    partId,
    rows: new Map([[dimension, of]]),
  }));
}

/** The id of the cell that this is a part of, or its own. */
export function wholeOf(id: string): string {
  return id.slice(0, id.lastIndexOf('|') + 1);
}

export function grainOf(id: string): Grain {
  return wholeOf(id).endsWith('|day|') ? 'day' : 'quarter';
}

export function isLarge({ rows }: Cell): boolean {
  return Object.values(rows).reduce((sum, bytes) => sum + bytes.length, 0) > LARGE_BYTES;
}

export function sumOf(cell: Cell | undefined, { _id, grain, asOf, rows }: Increment): Cell {
  const [sums, totals]: [RowsByDimension, RowsByDimension] = [{}, {}];
  for (const [dimension, more] of rows) {
    const bytes = cell?.rows[dimension];
    const sum = bytes ? sumOfRows(decodeRows(bytes, grain), more) : more;
    sums[dimension] = encodeRows(sum, grain);
    if (grain !== 'day') continue;
    const total = totalsOf(sum);
    if (total.size * ROWS_PER_TOTAL <= sum.size) totals[dimension] = encodeRows(total, grain);
  }
  const [some] = rows.values();
  return {
    _id,
    scans: (cell?.scans ?? 0) + scansIn(some!),
    asOf: cell && cell.asOf > asOf ? cell.asOf : asOf,
    rows: sums,
    ...(Object.keys(totals).length > 0 && { totals }),
  };
}

function scansIn(rows: Rows): number {
  let sum = 0;
  rows.each((_key, scans) => (sum += scans));
  return sum;
}

function inPeriods(rows: Rows[]): Rows[][] {
  const periods = Array.from({ length: PERIODS_PER_DAY }, () => rows.map(() => new Rows()));
  rows.forEach((of, dimension) => {
    of.each((key, scans, firsts, lasts) => {
      const period = Math.floor((key % QUARTERS_PER_DAY) / QUARTERS_PER_CELL);
      periods[period]![dimension]!.add(key, scans, firsts, lasts);
    });
  });
  return periods;
}
