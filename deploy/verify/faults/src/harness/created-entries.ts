import { setTimeout as sleep } from 'node:timers/promises';
import { api, type World } from './world.js';

const TIMEOUT_MS = 240_000;

/** Counts the links created in the audit log, without those of the world, once all events are consumed. */
export async function createdEntries(world: World, expected: number): Promise<number> {
  // The demo has one more link.
  const others = world.links.length + 1;
  const deadline = Date.now() + TIMEOUT_MS;
  for (let before = -1; ;) {
    const answer = await api(world.demo, 'GET', '/audit-logs?action=link.created&per_page=1');
    const entries = (answer as unknown as { meta: { total: number } }).meta.total - others;
    const isQuiet = entries === before && (await world.oracle.outboxRows()) === 0;
    if ((entries >= expected && isQuiet) || Date.now() > deadline) return entries;
    before = entries;
    await sleep(1000);
  }
}
