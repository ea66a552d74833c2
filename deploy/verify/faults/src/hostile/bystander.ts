import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from './bystander-process.js';
import { Bystanders } from './bystanders.js';

/** Above the system that it measures: a member's own machine would not wait for that system's cores. */
const NICENESS = -10;

/** Measures in a process of its own, which does none of the work that the fault causes, as its parent says. */
function main(): void {
  raisePriority();
  process.on('disconnect', () => process.exit());
  process.on('message', ({ target, forMs }: Measurement) => {
    const bystanders = new Bystanders(target);
    void sleep(forMs)
      .then(() => bystanders.stop())
      .then((qualities) => process.send!(qualities));
  });
}

function raisePriority(): void {
  try {
    setPriority(NICENESS);
  } catch {
    // Only root may: the figures include its waits for a core then.
  }
}

main();
