import { execFile } from 'node:child_process';
import { backing, entryOf } from '@waymark/launcher/process-table';
import type { RunningSystem } from './system.js';

/** Runs a command of auth's command line, and returns its result. */
export const runAdmin = (running: RunningSystem, args: string[], input = ''): Promise<any> =>
  runCommand(running, { service: 'auth', args, input });

/** The same of another service. */
export function runCommand(
  { system }: RunningSystem,
  { service, args, input = '' }: { service: 'auth' | 'resource'; args: string[]; input?: string },
): Promise<any> {
  const env = {
    PATH: process.env['PATH'],
    DEPLOYMENT: system.settings.deployment,
    API_BASE_URL: system.baseUrl,
    SHORT_BASE_URL: system.shortUrl,
    ...backing(system.settings, service),
  };
  const file = entryOf(service, 'admin/main.js');
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [file, ...args, '--json'], { env }, (error, stdout) =>
      error ? reject(new Error(error.message)) : resolve(JSON.parse(stdout)),
    );
    child.stdin!.end(input);
  });
}
