import { TurnMeter } from '@waymark/kernel/process/turn-meter';
import { measureCpu } from '@waymark/testing/event-loop';
import { waitFor } from '@waymark/testing/wait-for';

const TURN_MS = 300;
/** A timer of the meter reveals a turn up to this much too short. */
const INACCURACY_MS = 20;

let meter: TurnMeter;
beforeEach(() => (meter = new TurnMeter()));
afterEach(() => meter.stop());

test('reports the CPU time of a long turn', async () => {
  compute(TURN_MS);
  await waitFor('the turn to be reported', () => Promise.resolve(meter.longestSeconds() > 0.2));
  expect(meter.longestSeconds() * 1000).toBeGreaterThanOrEqual(TURN_MS - INACCURACY_MS);
});

test('does not count the time in which the thread waits, as it does for a core of a busy machine', async () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * TURN_MS);
  await new Promise((resolve) => setTimeout(resolve, 2 * INACCURACY_MS));
  expect(meter.longestSeconds() * 1000).toBeLessThan(5 * TURN_MS);
});

test('does not add short turns to each other', async () => {
  for (let turn = 0; turn < 200; turn += 1) {
    compute(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(meter.longestSeconds() * 1000).toBeLessThan(200 * 5 * 0.5);
});

/** Uses this much CPU time. */
function compute(milliseconds: number): void {
  let used = 0;
  while (used < milliseconds) used += measureCpu(() => void JSON.stringify(Array.from({ length: 1000 }, Math.random)));
}
