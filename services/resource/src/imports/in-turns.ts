import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 20;

/** Yields the items one by one, and yields to the event loop after every `TURN_MS`. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let turnEndsAt = Date.now() + TURN_MS;
  for (const item of items) {
    yield item;
    if (Date.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = Date.now() + TURN_MS;
  }
}
