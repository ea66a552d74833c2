import { readFileSync } from 'node:fs';

/** `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const SECONDS_PER_TICK = 0.01;
const UTIME = 11;
const STIME = 12;

/** Processor seconds that a process has used, in user and kernel mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields after the name, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME]) + Number(fields[STIME])) * SECONDS_PER_TICK;
}

/** Starts to measure. @returns a function with the microseconds that each group of processes has used per unit since */
export function watchCpu(pidsOf: Readonly<Record<string, () => number[]>>) {
  const secondsOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + secondsIfRunning(pid), 0);
  const used = () => Object.entries(pidsOf).map(([name, pids]) => [name, secondsOf(pids())] as const);
  const before = new Map(used());
  return (units: number): Record<string, number> =>
    Object.fromEntries(used().map(([name, seconds]) => [name, ((seconds - before.get(name)!) / units) * 1e6]));
}

/** A server ends processes of its own at any time, such as those of connections. */
function secondsIfRunning(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    return 0;
  }
}
