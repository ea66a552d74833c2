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

export async function runPrivate(program: PrivateProgram, timeoutMs: number): Promise<string> {
  const { stdout } = await run(program.command, program.args, { env: program.env, timeout: timeoutMs });
  return stdout;
}
