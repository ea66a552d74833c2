import { waitUntilReady } from '@waymark/launcher/system';
import type { World } from './world.js';

/** Kills a process at any point of its work, and starts it again. */
export async function killAndStart(victim: ReturnType<World['system']['process']>): Promise<void> {
  await victim.kill();
  await victim.start();
  await waitUntilReady(victim);
}
