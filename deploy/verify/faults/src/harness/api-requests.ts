import { setTimeout as sleep } from 'node:timers/promises';
import { send, StatusCounts } from '../hostile/plain-request.js';
import type { Environment } from './environment.js';

export interface Answers {
  statuses: Readonly<Record<string, number>>;
  slowest_ms: number;
  /** Refusals without `Retry-After`. */
  without_retry_after: number;
  /** How the changes were answered that were sent once the fault had been over for `RECOVERY_MS`. */
  changes_afterwards: Readonly<Record<string, number>>;
}

/** Shorter than the gateway's timeout for a service. */
const ANSWER_LIMIT_MS = 25_000;
/** A service answers changes again this long after its database does. */
const RECOVERY_MS = 10_000;

/** True when all answers came in time, have one of these statuses, and refusals have `Retry-After`. */
export function areAnswered(
  { statuses, slowest_ms: slowest, without_retry_after: unexplained }: Answers,
  allowed: readonly string[],
): boolean {
  const isKnown = Object.keys(statuses).every((status) => allowed.includes(status));
  return isKnown && slowest < ANSWER_LIMIT_MS && unexplained === 0;
}

/** True when there were changes after the recovery, and each of them succeeded. */
export const haveRecovered = ({ changes_afterwards: statuses }: Answers): boolean =>
  Object.keys(statuses).join() === '200';

interface Call {
  method: 'GET' | 'PATCH';
  /** The path below the workspace. */
  path: string;
  body?: object;
}

const EVERY_MS = 50;
const TIMEOUT_MS = 60_000;

/** Reads and changes links in turn. */
export const linkCall =
  ({ links }: Environment) =>
  (index: number): Call => {
    const path = `/links/${links[index % links.length]!.id}`;
    return index % 3 === 0 ? { method: 'PATCH', path, body: { title: `t${index}` } } : { method: 'GET', path };
  };

/** Sends the owner's requests at a fixed rate, without waiting for earlier ones, and records the answers. */
export function startRequests(
  environment: Environment,
  callOf: (index: number) => Call,
  everyMs = EVERY_MS,
): { endFault: () => void; stop: () => Promise<Answers> } {
  const statuses = new StatusCounts();
  const afterwards = new StatusCounts();
  let recoveredAt = Infinity;
  let [slowest, unexplained] = [0, 0];
  let stopped = false;
  const url = `${environment.demo.base_url}/api/v1/workspaces/${environment.demo.workspace}`;
  const headers = {
    authorization: `Bearer ${environment.demo.users['owner']!.token}`,
    'content-type': 'application/json',
  };
  const one = async (index: number) => {
    const { method, path, body } = callOf(index);
    const options = { method, headers, body: body && JSON.stringify(body), timeoutMs: TIMEOUT_MS };
    const isAfterwards = method === 'PATCH' && performance.now() >= recoveredAt;
    const answer = await send(url + path, options);
    statuses.add(answer.status);
    if (isAfterwards) afterwards.add(answer.status);
    slowest = Math.max(slowest, Math.round(answer.durationMs));
    if ([429, 503].includes(answer.status) && answer.headers['retry-after'] === undefined) unexplained += 1;
  };
  const running: Promise<void>[] = [];
  const loop = (async () => {
    for (let index = 0; !stopped; index += 1) {
      running.push(one(index));
      await sleep(everyMs);
    }
  })();
  return {
    endFault: () => (recoveredAt = performance.now() + RECOVERY_MS),
    stop: async () => {
      stopped = true;
      await loop;
      await Promise.all(running);
      return {
        statuses: statuses.all,
        slowest_ms: slowest,
        without_retry_after: unexplained,
        changes_afterwards: afterwards.all,
      };
    },
  };
}
