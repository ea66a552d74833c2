import { setPriority } from 'node:os';
import { LOADS, type AttackTarget, type RunningAttack } from './attacks.js';

/** Below the system that it attacks: a laptop elsewhere would not take that system's cores. */
const NICENESS = 10;

type Message = { start: string; target: AttackTarget } | { stop: true };

/** Runs one attack at a time in a process of its own, as its parent says. */
function main(): void {
  setPriority(NICENESS);
  let running: RunningAttack | undefined;
  process.on('disconnect', () => process.exit());
  process.on('message', (message: Message) => {
    if ('start' in message) {
      running = LOADS[message.start]!.start(message.target);
      return;
    }
    const attack = running!;
    void attack.stop().then(({ sent, skipped }) => process.send!({ sent, skipped, statuses: attack.statuses.all }));
  });
}

main();
