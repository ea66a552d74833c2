import { isOfBots, SEGMENTS } from './segments.js';

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
 * The figures of one dimension of a cell, by campaign, value, segment and quarter-hour, which make up the key; in the
 * order of their keys. They only ever add up, and may be negative in parts. Rows of whole days have quarter 0, and
 * visitors as `firsts` alone.
 */
export class Rows {
  private readonly keys: number[] = [];
  private readonly scans: number[] = [];
  private readonly firsts: number[] = [];
  private readonly lasts: number[] = [];

  get size(): number {
    return this.keys.length;
  }

  keyAt(index: number): number {
    return this.keys[index] ?? Infinity;
  }

  /** Adds to the row of this key, which is the last one or one behind it. */
  add(key: number, scans: number, firsts: number, lasts: number): void {
    const last = this.keys.length - 1;
    if (this.keys[last] !== key) {
      this.keys.push(key);
      this.scans.push(scans);
      this.firsts.push(firsts);
      this.lasts.push(lasts);
    } else {
      this.scans[last]! += scans;
      this.firsts[last]! += firsts;
      this.lasts[last]! += lasts;
    }
  }

  /** Adds a row of others, as it is or taken away. */
  addOf(other: Rows, index: number, sign: 1 | -1 = 1): void {
    const [scans, firsts, lasts] = [other.scans[index]!, other.firsts[index]!, other.lasts[index]!];
    this.add(other.keys[index]!, sign * scans, sign * firsts, sign * lasts);
  }

  /** Visits each row that counts something. */
  each(visit: (key: number, scans: number, firsts: number, lasts: number) => void): void {
    for (let index = 0; index < this.keys.length; index += 1) {
      const [scans, firsts, lasts] = [this.scans[index]!, this.firsts[index]!, this.lasts[index]!];
      if (scans !== 0 || firsts !== 0 || lasts !== 0) visit(this.keys[index]!, scans, firsts, lasts);
    }
  }
}
export type Grain = 'day' | 'quarter';

/** One more than the greatest key. */
export const KEYS = IDS_MAX * IDS_MAX * SEGMENTS * QUARTERS_PER_DAY;

export function rowKey(campaign: number, value: number, segment: number, quarter: number): number {
  return ((campaign * IDS_MAX + value) * SEGMENTS + segment) * QUARTERS_PER_DAY + quarter;
}

/** Both together, or the first without the second. */
export function sumOfRows(some: Rows, others: Rows, sign: 1 | -1 = 1): Rows {
  const sums = new Rows();
  for (let i = 0, j = 0; i < some.size || j < others.size;) {
    if (some.keyAt(i) <= others.keyAt(j)) sums.addOf(some, i++);
    else sums.addOf(others, j++, sign);
  }
  return sums;
}

export function inWholeDays(rows: Rows): Rows {
  const sums = new Rows();
  rows.each((key, scans, firsts) => sums.add(key - (key % QUARTERS_PER_DAY), scans, firsts, 0));
  return sums;
}

/** Of rows of whole days: people alone, by value, whatever their campaign, device and trigger. */
export function totalsOf(rows: Rows): Rows {
  const sums = new Map<number, { scans: number; firsts: number }>();
  const row = emptyRow();
  rows.each((key, scans, firsts) => {
    locate(row, key);
    if (isOfBots(row.segment)) return;
    const { value } = row;
    const sum = sums.get(value);
    sums.set(value, { scans: (sum?.scans ?? 0) + scans, firsts: (sum?.firsts ?? 0) + firsts });
  });
  const totals = new Rows();
  for (const [value, { scans, firsts }] of [...sums].sort(([a], [b]) => a - b)) {
    totals.add(rowKey(0, value, 0, 0), scans, firsts, 0);
  }
  return totals;
}

/**
 * Rows as bytes: in ascending order, each key as its distance to the one before, all numbers in as few bytes as they
 * need (LEB128, counts in zigzag). About five bytes a row.
 */
export function encodeRows(rows: Rows, grain: Grain): Buffer {
  const writer = new VarintWriter(rows.size);
  let previous = 0;
  rows.each((key, scans, firsts, lasts) => {
    const stored = grain === 'day' ? key / QUARTERS_PER_DAY : key;
    writer.push(stored - previous);
    writer.push(zigzag(scans));
    writer.push(zigzag(firsts));
    if (grain === 'quarter') writer.push(zigzag(lasts));
    previous = stored;
  });
  return writer.bytes;
}

export interface Row extends Counts {
  campaign: number;
  value: number;
  segment: number;
  quarter: number;
}

/** Calls `visit` for every row, with one object that is filled anew each time: cells have thousands of rows. */
export function eachRow(bytes: Uint8Array, grain: Grain, visit: (row: Row) => void): void {
  const row = emptyRow();
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
  const rows = new Rows();
  eachRow(bytes, grain, ({ campaign, value, segment, quarter, scans, firsts, lasts }) => {
    rows.add(rowKey(campaign, value, segment, quarter), scans, firsts, lasts);
  });
  return rows;
}

const emptyRow = (): Row => ({ campaign: 0, value: 0, segment: 0, quarter: 0, scans: 0, firsts: 0, lasts: 0 });

/** Writes into a row what its key says. */
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

/** No number that is stored takes more. */
const VARINT_BYTES_MAX = 8;

class VarintWriter {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(rows: number) {
    this.buffer = Buffer.allocUnsafe(rows * 4 * VARINT_BYTES_MAX);
  }

  get bytes(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at));
  }

  push(value: number): void {
    while (value >= 128) {
      this.buffer[this.at++] = (value % 128) + 128;
      value = Math.floor(value / 128);
    }
    this.buffer[this.at++] = value;
  }
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (stored: number): number => (stored % 2 === 0 ? stored / 2 : -(stored + 1) / 2);
