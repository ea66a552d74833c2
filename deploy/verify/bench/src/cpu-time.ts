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
