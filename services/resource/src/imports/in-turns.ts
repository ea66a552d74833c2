import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 20;

/** The items one by one; other requests get their turn whenever that has taken a while. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let turnEndsAt = Date.now() + TURN_MS;
  for (const item of items) {
    yield item;
    if (Date.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = Date.now() + TURN_MS;
  }
}
