import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

// npm run lint: ESLint and Prettier, only on what has changed since their last run, and the rules for imports.
const CACHE = join(root, 'node_modules/.cache/waymark-lint');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PACKAGES = workspaces.flatMap((name) => (name.endsWith('/*') ? foldersIn(name.slice(0, -2)) : [name]));

function foldersIn(parent) {
  const entries = readdirSync(join(root, parent), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
}

/**
 * ESLint's verdict on a file depends on the types of other files: the declarations of all packages and the helpers of the
 * tests. Where one of them has changed, every file is checked again.
 */
function typesKey() {
  const hash = createHash('sha256').update(process.version);
  for (const file of [
    'package-lock.json',
    'eslint.config.mjs',
    'tsconfig.base.json',
    'tsconfig.test.json',
    'gateway/console/tsconfig.json',
  ]) {
    hash.update(readFileSync(join(root, file)));
  }
  for (const file of PACKAGES.flatMap((name) => [...declarationsOf(name), ...testHelpersOf(name)]).sort()) {
    hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

const declarationsOf = (name) => filesIn(join(root, name, 'dist')).filter((file) => file.endsWith('.d.ts'));
const testHelpersOf = (name) => filesIn(join(root, name, 'test')).filter((file) => !file.endsWith('.test.ts'));

function filesIn(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return [];
  }
}

function check(program, args) {
  const child = spawn(process.execPath, [join(root, program), ...args], { cwd: root, stdio: 'inherit' });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

await prepare();
const eslintCache = `eslint-${typesKey()}`;
mkdirSync(CACHE, { recursive: true });
for (const name of readdirSync(CACHE)) {
  if (name.startsWith('eslint-') && name !== eslintCache) rmSync(join(CACHE, name));
}
const cached = (name) => ['--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, name)];
const codes = await Promise.all([
  check('node_modules/eslint/bin/eslint.js', ['.', ...cached(eslintCache), ...process.argv.slice(2)]),
  check('node_modules/prettier/bin/prettier.cjs', ['--check', '.', ...cached('prettier')]),
  check('deploy/dev/bin/dependencies.mjs', ['--check']),
]);
process.exit(Math.max(...codes));
