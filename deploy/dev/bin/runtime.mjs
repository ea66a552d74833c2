import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs before anything is installed: no dependency but Node.js itself, from version 20 on.
const NODE_MAJOR_MIN = 24;
/** The manifest and the lockfile (version, checksums) of the Node.js to install where the machine's is older. */
const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../runtime');
const FILES = ['package.json', 'package-lock.json'];

/** Runs the program of this process again in a supported Node.js, and ends with it, unless this is one already. */
export async function useSupportedNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return;
  const node = ensureNode();
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    // Programs started by name, e.g. by npm, run in the same Node.js.
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve) => child.on('exit', (...result) => resolve(result)));
  process.exit(signal ? 1 : code);
}

/** Returns the path of the program, after installing it if it is missing; a changed lockfile gets a new folder. */
function ensureNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const { version } =
    JSON.parse(readFileSync(join(SOURCE, 'package-lock.json'), 'utf8')).packages[`node_modules/${name}`] ?? {};
  if (!version) fail();
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(SOURCE, file)));
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'waymark');
  const folder = join(cache, `node-${version}-${hash.digest('hex').slice(0, 12)}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(program)) install(cache, folder, version);
  if (!existsSync(program)) fail();
  return program;
}

function install(cache, folder, version) {
  console.error(
    `installing Node.js ${version} for Waymark, once, since this is ${process.versions.node} (about 20 s) …`,
  );
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, 'node-partial-'));
  for (const file of FILES) copyFileSync(join(SOURCE, file), join(partial, file));
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', partial, ...options], { stdio: ['inherit', 2, 2] });
  try {
    if (status === 0) renameSync(partial, folder);
  } catch (error) {
    // Another process has installed it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  rmSync(partial, { recursive: true, force: true });
}

function fail() {
  console.error(`Node.js ${NODE_MAJOR_MIN} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}
