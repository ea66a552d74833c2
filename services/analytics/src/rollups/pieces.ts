import { DAY_MS } from '../time/utc-day.js';
import { QUARTERS_PER_CELL } from './cell-id.js';
import { QUARTERS_PER_DAY, type Row } from './rows.js';

const QUARTER_MS = DAY_MS / QUARTERS_PER_DAY;

/** A stretch of one UTC day, from one quarter-hour to before another. */
export interface Piece {
  day: number;
  from: number;
  to: number;
  /** Which of the times that were asked for it is a part of. */
  of: number;
}

/** The times from each of these instants to the next, cut at UTC midnights. */
export function piecesBetween(instants: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  instants.slice(0, -1).forEach((start, of) => {
    const end = instants[of + 1]!;
    for (let at = start; at < end;) {
      const day = Math.floor(at / DAY_MS);
      const until = Math.min(end, (day + 1) * DAY_MS);
      pieces.push({ day, from: quarterAt(at, day), to: quarterAt(until, day), of });
      at = until;
    }
  });
  return pieces;
}

export function isWholeDay({ from, to }: Piece): boolean {
  return from === 0 && to === QUARTERS_PER_DAY;
}

/** The periods (see `CellSpan`) whose rows tell of these pieces of one day. */
export function periodsOf(pieces: readonly Piece[]): number[] {
  const periods = new Set<number>();
  for (const { from, to } of pieces) {
    const earliest = to === QUARTERS_PER_DAY ? from : 0;
    for (let period = periodAt(earliest); period <= periodAt(to - 1); period += 1) periods.add(period);
  }
  return [...periods];
}

export function scansIn({ from, to }: Piece, { quarter, scans }: Row): number {
  return from <= quarter && quarter < to ? scans : 0;
}

/**
 * The visitors of a piece are those who had come before its end, without those who had left before its start. (One who
 * came before and left after it counts too, which no day of any time zone needs to tell: it begins or ends with a UTC
 * day, or contains the midnight between two.)
 */
export function visitorsIn({ from, to }: Piece, { quarter, firsts, lasts }: Row): number {
  if (to === QUARTERS_PER_DAY) return quarter >= from ? lasts : 0;
  return (quarter < to ? firsts : 0) - (quarter < from ? lasts : 0);
}

function quarterAt(instant: number, day: number): number {
  return Math.floor((instant - day * DAY_MS) / QUARTER_MS);
}

function periodAt(quarter: number): number {
  return Math.floor(quarter / QUARTERS_PER_CELL);
}
