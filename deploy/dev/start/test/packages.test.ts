import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

type Packages = Record<string, { version?: string; integrity?: string; optional?: boolean }>;

const LOCKED: Packages = {
  '': { version: '1.0.0' },
  'node_modules/express': { version: '5.0.0', integrity: 'sha512-a' },
  'node_modules/binary-for-another-platform': { version: '1.0.0', integrity: 'sha512-b', optional: true },
};
const INSTALLED: Packages = { 'node_modules/express': { version: '5.0.0', integrity: 'sha512-a' } };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: LOCKED }));
});
afterEach(() => rmSync(folder, { recursive: true }));

function isInstalled(installed?: Packages): boolean {
  if (installed) {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  const program = `import { isInstalled } from ${JSON.stringify(join(ROOT, 'deploy/dev/bin/prepare.mjs'))};
    console.log(isInstalled(${JSON.stringify(folder)}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('packages that npm installed by hand are not installed again', () => {
  expect(isInstalled(INSTALLED)).toBe(true);
});

test.each<[string, Packages | undefined]>([
  ['nothing is installed', undefined],
  ['a package is missing', {}],
  ['a package has another version', { 'node_modules/express': { version: '4.0.0', integrity: 'sha512-a' } }],
  ['a package has other content', { 'node_modules/express': { version: '5.0.0', integrity: 'sha512-c' } }],
])('packages are installed when %s', (_situation, installed) => {
  expect(isInstalled(installed)).toBe(false);
});
