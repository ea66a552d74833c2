import { setImmediate as turn } from 'node:timers/promises';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';

const busyFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Yields a hundred items, each of which takes two milliseconds. */
function* slowItems(): Generator<number> {
  for (let index = 0; index < 100; index += 1) {
    busyFor(2);
    yield index;
  }
}

async function* slowItemsOfStream(): AsyncGenerator<number> {
  for (const item of slowItems()) yield await Promise.resolve(item);
}

test.each([
  ['a list', slowItems],
  ['a stream', slowItemsOfStream],
])('slow items of %s come in order, and other work runs between them', async (_what, itemsOf) => {
  let isDone = false;
  const found: number[] = [];
  const reading = (async () => {
    for await (const item of yieldingToEventLoop(itemsOf())) found.push(item);
  })().finally(() => (isDone = true));
  const progress = new Set<number>();
  while (!isDone) {
    progress.add(found.length);
    await turn();
  }
  await reading;
  expect(found).toEqual([...slowItems()]);
  expect(progress.size).toBeGreaterThan(5);
});

test('many callers share the time of a turn of the event loop', async () => {
  let countInTurn = 0;
  let countMax = 0;
  let handledCount = 0;
  const handle = async () => {
    for await (const _item of yieldingToEventLoop(slowItems())) {
      countInTurn += 1;
      handledCount += 1;
      countMax = Math.max(countMax, countInTurn);
    }
  };
  const callers = Promise.all(Array.from({ length: 12 }, handle));
  let isDone = false;
  void callers.finally(() => (isDone = true));
  while (!isDone) {
    await turn();
    countInTurn = 0;
  }
  await callers;
  expect(handledCount).toBe(1200);
  // A slice has time for ten, and the one that begins last may use it up; two slices may touch one turn.
  expect(countMax).toBeLessThanOrEqual(24);
});
