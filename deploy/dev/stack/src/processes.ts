import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
/** The time for a server's children to notice that it has ended. */
const CHILDREN_END_MS = 2_000;

/** A process beyond its number: pids are used again, start times with the machine's boot are not. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  if (!stat || stat.state === 'Z') return undefined;
  return { pid, startedAt: `${bootId()}/${stat.startTime}` };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** `pid` and all that descend from it, parents first. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const parent = /^\d+$/.test(entry) ? readStat(Number(entry))?.parent : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const tree = identify(pid) ? [pid] : [];
  for (let offset = 0; offset < tree.length; offset++) tree.push(...(children.get(tree[offset]!) ?? []));
  return tree;
}

/** Sends `signal`; a process that has already ended is not an error. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Ends a process by `signal`, and by SIGKILL with its descendants if it is still there after `timeoutMs`. */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  if (!isRunning(identity)) return;
  const tree = processTree(identity.pid).flatMap((pid) => identify(pid) ?? []);
  signalAll([identity.pid], signal);
  // A stopped process handles no signal but SIGKILL until it is resumed.
  signalAll(
    tree.map(({ pid }) => pid),
    'SIGCONT',
  );
  if (!(await waitUntil(() => !isRunning(identity), timeoutMs))) signalAll([identity.pid], 'SIGKILL');
  if (await waitUntil(() => !tree.some(isRunning), CHILDREN_END_MS)) return;
  signalAll(
    tree.filter(isRunning).map(({ pid }) => pid),
    'SIGKILL',
  );
  await waitUntil(() => !tree.some(isRunning), timeoutMs);
}

export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

interface Stat {
  state: string;
  parent: number;
  startTime: string;
}

function readStat(pid: number): Stat | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in parentheses may hold spaces, the fields after it may not.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, parent: Number(fields[1]), startTime: fields[19]! };
  } catch {
    return undefined;
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
