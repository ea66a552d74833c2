import type { Dimension } from '../rollups/vocabulary.js';
import { grainOf, wholeOf, type Cell, type Increment } from '../rollups/cells.js';
import { decodeRows, Rows, sumOfRows, totalsOf } from '../rollups/rows.js';

interface Sums {
  scans: number;
  visitors: number;
}

/** One dimension of a cell whose rows are not what the scans add up to. */
export interface Difference {
  cell: string;
  dimension: string;
  counted: Sums;
  recounted: Sums;
  /** How many rows differ. */
  rows: number;
}

type RowsByName = Map<string, Rows>;

export function differencesBetween(cells: readonly Cell[], recount: readonly Increment[]): Difference[] {
  const [counted, recounted] = [rowsOfCells(cells), rowsOfIncrements(recount)];
  const names = [...new Set([...counted.keys(), ...recounted.keys()])].sort();
  const ofRows = names.map((name) =>
    differenceOf(name, counted.get(name) ?? new Rows(), recounted.get(name) ?? new Rows()),
  );
  return [...ofRows, ...cells.flatMap(differencesOfTotals)].filter(({ rows }) => rows > 0);
}

/** Between the totals of a cell and its own rows. */
function differencesOfTotals({ _id, rows, totals = {} }: Cell): Difference[] {
  return Object.entries(totals).map(([dimension, bytes]) => {
    const recounted = totalsOf(decodeRows(rows[dimension as Dimension]!, 'day'));
    return differenceOf(`${wholeOf(_id)}${dimension}`, decodeRows(bytes, 'day'), recounted);
  });
}

/** A cell and the parts that it goes on in have one name. */
function rowsOfCells(cells: readonly Cell[]): RowsByName {
  const byName: RowsByName = new Map();
  for (const { _id, rows } of cells) {
    for (const [dimension, bytes] of Object.entries(rows)) {
      collect(byName, wholeOf(_id) + dimension, decodeRows(bytes, grainOf(_id)));
    }
  }
  return byName;
}

function rowsOfIncrements(increments: readonly Increment[]): RowsByName {
  const byName: RowsByName = new Map();
  for (const { _id, rows } of increments) {
    for (const [dimension, of] of rows) collect(byName, _id + dimension, of);
  }
  return byName;
}

function collect(byName: RowsByName, name: string, rows: Rows): void {
  const known = byName.get(name);
  byName.set(name, known ? sumOfRows(known, rows) : rows);
}

function differenceOf(name: string, counted: Rows, recounted: Rows): Difference {
  let rows = 0;
  sumOfRows(counted, recounted, -1).each(() => (rows += 1));
  const [cell, dimension] = [wholeOf(name), name.slice(wholeOf(name).length)];
  return { cell, dimension, counted: sumsOf(counted), recounted: sumsOf(recounted), rows };
}

function sumsOf(rows: Rows): Sums {
  const sums = { scans: 0, visitors: 0 };
  rows.each((_key, scans, firsts) => {
    sums.scans += scans;
    sums.visitors += firsts;
  });
  return sums;
}
