/** Grows from `minMs` to `maxMs`; a random part keeps many processes from trying at the same moment. */
export const backoffMs = (failures: number, minMs: number, maxMs: number): number =>
  Math.min(maxMs, minMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2);
