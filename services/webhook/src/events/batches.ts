interface Limits<T> {
  rowsMax: number;
  bytesMax?: number;
  bytesOf?: (item: T) => number;
  /** Of different keys. */
  keysMax?: number;
  keyOf?: (item: T) => string;
}

/** Groups items as they come: a batch is complete once it reaches one of the limits. */
export function* batchesOf<T>(
  items: Iterable<T>,
  { rowsMax, bytesMax = Infinity, bytesOf, keysMax = Infinity, keyOf }: Limits<T>,
): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  const keys = new Set<string>();
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf?.(item) ?? 0;
    if (keyOf) keys.add(keyOf(item));
    if (batch.length < rowsMax && bytes < bytesMax && keys.size < keysMax) continue;
    yield batch;
    batch = [];
    bytes = 0;
    keys.clear();
  }
  if (batch.length > 0) yield batch;
}
