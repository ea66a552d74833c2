import type { DayCount, DayRange } from './scan-pages.js';

/** The rows of a slice, unless one day has more; each further slice may have `growth` times as many. */
interface SliceSize {
  rowsMax: number;
  growth: number;
}

/** Groups consecutive days, latest first, because a query reads every row of its days. */
export function daySlices(counts: readonly DayCount[], { rowsMax, growth }: SliceSize): DayRange[] {
  const slices: DayRange[] = [];
  let rowCount = Infinity;
  let max = rowsMax / growth;
  for (const { day, rows } of counts) {
    if (rowCount + rows > max) {
      slices.push({ first: day, last: day });
      rowCount = rows;
      max *= growth;
    } else {
      slices.at(-1)!.first = day;
      rowCount += rows;
    }
  }
  return slices;
}
