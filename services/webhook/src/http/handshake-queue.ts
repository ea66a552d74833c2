/** An ordinary handshake takes one to three milliseconds. */
const SLICE_MS = 10;

const waiting: (() => void)[] = [];

/**
 * Continues handshakes in the order of their bytes, for 10 ms in each turn of the event loop: a turn could otherwise
 * process those of every connection, one after the other.
 */
export function queueHandshake(proceed: () => void): void {
  waiting.push(proceed);
  if (waiting.length === 1) setImmediate(runSlice);
}

function runSlice(): void {
  const endsAt = performance.now() + SLICE_MS;
  do {
    waiting[0]!();
    waiting.shift();
  } while (waiting.length > 0 && performance.now() < endsAt);
  if (waiting.length > 0) setImmediate(runSlice);
}
