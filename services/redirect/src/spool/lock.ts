import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Locks a directory for this process alone, until the descriptor is closed or the process ends, even by a crash.
 *
 * flock(1) locks the file description that it inherits from us, and the lock stays with us when it exits (the shell
 * idiom of its manual page). The kernel releases it when the process ends, so a crash leaves no stale lock, and it
 * works between containers on one volume, where process ids and abstract sockets are not shared.
 *
 * @throws when another process has it.
 */
export function lockDirectory(directory: string): number {
  const descriptor = openSync(join(directory, 'lock'), 'a');
  const { status, error } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (error) throw new Error('the spool needs flock(1), of the package util-linux', { cause: error });
  throw new Error(`another process uses the spool ${directory}`);
}
