import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lockHolder, tryLock, unlock } from './lock-file.js';
import { endProcess, identify, type ProcessIdentity } from './processes.js';

const CHECKOUT = join(__dirname, '../../../..');
const INSIDE = '/srv/waymark';
const ORPHAN_END_MS = 10_000;

/** The data of one named stack of this checkout, as seen from inside the private root and from outside. */
export interface StackFolder {
  inside: string;
  outside: string;
}

export function checkoutFolder(root: string): string {
  return join(root, INSIDE, checkoutKey());
}

export function stackFolder(root: string, name: string): StackFolder {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new Error(`'${name}' is no name for a stack`);
  return { inside: `${INSIDE}/${checkoutKey()}/${name}`, outside: join(checkoutFolder(root), name) };
}

/** Locks the folder for this process, and ends servers that a crashed owner left running on it. */
export async function claimFolder(folder: StackFolder, fresh: boolean): Promise<void> {
  mkdirSync(folder.outside, { recursive: true });
  const owner = tryLock(ownerFile(folder));
  if (owner)
    throw new Error(`the stack '${basename(folder.outside)}' of this checkout is running already (pid ${owner.pid})`);
  await endOrphans(folder);
  if (fresh) removeData(folder);
}

export function leaveFolder(folder: StackFolder): void {
  rmSync(serversFile(folder), { force: true });
  unlock(ownerFile(folder));
}

/** Records a started server, so that the next owner can end it if this one can't. */
export function noteServer(folder: StackFolder, server: string, pid: number): void {
  const servers = readServers(folder);
  servers[server] = identify(pid);
  writeFileSync(serversFile(folder), JSON.stringify(servers));
}

/** Names of this checkout's stacks that are running now. */
export function runningStacks(root: string): string[] {
  const folder = checkoutFolder(root);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => lockHolder(ownerFile(stackFolder(root, name))));
}

/** A folder that belongs to a user of the private root (whose number only the root's own files know). */
export function makeFolder(root: string, folder: string, user: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('chroot', [root, 'chown', `${user}:${user}`, folder.slice(root.length)]);
}

export async function endOrphans(folder: StackFolder): Promise<void> {
  const orphans = Object.values(readServers(folder)).filter((orphan) => orphan !== undefined);
  await Promise.all(orphans.map((orphan) => endProcess(orphan, 'SIGKILL', ORPHAN_END_MS)));
  rmSync(serversFile(folder), { force: true });
}

function removeData(folder: StackFolder): void {
  for (const entry of readdirSync(folder.outside)) {
    if (join(folder.outside, entry) !== ownerFile(folder)) rmSync(join(folder.outside, entry), { recursive: true });
  }
}

function readServers(folder: StackFolder): Record<string, ProcessIdentity | undefined> {
  try {
    return JSON.parse(readFileSync(serversFile(folder), 'utf8')) as Record<string, ProcessIdentity>;
  } catch {
    return {};
  }
}

const ownerFile = (folder: StackFolder): string => join(folder.outside, 'owner.lock');
const serversFile = (folder: StackFolder): string => join(folder.outside, 'servers.json');

/** Distinguishes this checkout's data from another's on the same machine. */
export function checkoutKey(): string {
  return createHash('sha256').update(realpathSync(CHECKOUT)).digest('hex').slice(0, 12);
}
