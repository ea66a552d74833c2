import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

const HOOKS = join(ROOT, '.githooks');
let folder: string;

beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-hooks-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the hook of commit messages', () => {
  const check = (message: string) => {
    const file = join(folder, 'message');
    writeFileSync(file, message);
    return spawnSync(join(HOOKS, 'commit-msg'), [file], { encoding: 'utf8' });
  };

  test.each([
    ['a subject of 72 characters', `${'x'.repeat(72)}\n\n${'y'.repeat(100)}\n`],
    ['a subject below a comment', `# ${'x'.repeat(100)}\nShort\n`],
    ['the long subject of a revert', `Revert "${'x'.repeat(72)}"\n`],
  ])('accepts %s', (_what, message) => {
    expect(check(message).status).toBe(0);
  });

  test('refuses a subject of 73 characters, and names both numbers', () => {
    const { status, stderr } = check(`${'x'.repeat(73)}\n`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/73 .* 72 /);
  });
});

describe('the hook before a commit', () => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const commit = (text: string) => {
    writeFileSync(join(folder, 'data.json'), text);
    git('add', 'data.json');
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    return git(...author, '-c', `core.hooksPath=${HOOKS}`, 'commit', '-m', 'Change the data').status;
  };

  test('accepts a staged file that is formatted, and refuses another', () => {
    git('init');
    writeFileSync(join(folder, 'package.json'), '{}\n');
    // Where npx finds the programs of the project.
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    expect(commit('{ "a": 1 }\n')).toBe(0);
    expect(commit('{"a":2}')).not.toBe(0);
  });
});
