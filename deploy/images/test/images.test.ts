import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { contextFiles, follow, instructions, run, type Stage } from './dockerfile.js';
import { PROCESSES } from './process-facts.js';

const CONFIGURATION_ERROR = 78;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-image-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Manifest {
  dependencies: Record<string, string>;
}

/** The files for browsers are bundled: they load no package. */
const isForBrowsers = (file: string): boolean => file.startsWith('public/');

function packagesLoadedBy(dist: string): string[] {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .filter((file) => !isForBrowsers(file));
  const modules = files.flatMap((file) => [
    ...readFileSync(join(dist, file), 'utf8').matchAll(/\b(?:require|import|resolve)\("([^".][^"]*)"\)/g),
  ]);
  const names = modules.map(([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]);
  return [...new Set(names)].filter((name) => !name.startsWith('node:') && !isBuiltin(name));
}

/** The image's command as a container would run it, without a single variable. */
function startBare({ root, workdir, command }: Stage) {
  const [program = '', ...args] = command ?? [];
  expect(program).toBe('node');
  return spawnSync(process.execPath, args, { cwd: join(root, workdir), env: {}, encoding: 'utf8', timeout: 60_000 });
}

/** The operator's command line, as `kubectl exec` starts it. */
function runAdmin({ root }: Stage, ...args: string[]) {
  const program = join(root, 'usr/local/bin/waymark-admin');
  return spawnSync(program, args, { env: { PATH: dirname(process.execPath) }, encoding: 'utf8', timeout: 60_000 });
}

// One has a native module, the other a package that is replaced by the lockfile; the next test is about all of them.
test.each(PROCESSES.filter(({ name }) => name === 'auth' || name === 'gateway'))(
  'the image of $name starts: without settings it says which ones it needs, and ends',
  ({ name, workspace }) => {
    const image = follow(folder, { WORKSPACE: workspace }, { build: ROOT });

    const { status, stderr } = startBare(image);

    expect(stderr).toMatch(new RegExp(`^${name}: bad configuration: .* is not set.*\\n$`));
    expect(status).toBe(CONFIGURATION_ERROR);
    expect(image.workdir).toBe(`/app/${workspace}`);
    expect(existsSync(join(image.root, 'app/node_modules/jest'))).toBe(false);
    expect(runAdmin(image, 'user', 'list')).toMatchObject(
      name === 'auth'
        ? { status: CONFIGURATION_ERROR, stderr: 'error: bad configuration: MONGODB_URI is not set\n' }
        : { status: 2, stderr: expect.stringContaining("'user' is a command of auth") },
    );
    expect(runAdmin(image, 'parked', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('replay') });
    const top = workspace.split('/')[0]!;
    expect(readdirSync(join(image.root, 'app')).sort()).toEqual([top, 'node_modules', 'shared'].sort());
    expect(readdirSync(join(image.root, 'app/shared')).sort()).toEqual(['contract', 'kernel', 'visitors']);
  },
);

test('the build takes nothing but what an engine is given', () => {
  const copy = (path: string) =>
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  for (const file of contextFiles()) copy(file);
  const packages = readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '@waymark');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of packages) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  // Links to the workspaces, here to those of the copy.
  copy('node_modules/@waymark');
  // To compile the services again would take a minute.
  for (const workspace of [
    'shared/contract',
    'shared/kernel',
    'shared/visitors',
    ...PROCESSES.map((each) => each.workspace),
  ])
    copy(join(workspace, 'dist'));
  rmSync(join(folder, 'gateway/dist/public'), { recursive: true });
  const [command] = instructions().filter(({ keyword, rest }) => keyword === 'RUN' && rest.includes('tsc'));

  run({ root: folder, workdir: '/', env: {} }, folder, command!.rest);

  const built = readdirSync(join(folder, 'gateway/dist/public'), { recursive: true });
  expect(built).toEqual(expect.arrayContaining(['console/index.html', 'docs/index.html', 'docs/waymark-client.tgz']));
});

test.each(['shared/contract', 'shared/kernel', 'shared/visitors', ...PROCESSES.map(({ workspace }) => workspace)])(
  '%s declares every package it loads, so that its image has them',
  (workspace) => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')) as Manifest;
    const loaded = packagesLoadedBy(join(ROOT, workspace, 'dist'));
    expect(loaded).not.toEqual([]);
    expect(loaded.filter((name) => !(name in dependencies))).toEqual([]);
  },
);

test('a process runs as a user that is not root, named by number', () => {
  const users = instructions().filter(({ keyword }) => keyword === 'USER');
  expect(users.map(({ rest }) => rest)).toEqual(['1000:1000']);
});

test('packages run no script of their own when an image is built', () => {
  const installations = instructions().filter(
    ({ keyword, rest }) => keyword === 'RUN' && /\bnpm (ci|install)\b/.test(rest),
  );
  expect(installations).toHaveLength(2);
  for (const { rest } of installations) expect(rest).toMatch(/^npm ci --ignore-scripts /);
});

test('every stage starts from the one base image, which has a version', () => {
  const [image, ...stages] = instructions().filter(({ keyword }) => keyword === 'ARG' || keyword === 'FROM');
  expect(image).toEqual({ keyword: 'ARG', rest: expect.stringMatching(/^NODE_IMAGE=node:\d\d\S*$/) });
  const bases = stages.filter(({ keyword }) => keyword === 'FROM').map(({ rest }) => rest.split(' ')[0]);
  expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}']));
});

test('an engine is given sources and manifests, and nothing else of a work tree', () => {
  const files = contextFiles();
  expect(files).toContain('shared/kernel/src/process/lifecycle.ts');
  expect(files).toContain('deploy/dev/stack/package.json');
  expect(files).toContain('tsconfig.base.json');
  const strangers = files.filter(
    (file) =>
      !/^(shared|gateway|services|docs\/api)\/(?!.*\/?test\/)|(^|\/)package(-lock)?\.json$|^tsconfig\.base/.test(file),
  );
  expect(strangers).toEqual([]);
});
