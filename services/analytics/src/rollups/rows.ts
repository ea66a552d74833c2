import { SEGMENTS } from './segments.js';

export const QUARTERS_PER_DAY = 96;
/** Ids of values and campaigns are below this. */
export const IDS_MAX = 2 ** 15;

export interface Counts {
  scans: number;
  /** Visitors whose first scan of the UTC day fell into this quarter-hour. */
  firsts: number;
  /** Visitors whose last one did. */
  lasts: number;
}

/**
 * The figures of one dimension of a cell, by campaign, value, segment and quarter-hour, which make up the key. They only
 * ever add up, and may be negative in parts. Rows of whole days have quarter 0, and visitors as `firsts` alone.
 */
export type Rows = Map<number, Counts>;
export type Grain = 'day' | 'quarter';

export const noRows = (): Rows => new Map();

export function rowKey(campaign: number, value: number, segment: number, quarter: number): number {
  return ((campaign * IDS_MAX + value) * SEGMENTS + segment) * QUARTERS_PER_DAY + quarter;
}

export function increase(rows: Rows, key: number, by: Partial<Counts>): void {
  let row = rows.get(key);
  if (!row) rows.set(key, (row = { scans: 0, firsts: 0, lasts: 0 }));
  row.scans += by.scans ?? 0;
  row.firsts += by.firsts ?? 0;
  row.lasts += by.lasts ?? 0;
}

export function addRows(to: Rows, more: Rows): void {
  for (const [key, counts] of more) increase(to, key, counts);
}

export function inWholeDays(rows: Rows): Rows {
  const sums = noRows();
  for (const [key, { scans, firsts }] of rows) increase(sums, key - (key % QUARTERS_PER_DAY), { scans, firsts });
  return sums;
}

/**
 * Rows as bytes: in ascending order, each key as its distance to the one before, all numbers in as few bytes as they
 * need (LEB128, counts in zigzag). About five bytes a row.
 */
export function encodeRows(rows: Rows, grain: Grain): Buffer {
  const bytes: number[] = [];
  let previous = 0;
  for (const [key, { scans, firsts, lasts }] of [...rows].sort(([a], [b]) => a - b)) {
    if (scans === 0 && firsts === 0 && lasts === 0) continue;
    const stored = grain === 'day' ? key / QUARTERS_PER_DAY : key;
    pushVarint(bytes, stored - previous);
    pushVarint(bytes, zigzag(scans));
    pushVarint(bytes, zigzag(firsts));
    if (grain === 'quarter') pushVarint(bytes, zigzag(lasts));
    previous = stored;
  }
  return Buffer.from(bytes);
}

export interface Row extends Counts {
  campaign: number;
  value: number;
  segment: number;
  quarter: number;
}

/** Calls `visit` for every row, with one object that is filled anew each time: cells have thousands of rows. */
export function eachRow(bytes: Uint8Array, grain: Grain, visit: (row: Row) => void): void {
  const row: Row = { campaign: 0, value: 0, segment: 0, quarter: 0, scans: 0, firsts: 0, lasts: 0 };
  const reader = new VarintReader(bytes);
  let key = 0;
  while (!reader.isAtEnd) {
    key += reader.next();
    locate(row, grain === 'day' ? key * QUARTERS_PER_DAY : key);
    row.scans = unzigzag(reader.next());
    row.firsts = unzigzag(reader.next());
    if (grain === 'quarter') row.lasts = unzigzag(reader.next());
    visit(row);
  }
}

export function decodeRows(bytes: Uint8Array, grain: Grain): Rows {
  const rows = noRows();
  eachRow(bytes, grain, ({ campaign, value, segment, quarter, scans, firsts, lasts }) => {
    rows.set(rowKey(campaign, value, segment, quarter), { scans, firsts, lasts });
  });
  return rows;
}

function locate(row: Row, key: number): void {
  const segments = Math.floor(key / QUARTERS_PER_DAY);
  const values = Math.floor(segments / SEGMENTS);
  row.quarter = key - segments * QUARTERS_PER_DAY;
  row.segment = segments - values * SEGMENTS;
  row.campaign = Math.floor(values / IDS_MAX);
  row.value = values - row.campaign * IDS_MAX;
}

class VarintReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  next(): number {
    let byte = this.bytes[this.at++]!;
    if (byte < 128) return byte;
    let result = byte - 128;
    for (let unit = 128; ; unit *= 128) {
      byte = this.bytes[this.at++]!;
      if (byte < 128) return result + byte * unit;
      result += (byte - 128) * unit;
    }
  }
}

function pushVarint(bytes: number[], value: number): void {
  while (value >= 128) {
    bytes.push((value % 128) + 128);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (stored: number): number => (stored % 2 === 0 ? stored / 2 : -(stored + 1) / 2);
