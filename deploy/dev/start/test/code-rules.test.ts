import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { plantProject } from './planted-project.js';

/** Each breaks one rule of eslint.config.mjs, which applies in its folder. */
const PLANTED: [rule: string, file: string, text: string][] = [
  [
    '@typescript-eslint/no-floating-promises',
    'services/audit/src/floating.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
  [
    '@typescript-eslint/no-floating-promises',
    'services/audit/test/floating.test.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
  [
    '@typescript-eslint/no-misused-promises',
    'services/audit/src/misused.ts',
    "export const misused = (is: () => Promise<boolean>) => (is() ? 'yes' : 'no');\n",
  ],
  [
    '@typescript-eslint/await-thenable',
    'services/audit/src/awaited.ts',
    'export const awaited = async (count: number): Promise<number> => await count;\n',
  ],
  ['@typescript-eslint/no-unused-vars', 'services/audit/src/unused.ts', 'export {};\nconst unused = 1;\n'],
  [
    '@typescript-eslint/consistent-type-imports',
    'services/audit/src/imported.ts',
    "import { Server } from 'node:http';\nexport type Imported = Server;\n",
  ],
  ['@typescript-eslint/no-explicit-any', 'services/audit/src/any.ts', 'export type Any = any;\n'],
  ['no-console', 'services/audit/src/printed.ts', "export const print = () => console.log('printed');\n"],
  [
    'max-params',
    'services/audit/src/parameters.ts',
    'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;\n',
  ],
  [
    'max-lines-per-function',
    'services/audit/src/long.ts',
    `export function long(count: number) {\n${'  count += 1;\n'.repeat(60)}  return count;\n}\n`,
  ],
  [
    'no-new',
    'services/audit/src/effect.ts',
    'class Effect {\n  at = Date.now();\n}\nexport const effect = () => {\n  new Effect();\n};\n',
  ],
  [
    'no-restricted-syntax',
    'gateway/src/guessed.ts',
    'export const isRight = (given: string, csrf: string) => given === csrf;\n',
  ],
  [
    'no-restricted-syntax',
    'shared/kernel/src/guessed.ts',
    'export const isWrong = (row: { secret: string }, given: string) => row.secret !== given;\n',
  ],
  ['no-restricted-globals', 'services/audit/test/named.test.ts', "it('is named', () => undefined);\n"],
  [
    'no-restricted-properties',
    'gateway/console/src/markup.ts',
    'export const show = (element: HTMLElement, text: string) => {\n  element.innerHTML = text;\n};\n',
  ],
  [
    '@typescript-eslint/no-floating-promises',
    'gateway/console/src/floating.ts',
    'export const floating = () => void 0;\nPromise.resolve(floating());\n',
  ],
];

/** The same where the rule does not apply. */
const ALLOWED: Record<string, string> = {
  'deploy/dev/start/src/printed.ts': "export const print = () => console.log('printed');\n",
  'services/audit/test/any.test.ts': "test('any', () => {\n  const any: any = {};\n  any.field();\n});\n",
  'services/audit/src/absent.ts': 'export const isAbsent = (secret?: string) => secret === undefined;\n',
};

const COPIES = ['eslint.config.mjs', 'tsconfig.base.json', 'tsconfig.test.json', 'gateway/console/tsconfig.json'];

let folder: string;
let violations: string[];

beforeAll(() => {
  const files = { ...Object.fromEntries(PLANTED.map(([, file, text]) => [file, text])), ...ALLOWED };
  folder = plantProject(files, COPIES);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const args = [
    join(ROOT, 'node_modules/eslint/bin/eslint.js'),
    '--format',
    'json',
    'deploy',
    'gateway',
    'services',
    'shared',
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const results = JSON.parse(stdout) as { filePath: string; messages: { ruleId: string | null }[] }[];
  violations = results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId }) => `${ruleId} ${relative(folder, filePath)}`),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(PLANTED)('%s reports %s', (rule, file) => {
  expect(violations).toContain(`${rule} ${file}`);
});

test('no rule reports anything else', () => {
  expect(violations.sort()).toEqual(PLANTED.map(([rule, file]) => `${rule} ${file}`).sort());
});
