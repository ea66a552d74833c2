import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isRunning, type ProcessIdentity } from './processes.js';

/** The process that holds a lock, or undefined if it is free or its holder has died. */
export function lockHolder(path: string): ProcessIdentity | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
    return isRunning(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the lock for this process, also from a dead holder; the living holder otherwise. */
export function tryLock(path: string): ProcessIdentity | undefined {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    for (;;) {
      if (linked(own, path)) return undefined;
      const holder = lockHolder(path);
      if (holder) return holder;
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

export function unlock(path: string): void {
  if (lockHolder(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** A hard link appears with its complete content, and only if the name does not exist yet. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
