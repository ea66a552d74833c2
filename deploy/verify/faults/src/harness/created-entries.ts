import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, type Environment } from './environment.js';

const TIMEOUT_MS = 240_000;

/** Counts the links created in the audit log, without those of the environment, once all events are consumed. */
export async function createdEntries(environment: Environment, expected: number): Promise<number> {
  // The demo has one more link.
  const others = environment.links.length + 1;
  const deadline = Date.now() + TIMEOUT_MS;
  for (let before = -1; ;) {
    const answer = await callApi(environment.demo, 'GET', '/audit-logs?action=link.created&per_page=1');
    const entries = (answer as unknown as { meta: { total: number } }).meta.total - others;
    const isQuiet = entries === before && (await environment.state.outboxRows()) === 0;
    if ((entries >= expected && isQuiet) || Date.now() > deadline) return entries;
    before = entries;
    await sleep(1000);
  }
}
