const STEPS = [1, 2, 5];
const LINES_MAX = 5;

/** Round values from zero up to the first one that is not below `max`: at most six, and whole numbers. */
export function gridValues(max: number): number[] {
  const wanted = Math.max(max, 1);
  for (let power = 1; ; power *= 10) {
    for (const factor of power > 10 ? [1, 2, 2.5, 5] : STEPS) {
      const step = factor * power;
      const count = Math.ceil(wanted / step);
      if (count <= LINES_MAX) return Array.from({ length: count + 1 }, (_, index) => index * step);
    }
  }
}

/** The indexes of labels: of the wanted ones, as many as fit beside each other. */
export function pickLabels(wanted: readonly number[], { slot, width }: { slot: number; width: number }): number[] {
  const kept: number[] = [];
  for (const index of wanted) {
    const last = kept.at(-1);
    if (last === undefined || (index - last) * slot >= width) kept.push(index);
  }
  return kept;
}
