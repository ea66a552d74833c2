import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce, cacheFolder, runShown, timedProgress, type Progress } from './debian-root.js';

/** The manifest and the lockfile (versions, checksums) of the engine, apart from those of the project: it is 550 MB. */
const SOURCE = join(__dirname, '../engine');
const FILES = ['package.json', 'package-lock.json'];

/** The folder in which `chdb` is installed, installed first if it is not there; a changed lockfile is a new folder. */
export async function ensureEnginePackage(progress: Progress): Promise<string> {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(SOURCE, file)));
  const folder = join(cacheFolder(), `engine-${hash.digest('hex').slice(0, 12)}`);
  return buildOnce(folder, progress, install);
}

async function install(folder: string, progress: Progress): Promise<void> {
  const timed = timedProgress(progress);
  timed('installing ClickHouse as a library for the local stack, once: chdb, 550 MB');
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  for (const file of FILES) copyFileSync(join(SOURCE, file), join(partial, file));
  // Not `npm ci`: it refuses a lockfile without the libraries of all platforms, and a mirror may lack some. `npm
  // install` takes the locked versions and verifies their checksums anyway.
  const options = ['--no-save', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runShown('npm', ['install', '--prefix', partial, ...options], timed);
  if (!existsSync(join(partial, 'node_modules/chdb'))) throw new Error('chdb is not in the installed packages');
  renameSync(partial, folder);
  timed('the local ClickHouse is installed');
}
