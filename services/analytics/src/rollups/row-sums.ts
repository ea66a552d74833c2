import { KEYS, Rows, sumOfRows } from './rows.js';

/** What a number adds one of, or takes one of away. */
const SCAN = 0;
const FIRST = 1;
const LAST = 2;
const TAKEN_AWAY = 4;
const KINDS = 8;

const COLLECTED_FIRST = 256;
const COLLECTED_MAX = 65_536;

/**
 * Adds up the rows of one scope, dimension by dimension. Every single thing is noted as one number, which holds
 * dimension, row and what is added; they are sorted and added up in the end. That costs a fraction of looking up a row
 * each time.
 */
export class RowSums {
  private collected = new Float64Array(COLLECTED_FIRST);
  private size = 0;
  private sums: Rows[];

  constructor(dimensions: number) {
    this.sums = Array.from({ length: dimensions }, () => new Rows());
  }

  addScan(dimension: number, key: number): void {
    this.collect((dimension * KEYS + key) * KINDS + SCAN);
  }

  addVisitor(dimension: number, firstKey: number, lastKey: number, sign: 1 | -1): void {
    const away = sign === 1 ? 0 : TAKEN_AWAY;
    this.collect((dimension * KEYS + firstKey) * KINDS + FIRST + away);
    this.collect((dimension * KEYS + lastKey) * KINDS + LAST + away);
  }

  /** By dimension. */
  get rows(): Rows[] {
    this.addUp();
    return this.sums;
  }

  private collect(one: number): void {
    if (this.size === this.collected.length) this.makeRoom();
    this.collected[this.size++] = one;
  }

  private makeRoom(): void {
    if (this.size >= COLLECTED_MAX) return this.addUp();
    const more = new Float64Array(this.size * 2);
    more.set(this.collected);
    this.collected = more;
  }

  private addUp(): void {
    const more = this.sums.map(() => new Rows());
    const sorted = this.collected.subarray(0, this.size).sort();
    for (let index = 0; index < sorted.length; index += 1) addTo(more, sorted[index]!);
    this.sums = this.sums.map((sum, dimension) => sumOfRows(sum, more[dimension]!));
    this.size = 0;
  }
}

function addTo(rows: Rows[], one: number): void {
  const row = Math.floor(one / KINDS);
  const what = one - row * KINDS;
  const by = what >= TAKEN_AWAY ? -1 : 1;
  const kind = what % TAKEN_AWAY;
  const dimension = Math.floor(row / KEYS);
  const key = row - dimension * KEYS;
  rows[dimension]!.add(key, kind === SCAN ? by : 0, kind === FIRST ? by : 0, kind === LAST ? by : 0);
}
