import { waitUntilReady } from '@waymark/local/system/system';
import type { World } from './world.js';

/** Kills a process in the middle of whatever it does, and starts it again. */
export async function killAndStart(victim: ReturnType<World['system']['process']>): Promise<void> {
  await victim.kill();
  await victim.start();
  await waitUntilReady(victim);
}
