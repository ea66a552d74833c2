import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { useSupportedNode } from './runtime.mjs';

// Runs before anything is installed: no dependency but Node itself.
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const PROGRESS_EVERY_MS = 5000;
/** Compiled code of the programs that are started here: each of them starts in half the time. */
const COMPILE_CACHE = join(root, 'node_modules/.cache/waymark-v8');

/**
 * Continues in a supported Node.js, installs missing packages of the lockfile, and builds changed sources. Output
 * goes to stderr.
 */
export async function prepare() {
  await install();
  await build();
}

export async function install() {
  await useSupportedNode();
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  if (!isInstalled()) {
    console.error('installing packages (npm ci; about a minute) …');
    await run('installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  }
}

export async function build() {
  if (!existsSync(join(root, 'deploy/dev/start/dist/main.js'))) console.error('building (about 20 s) …');
  await run('making the types of the client', process.execPath, [join(root, 'shared/client/bin/make-types.mjs')]);
  await run('building', process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json']);
  await run('building the console', process.execPath, [join(root, 'gateway/console/build.mjs')]);
}

/**
 * Returns whether `node_modules` holds the packages of the lockfile, by npm's own record of what it installed. A package that
 * is missing there is fine if it is optional: npm skips the binaries of other platforms.
 */
export function isInstalled(folder = root) {
  const record = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = readPackages(record);
  return Object.entries(readPackages(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    const found = installed[path];
    if (path === '') return true;
    if (!found) return Boolean(wanted.optional);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function readPackages(lockfile) {
  return JSON.parse(readFileSync(lockfile, 'utf8')).packages;
}

/** Runs a program to its end, and says every five seconds what still runs; a failure ends this process too. */
async function run(what, command, args) {
  const startedAt = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: ['inherit', 2, 2] });
  const sayTime = () => console.error(`  … ${what}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  const timer = setInterval(sayTime, PROGRESS_EVERY_MS);
  const code = await new Promise((resolve) => {
    child.on('error', (error) => fail(`${command}: ${error.message}`));
    child.on('exit', (status) => resolve(status ?? 1));
  });
  clearInterval(timer);
  if (code !== 0) process.exit(code);
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}
