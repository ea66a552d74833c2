import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.js';

export interface Answers {
  statuses: Record<string, number>;
  slowest_ms: number;
  /** Refusals that did not say when to come back. */
  without_retry_after: number;
}

interface Call {
  method: 'GET' | 'PATCH';
  /** Below the workspace. */
  path: string;
  body?: object;
}

const EVERY_MS = 50;

/** Reads and changes links in turn. */
export const linkCall =
  ({ links }: World) =>
  (index: number): Call => {
    const path = `/links/${links[index % links.length]!.id}`;
    return index % 3 === 0 ? { method: 'PATCH', path, body: { title: `t${index}` } } : { method: 'GET', path };
  };

/** Sends requests of the owner at a fixed rate, whatever becomes of the earlier ones, and notes what is answered. */
export function startRequests(
  world: World,
  callOf: (index: number) => Call,
  everyMs = EVERY_MS,
): { stop: () => Promise<Answers> } {
  const answers: Answers = { statuses: {}, slowest_ms: 0, without_retry_after: 0 };
  let stopped = false;
  const one = async (index: number) => {
    const { method, path, body } = callOf(index);
    const startedAt = Date.now();
    const response = await fetch(`${world.demo.base_url}/api/v1/workspaces/${world.demo.workspace}${path}`, {
      method,
      headers: { authorization: `Bearer ${world.demo.users['owner']!.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    answers.statuses[response.status] = (answers.statuses[response.status] ?? 0) + 1;
    answers.slowest_ms = Math.max(answers.slowest_ms, Date.now() - startedAt);
    if (response.status === 503 && !response.headers.has('retry-after')) answers.without_retry_after += 1;
  };
  const running: Promise<void>[] = [];
  const loop = (async () => {
    for (let index = 0; !stopped; index += 1) {
      running.push(one(index));
      await sleep(everyMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
      await Promise.all(running);
      return answers;
    },
  };
}
