import { waitUntilReady } from '@waymark/launcher/system';
import type { Environment } from './environment.js';

/** Kills a process at any point of its work, and starts it again. */
export async function killAndStart(victim: ReturnType<Environment['system']['process']>): Promise<void> {
  await victim.kill();
  await victim.start();
  await waitUntilReady(victim);
}
