/** The time that all yielding work together takes in one turn of the event loop. */
const SLICE_MS = 20;

/** Resumes work in the order in which it began to wait, one piece in a turn. */
const waiting: (() => void)[] = [];
let sliceEndsAt: number | undefined;

/**
 * Yields the items one by one, and yields to the event loop once the slice of this turn is used up. All callers share the
 * slice: fifty with one of their own each would block the event loop for a second.
 */
export async function* yieldingToEventLoop<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let isFirst = true;
  for await (const item of items) {
    if (!hasTime() || (isFirst && waiting.length > 0)) await nextSlice();
    isFirst = false;
    yield item;
  }
}

function hasTime(): boolean {
  if (sliceEndsAt === undefined) {
    sliceEndsAt = performance.now() + SLICE_MS;
    setImmediate(beginSlice);
  }
  return performance.now() < sliceEndsAt;
}

const nextSlice = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

function beginSlice(): void {
  const resume = waiting.shift();
  sliceEndsAt = resume && performance.now() + SLICE_MS;
  if (!resume) return;
  setImmediate(beginSlice);
  resume();
}
