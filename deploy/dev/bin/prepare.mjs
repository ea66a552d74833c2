import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  await useSupportedNode();
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  const marker = join(root, 'node_modules', '.waymark-installed');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
    console.error('installing packages (npm ci; about a minute) …');
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
    writeFileSync(marker, lock);
  }
  if (!existsSync(join(root, 'deploy/dev/start/dist/main.js'))) console.error('building (about 20 s) …');
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']);
  await run(process.execPath, [join(root, 'gateway/console/build.mjs')]);
}

/** Runs a program to its end, and says every five seconds that it still runs; a failure ends this process too. */
async function run(command, args) {
  const startedAt = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: ['inherit', 2, 2] });
  const sayTime = () => console.error(`  … ${Math.round((Date.now() - startedAt) / 1000)} s`);
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
