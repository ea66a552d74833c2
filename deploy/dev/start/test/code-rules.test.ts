import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { plantProject } from './planted-project.js';

const CONFIG = 'export const config = { SHADES: 1 };\n';

/** Each breaks one rule of .oxlintrc.json, which applies in its folder. */
const PLANTED: [rule: string, file: string, text: string][] = [
  [
    'typescript(no-floating-promises)',
    'services/audit/src/floating.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
  [
    'typescript(no-floating-promises)',
    'services/audit/test/floating.test.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
  [
    'typescript(no-misused-promises)',
    'services/audit/src/misused.ts',
    "export const misused = (is: () => Promise<boolean>) => (is() ? 'yes' : 'no');\n",
  ],
  [
    'typescript(await-thenable)',
    'services/audit/src/awaited.ts',
    'export const awaited = async (count: number): Promise<number> => await count;\n',
  ],
  ['eslint(no-unused-vars)', 'services/audit/src/unused.ts', 'export {};\nconst unused = 1;\n'],
  [
    'typescript(consistent-type-imports)',
    'services/audit/src/imported.ts',
    "import { Server } from 'node:http';\nexport type Imported = Server;\n",
  ],
  ['typescript(no-explicit-any)', 'services/audit/src/any.ts', 'export type Any = any;\n'],
  ['eslint(no-console)', 'services/audit/src/printed.ts', "export const print = () => console.log('printed');\n"],
  [
    'eslint(max-params)',
    'services/audit/src/parameters.ts',
    'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;\n',
  ],
  [
    'eslint(max-lines-per-function)',
    'services/audit/src/long.ts',
    `export function long(count: number) {\n${'  count += 1;\n'.repeat(60)}  return count;\n}\n`,
  ],
  [
    'eslint(no-new)',
    'services/audit/src/effect.ts',
    'class Effect {\n  at = Date.now();\n}\nexport const effect = () => {\n  new Effect();\n};\n',
  ],
  [
    'waymark(constant-time)',
    'gateway/src/guessed.ts',
    'export const isRight = (given: string, csrf: string) => given === csrf;\n',
  ],
  [
    'waymark(constant-time)',
    'shared/kernel/src/guessed.ts',
    'export const isWrong = (row: { secret: string }, given: string) => row.secret !== given;\n',
  ],
  ['waymark(limit-classes)', 'services/audit/src/limited.ts', 'export class GuessLimiter {\n  count = 0;\n}\n'],
  ['waymark(used-settings)', 'services/audit/src/config.ts', CONFIG],
  ['waymark(used-settings)', 'shared/kernel/src/process/config.ts', CONFIG],
  ['eslint(no-restricted-globals)', 'services/audit/test/named.test.ts', "it('is named', () => undefined);\n"],
  [
    'eslint(no-restricted-properties)',
    'gateway/console/src/markup.ts',
    'export const show = (element: HTMLElement, text: string) => {\n  element.innerHTML = text;\n};\n',
  ],
  [
    'typescript(no-floating-promises)',
    'gateway/console/src/floating.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
];

/** The same where the rule does not apply. */
const ALLOWED: Record<string, string> = {
  'deploy/dev/start/src/printed.ts': "export const print = () => console.log('printed');\n",
  'services/audit/test/any.test.ts': "test('any', () => {\n  const any: any = {};\n  any.field();\n});\n",
  'shared/kernel/src/limits/places.ts': 'export class ExportPermits {\n  count = 0;\n}\n',
  'services/domain/src/config.ts': 'export const config = { COLOR: 1, SHAPE: 2, KEY: 3 };\n',
  'docker-compose.yml': 'services: { domain: { environment: { COLOR: red, KEY_FILE: key } } } # SHADES\n',
  'services/domain/README.md': 'Set `SHAPE` where squares are wanted.\n\n| `SHADES` | 1 |\n',
  'services/audit/src/absent.ts': 'export const isAbsent = (secret?: string) => secret === undefined;\n',
};

const COPIES = [
  '.oxlintrc.json',
  'deploy/dev/bin/lint-rules.mjs',
  'deploy/dev/bin/used-settings.mjs',
  'tsconfig.json',
  'tsconfig.base.json',
  'gateway/console/tsconfig.json',
];

/** The project that the console refers to. */
const CLIENT = {
  'shared/client/tsconfig.build.json': '{ "extends": "../../tsconfig.base.json", "include": ["src"] }',
  'shared/client/src/client.ts': 'export const client = 1;\n',
};

let folder: string;
let violations: string[];

beforeAll(() => {
  const files = { ...Object.fromEntries(PLANTED.map(([, file, text]) => [file, text])), ...ALLOWED, ...CLIENT };
  folder = plantProject(files, COPIES);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const args = [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '--format', 'json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  violations = diagnostics.map(({ code, filename }) => `${code} ${filename}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(PLANTED)('%s reports %s', (rule, file) => {
  expect(violations).toContain(`${rule} ${file}`);
});

test('no rule reports anything else', () => {
  expect(violations.sort()).toEqual(PLANTED.map(([rule, file]) => `${rule} ${file}`).sort());
});
