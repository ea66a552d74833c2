interface Limits<T> {
  rowsMax: number;
  bytesMax?: number;
  bytesOf?: (item: T) => number;
}

/** Groups items as they come: a batch is complete once it reaches one of the limits. */
export function* batchesOf<T>(
  items: Iterable<T>,
  { rowsMax, bytesMax = Infinity, bytesOf }: Limits<T>,
): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf?.(item) ?? 0;
    if (batch.length < rowsMax && bytes < bytesMax) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
