import { execFile } from 'node:child_process';
import { backing, entryOf } from '@waymark/launcher/process-table';
import type { RunningSystem } from './system.js';

/** Runs a command of the operator's command line, and returns its result. */
export function runAdmin({ system }: RunningSystem, args: string[], input = ''): Promise<any> {
  const env = { PATH: process.env['PATH'], API_BASE_URL: system.baseUrl, ...backing(system.settings, 'auth') };
  const file = entryOf('auth', 'admin/main.js');
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [file, ...args, '--json'], { env }, (error, stdout) =>
      error ? reject(new Error(error.message)) : resolve(JSON.parse(stdout)),
    );
    child.stdin!.end(input);
  });
}
