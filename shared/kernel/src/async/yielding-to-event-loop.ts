import { setImmediate as nextIteration } from 'node:timers/promises';

const SLICE_MS = 20;

/** Yields the items one by one, and yields to the event loop after every `SLICE_MS`. */
export async function* yieldingToEventLoop<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let sliceEndsAt = Date.now() + SLICE_MS;
  for await (const item of items) {
    yield item;
    if (Date.now() < sliceEndsAt) continue;
    await nextIteration();
    sliceEndsAt = Date.now() + SLICE_MS;
  }
}
