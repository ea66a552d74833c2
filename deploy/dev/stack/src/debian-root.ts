import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aptTransportOptions, debianMirror } from './apt-sources.js';
import { requireDiskSpace } from './disk-space.js';
import { tryLock, unlock } from './lock-file.js';

export type Progress = (line: string) => void;

/** A folder made of Debian's packages, of which nothing is installed on the machine itself. */
export interface DebianRoot {
  /** Its folder's name; a new name is a new build. */
  name: string;
  /** `apt`: programs are run inside it; `extract`: only its files are wanted. */
  variant: 'apt' | 'extract';
  packages: readonly string[];
  /** Left out of the packages. */
  excluded?: readonly string[];
  /** The last step of the build. */
  finish?: (folder: string) => void;
}

const SUITE = 'forky';
/** What one build takes at most, downloads included. */
const BUILD_BYTES = 2e9;
const LOCK_WAIT_MS = 900_000;
const LOCK_POLL_MS = 500;
const PROGRESS_EVERY_MS = 5_000;
const EXCLUDED = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*'];

export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'waymark');
}

export function rootFolder({ name }: DebianRoot): string {
  return join(cacheFolder(), `root-${SUITE}-${name}`);
}

/** Why this machine can't have such a root; undefined if it can. */
export function whyNoDebianRoot(): string | undefined {
  if (process.platform !== 'linux' || !hasCommand('apt-get')) return 'this is not a Debian or Ubuntu machine';
  if (process.getuid?.() !== 0) return 'this user is not root';
  return undefined;
}

/** The root's folder, built first if it is not there; a second process waits for the one that builds. */
export function ensureDebianRoot(wanted: DebianRoot, progress: Progress): Promise<string> {
  return buildOnce(rootFolder(wanted), progress, (folder) => build(wanted, folder, progress));
}

/** `folder`, built first if it is not there; a second process waits for the one that builds. */
export async function buildOnce(
  folder: string,
  progress: Progress,
  build: (folder: string, progress: Progress) => Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const lock = `${folder}.lock`;
  await waitForLock(lock, progress);
  try {
    if (!existsSync(folder)) {
      requireDiskSpace(cacheFolder(), BUILD_BYTES);
      await build(folder, progress);
    }
  } finally {
    unlock(lock);
  }
  return folder;
}

/** Adds to each line the seconds since this call. */
export function timedProgress(progress: Progress): Progress {
  const started = Date.now();
  return (line) => progress(`${line} (${Math.round((Date.now() - started) / 1000)} s)`);
}

async function waitForLock(lock: string, progress: Progress): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  let isReported = false;
  for (let holder = tryLock(lock); holder; holder = tryLock(lock)) {
    if (Date.now() > deadline) throw new Error(`process ${holder.pid} has been building ${lock} for too long`);
    if (!isReported) progress(`waiting for process ${holder.pid}, which has ${lock}`);
    isReported = true;
    await sleep(LOCK_POLL_MS);
  }
}

async function build(wanted: DebianRoot, root: string, progress: Progress): Promise<void> {
  const timed = timedProgress(progress);
  await ensureMmdebstrap(timed);
  const partial = `${root}.partial`;
  rmSync(partial, { recursive: true, force: true });
  timed(`building a private root from Debian's packages, once: ${wanted.packages.join(', ')}`);
  await runShown('mmdebstrap', await mmdebstrapArguments(wanted, partial), timed);
  wanted.finish?.(partial);
  renameSync(partial, root);
  timed('the private root is ready');
}

async function mmdebstrapArguments(
  { variant, packages, excluded = [] }: DebianRoot,
  folder: string,
): Promise<string[]> {
  const mirror = await debianMirror();
  return [
    `--variant=${variant}`,
    `--include=${packages.join(',')}`,
    '--aptopt=APT::Install-Recommends "false"',
    // A mirror's testing suite may be a few days behind its validity date.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    ...(await aptTransportOptions()).map((line) => `--aptopt=${line.replace(/;$/, '')}`),
    ...[...EXCLUDED, ...excluded].map((path) => `--dpkgopt=path-exclude=${path}`),
    SUITE,
    folder,
    ...(mirror ? [mirror] : []),
  ];
}

async function ensureMmdebstrap(progress: Progress): Promise<void> {
  // On Ubuntu the keys of Debian's archive are not there by default.
  const missing = [
    ...(hasCommand('mmdebstrap') ? [] : ['mmdebstrap']),
    ...(existsSync('/usr/share/keyrings/debian-archive-keyring.gpg') ? [] : ['debian-archive-keyring']),
  ];
  if (missing.length === 0) return;
  progress(`installing ${missing.join(' and ')}`);
  await runShown('apt-get', ['update', '-q'], progress);
  await runShown('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], progress);
}

/** Runs a long command; every few seconds its latest line is shown as the phase it is in. */
export async function runShown(command: string, args: string[], progress: Progress): Promise<void> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
  });
  let output = '';
  const append = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4_000));
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const shown = setInterval(() => progress(lastLine(output) || command), PROGRESS_EVERY_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => clearInterval(shown));
  if (code !== 0) throw new Error(`${command} failed (exit ${code}):\n${output.trim()}`);
}

function lastLine(output: string): string {
  const lines = output.split(/[\r\n]+/).filter((line) => line.trim());
  return (lines.at(-1) ?? '').replace(/^[A-Z]: /, '').slice(0, 100);
}

function hasCommand(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
