import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PATH = '/usr/lib/postgresql/18/bin:/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A command line that runs a program inside the private root as one of its users. */
export interface PrivateProgram {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

export interface ProgramOptions {
  root: string;
  user: 'postgres' | 'rabbitmq';
  home: string;
  env?: Record<string, string>;
  /** Sent by the kernel when the process that starts it dies, however hard. */
  deathSignal?: 'INT' | 'TERM' | 'KILL';
}

export function privateProgram(options: ProgramOptions, command: string, ...args: string[]): PrivateProgram {
  // setpriv comes after chroot: a change of user clears the death signal (prctl(2)).
  const guard = options.deathSignal ? ['setpriv', '--pdeathsig', options.deathSignal] : [];
  return {
    command: 'chroot',
    args: [`--userspec=${options.user}:${options.user}`, options.root, ...guard, command, ...args],
    env: { PATH, HOME: options.home, LC_ALL: 'C.UTF-8', ...options.env },
  };
}

/** Longer than any program takes, even on a busy machine. */
const TIMEOUT_MS = 300_000;

/** @returns its standard output. @throws Error with what it wrote, or that it did not end */
export async function runPrivate({ command, args, env }: PrivateProgram): Promise<string> {
  try {
    return (await run(command, args, { env, timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    if (!(error as { killed?: boolean }).killed) throw error;
    throw new Error(`still running after ${TIMEOUT_MS} ms: ${args.join(' ')}`, { cause: error });
  }
}
