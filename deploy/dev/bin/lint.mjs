import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root } from './prepare.mjs';
import { USED_SETTINGS } from './used-settings.mjs';

// npm run lint: oxlint, Prettier and the rules for the API's description, only on what has changed since their last run, and
// the rules for imports.
const CACHE = join(root, 'node_modules/.cache/waymark-lint');
const OXLINT = 'node_modules/oxlint/bin/oxlint';
/** The contents of files without a finding, and what their types depended on. */
const CLEAN = join(CACHE, 'oxlint.json');
/** The key of the descriptions of the API without a finding. */
const CLEAN_API = join(CACHE, 'api.txt');
const API = ['docs/api/links.openapi.json', 'docs/api/qr.openapi.json'];
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PACKAGES = workspaces.flatMap((name) => (name.endsWith('/*') ? foldersIn(name.slice(0, -2)) : [name]));

function foldersIn(parent) {
  const entries = readdirSync(join(root, parent), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
}

/**
 * The verdict on a file depends on the types of other files: the declarations of all packages and the helpers of the
 * tests. If one of them has changed, every file is checked again.
 */
function typesKey() {
  const hash = createHash('sha256').update(process.version);
  const configuration = ['.oxlintrc.json', 'deploy/dev/bin/lint-rules.mjs', 'tsconfig.base.json', 'tsconfig.json'];
  for (const file of ['package-lock.json', ...configuration, 'gateway/console/tsconfig.json']) {
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
  process.once('exit', () => child.kill());
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

async function checkCode(options) {
  if (options.length > 0) return check(OXLINT, options);
  const clean = readClean();
  const typesOfNow = typesKey();
  const { stdout } = spawnSync(process.execPath, [join(root, OXLINT), '--debug=files'], {
    cwd: root,
    encoding: 'utf8',
  });
  const hashes = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((file) => [file, contentKey(file)]),
  );
  const changed = Object.keys(hashes).filter(
    (file) => clean.types !== typesOfNow || clean.hashes[file] !== hashes[file],
  );
  const code = changed.length > 0 ? await check(OXLINT, changed) : 0;
  if (code === 0) writeFileSync(CLEAN, JSON.stringify({ types: typesOfNow, hashes }));
  return code;
}

async function checkApi() {
  const key = createHash('sha256').update(process.version);
  for (const file of ['package-lock.json', 'deploy/dev/bin/lint-api.mjs', 'deploy/dev/bin/api-rules.yaml', ...API]) {
    key.update(readFileSync(join(root, file)));
  }
  const now = key.digest('hex');
  if (readText(CLEAN_API) === now) return 0;
  const code = await check('deploy/dev/bin/lint-api.mjs', API);
  if (code === 0) writeFileSync(CLEAN_API, now);
  return code;
}

/** The verdict on settings depends on their uses, too. */
function contentKey(file) {
  const hash = createHash('sha256').update(readFileSync(join(root, file)));
  if (/\/(config|short-hosts)\.ts$/.test(file)) hash.update([...USED_SETTINGS].join());
  return hash.digest('base64');
}

function readClean() {
  try {
    return JSON.parse(readText(CLEAN));
  } catch {
    return {};
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '';
  }
}

await install();
mkdirSync(CACHE, { recursive: true });
const cached = ['--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, 'prettier')];
// Prettier reads no built code: on a second core it takes about as long as the build.
const formatted = check('node_modules/prettier/bin/prettier.cjs', ['--check', '.', ...cached]);
await build();
const codes = await Promise.all([
  formatted,
  checkCode(process.argv.slice(2)),
  check('deploy/dev/bin/dependencies.mjs', ['--check']),
  checkApi(),
]);
process.exit(Math.max(...codes));
