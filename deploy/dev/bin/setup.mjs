import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

// npm run setup: everything that the other commands need, installed and built, and the hooks of commits.
await prepare();
useHooks();

/** Keeps another folder of hooks that the developer has set. Sources without a git checkout have no commits. */
function useHooks() {
  if (!existsSync(join(root, '.git'))) return;
  const config = (...args) => spawnSync('git', ['config', ...args], { cwd: root, encoding: 'utf8' });
  if (!config('--get', 'core.hooksPath').stdout) config('core.hooksPath', '.githooks');
}
