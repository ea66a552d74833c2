import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { plantProject } from './planted-project.js';

const CONFIG = join(ROOT, 'dependency-cruiser.config.mjs');

/** The part of dependency-cruiser's result that is read here. */
interface Summary {
  violations: { rule: { name: string }; from: string }[];
  ruleSetUsed: { forbidden: { name: string }[] };
}

interface Planted {
  rule: string;
  /** The file that breaks the rule, and how it is written. */
  file: string;
  text: string;
  /** Other files that it needs. */
  others?: Record<string, string>;
}

/** Each breaks one rule in a project that keeps all others. */
const PLANTED: Planted[] = [
  {
    rule: 'no-circular',
    file: 'services/audit/src/entries/first.ts',
    text: "import { second } from './second.js';\nexport const first = (): number => second();\n",
    others: {
      'services/audit/src/entries/second.ts':
        "import type { first } from './first.js';\nexport const second = (): ReturnType<typeof first> => 1;\n",
    },
  },
  {
    rule: 'no-unresolvable',
    file: 'services/audit/src/entries/typo.ts',
    text: "import { entry } from './entrys.js';\nexport const typo = entry;\n",
  },
  {
    rule: 'no-undeclared-package',
    file: 'services/audit/src/entries/undeclared.ts',
    text: "import { any } from 'undeclared';\nexport const undeclared = any;\n",
  },
  {
    rule: 'no-development-package',
    file: 'services/audit/src/entries/development.ts',
    text: "import { any } from 'development';\nexport const development = any;\n",
  },
  { rule: 'no-orphan', file: 'services/audit/src/entries/alone.ts', text: 'export const alone = 1;\n' },
  {
    rule: 'services-apart',
    file: 'services/audit/src/entries/peer.ts',
    text: "import { user } from '../../../auth/src/users/user.js';\nexport const peer = user;\n",
    others: { 'services/auth/src/users/user.ts': 'export const user = 1;\n' },
  },
  {
    rule: 'shipped-alone',
    file: 'services/audit/src/entries/tested.ts',
    text: "import { waitFor } from '@waymark/testing/wait-for';\nexport const tested = waitFor;\n",
    others: { 'shared/testing/src/wait-for.ts': 'export const waitFor = 1;\n' },
  },
  {
    rule: 'contract-below-all',
    file: 'shared/contract/src/late.ts',
    text: "import { now } from '@waymark/kernel/now';\nexport const late = now;\n",
    others: { 'shared/kernel/src/now.ts': 'export const now = 1;\n' },
  },
  {
    rule: 'kernel-without-business',
    file: 'shared/kernel/src/business.ts',
    text: "import { link } from '@waymark/contract/links';\nexport const business = link;\n",
    others: { 'shared/contract/src/links.ts': 'export const link = 1;\n' },
  },
  {
    rule: 'shared-below-all',
    file: 'shared/client/src/served.ts',
    text: "import { start } from '../../../services/domain/src/app.js';\nexport const served = start;\n",
    others: { 'services/domain/src/app.ts': 'export const start = 1;\n' },
  },
  ...(
    [
      ['kernel', 'shared/kernel/src', 'mongo', 'broker'],
      ['gateway', 'gateway/src', 'authorize', 'pipeline'],
      ['console', 'gateway/console/src', 'api', 'app'],
      ['webhook', 'services/webhook/src', 'endpoints', 'deliveries'],
      ['redirect', 'services/redirect/src', 'targets', 'hosts'],
      ['resource', 'services/resource/src', 'links', 'organize'],
      ['auth', 'services/auth/src', 'users', 'sign-in'],
      ['workspaces', 'services/auth/src/workspaces', 'tokens', 'members'],
      ['sign-in', 'services/auth/src/sign-in', 'profile', 'sessions'],
      ['analytics', 'services/analytics/src', 'ledger', 'reports'],
      ['domain', 'services/domain/src', 'dns', 'checks'],
      ['audit', 'services/audit/src', 'chain', 'reading'],
    ] as const
  ).map(([name, root, lower, upper]) => ({
    rule: `layers-of-${name}`,
    file: `${root}/${lower}/climbs.ts`,
    text: `import { upper } from '../${upper}/upper.js';\nexport const climbs = upper;\n`,
    others: { [`${root}/${upper}/upper.ts`]: 'export const upper = 1;\n' },
  })),
  {
    rule: 'layers-of-resource',
    file: 'services/resource/src/links/knows-all.ts',
    text: "import { app } from '../app.js';\nexport const knowsAll = app;\n",
    others: { 'services/resource/src/app.ts': 'export const app = 1;\n' },
  },
];

/** Imports that the rules allow. */
const ALLOWED: Record<string, string> = {
  'services/resource/src/organize/folders.ts':
    "import { store } from '../links/store.js';\nexport const folders = store;\n",
  'services/resource/src/links/store.ts':
    "import { any } from 'declared';\nimport { route } from '@waymark/contract/route';\nexport const store = [any, route];\n",
  'shared/kernel/src/router.ts': "import { route } from '@waymark/contract/route';\nexport const router = route;\n",
  'shared/contract/src/route.ts': 'export const route = 1;\n',
  'services/resource/src/main.ts': "import './organize/folders.js';\n",
};

const manifest = (name: string, fields: object) => JSON.stringify({ name, version: '1.0.0', ...fields });

const PACKAGES = ['declared', 'development', 'undeclared'].map((name) => ({
  [`node_modules/${name}/package.json`]: manifest(name, { main: 'index.js' }),
  [`node_modules/${name}/index.js`]: 'exports.any = 1;\n',
}));

const FILES: Record<string, string> = {
  ...Object.assign({}, ...PACKAGES),
  'package.json': manifest('planted', { devDependencies: { development: '1.0.0' } }),
  'services/resource/package.json': manifest('resource', { dependencies: { declared: '1.0.0' } }),
  'deploy/README.md': '',
  ...Object.assign({}, ...PLANTED.map(({ file, text, others }) => ({ [file]: text, ...others }))),
  ...ALLOWED,
};

let folder: string;
let violations: string[];
let rules: string[];

beforeAll(() => {
  folder = plantProject(FILES, ['tsconfig.base.json', 'tsconfig.json']);
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [program, '--config', CONFIG, '--output-type', 'json', 'gateway', 'services', 'shared', 'deploy'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const { summary } = JSON.parse(stdout) as { summary: Summary };
  violations = summary.violations.map(({ rule, from }) => `${rule.name} ${from}`);
  rules = summary.ruleSetUsed.forbidden.map(({ name }) => name);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(PLANTED)('$rule reports $file', ({ rule, file }) => {
  expect(violations).toContain(`${rule} ${file}`);
});

test('no rule reports anything else', () => {
  expect(violations.sort()).toEqual(PLANTED.map(({ rule, file }) => `${rule} ${file}`).sort());
});

test('every rule has a planted violation', () => {
  expect(new Set(PLANTED.map(({ rule }) => rule))).toEqual(new Set(rules));
});
