import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { COMMANDS as analytics } from '@waymark/analytics/admin/commands';
import { COMMANDS as audit } from '@waymark/audit/admin/commands';
import { COMMANDS as auth } from '@waymark/auth/admin/commands';
import { BENCHMARKS } from '@waymark/bench/benchmarks';
import { FAULTS } from '@waymark/faults/faults';
import { PARKED_COMMANDS } from '@waymark/kernel/command-line/parked-commands';
import { ROOT } from '@waymark/launcher/process-table';
import { COMMANDS as domain } from '@waymark/domain/admin/commands';
import { COMMANDS as redirect } from '@waymark/redirect/admin/commands';
import { COMMANDS as resource } from '@waymark/resource/admin/commands';
import { PROCESSES } from '../../../../images/test/process-facts.js';
import { metricsInCode } from '../../../../k8s/test/metrics-in-code.js';
import { commandReference } from '@waymark/start/command-reference';
import { allPages, blocksOf, readPage } from './pages.js';

const COMMANDS_OF: Record<string, Record<string, unknown>> = { auth, resource, redirect, domain, analytics, audit };
const SCRIPTS = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;
const pages = allPages();

/** Returns the code in a text, inline and in blocks. */
const code = (text: string) => [
  ...blocksOf({ path: '', text }).map((block) => block.text.replaceAll('\\\n', ' ')),
  ...[...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, inline = '']) => inline),
];

/** Returns every use of a command in the pages, with its page. */
function usesOf(pattern: RegExp): { page: string; words: string[] }[] {
  return pages.flatMap(({ path, text }) =>
    code(text).flatMap((each) => [...each.matchAll(pattern)].map(([, ...words]) => ({ page: path, words }))),
  );
}

const missing = (uses: { page: string; words: string[] }[], isThere: (...words: string[]) => boolean) =>
  uses.filter(({ words }) => !isThere(...words)).map(({ page, words }) => `${page}: ${words.join(' ')}`);

test('every npm script that a page names exists', () => {
  const uses = usesOf(/npm (?:run (?:--silent )?)?((?<=run (?:--silent )?)[\w:]+|start|test)\b/g);
  expect(uses.length).toBeGreaterThan(30);
  expect(missing(uses, (script) => script in SCRIPTS)).toEqual([]);
});

test('every benchmark and fault that a page names exists, and the guides of both name all of them', () => {
  const benchmarks = usesOf(/npm run bench -- (\w+)/g);
  const faults = usesOf(/npm run faults -- ([\w-]+(?: [\w-]+)*)/g).flatMap(({ page, words: [names = ''] }) =>
    names.split(' ').map((name) => ({ page, words: [name] })),
  );
  expect(missing(benchmarks, (name) => name in BENCHMARKS)).toEqual([]);
  expect(missing(faults, (name) => name === 'all' || name in FAULTS)).toEqual([]);
  const named = new Set(benchmarks.filter(({ page }) => page === 'docs/contributing.md').map(({ words }) => words[0]));
  expect(Object.keys(BENCHMARKS).filter((name) => !named.has(name))).toEqual([]);
  const table = readPage('docs/faults.md').text;
  expect(Object.keys(FAULTS).filter((name) => !table.includes(`### \`${name}\`\n`))).toEqual([]);
});

test("every operator's command that a page names exists, in the container that the page names", () => {
  const inContainers = usesOf(
    /exec (?:-e \S+ )?(?:(?:deploy|statefulset)\/)?(\w+) (?:-- )?(?:env "[^"]+" )?waymark-admin ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)*)/gm,
  );
  const anywhere = usesOf(/(?:npm run --silent admin --|waymark-admin) ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)*)/g);
  expect(inContainers.length).toBeGreaterThan(6);
  expect(anywhere.length).toBeGreaterThan(20);
  const isIn = (service: string, command: string) => command in { ...COMMANDS_OF[service], ...PARKED_COMMANDS };
  expect(missing(inContainers, isIn)).toEqual([]);
  expect(missing(anywhere, (command) => Object.keys(COMMANDS_OF).some((service) => isIn(service, command)))).toEqual(
    [],
  );
});

test('the reference of the commands is the one of their definitions', () => {
  expect(readPage('docs/operations/commands.md').text).toBe(commandReference());
});

test('every program that a page starts exists', () => {
  const uses = usesOf(/\bnode ((?:deploy|services|gateway|shared)\/[\w./-]+)/g);
  const source = (path: string) => path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  expect(uses.length).toBeGreaterThan(8);
  expect(missing(uses, (path) => existsSync(join(ROOT, path)) || existsSync(join(ROOT, source(path))))).toEqual([]);
});

test('every file and folder of the project that a page names is there', () => {
  const uses = usesOf(/^((?:deploy|services|gateway|shared|docs)\/[\w./-]+)$/g);
  expect(uses.length).toBeGreaterThan(20);
  expect(missing(uses, (path) => path.includes('/dist/') || existsSync(join(ROOT, path)))).toEqual([]);
});

test("every process's README has the same seven headings, and tells of every variable that it reads", () => {
  const shared = readPage('docs/operations/operations.md').text;
  for (const { workspace, schema } of PROCESSES) {
    const { path, text } = readPage(`${workspace}/README.md`);
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect([path, ...headings]).toEqual([
      path,
      'Owns',
      'Routes',
      'Publishes',
      'Consumes',
      'Folders',
      'Environment',
      'Run',
    ]);
    const documented = `${text.split('## Environment')[1]}${shared}`;
    expect([path, ...Object.keys(schema.shape).filter((name) => !documented.includes(`\`${name}\``))]).toEqual([path]);
  }
});

test('the list of decisions has every one of them, by its title', () => {
  const titles = pages
    .filter(({ path }) => /^docs\/decisions\/\d/.test(path))
    .map(({ path, text }) => text.split('\n')[0]!.replace(/^# (\d+\.) (.*)$/, `$1 [$2](${basename(path)})`));
  const listed = readPage('docs/decisions/README.md').text.match(/^\d+\. (?!Replaced by ).*$/gm);
  expect(listed).toEqual(titles.sort((a, b) => parseInt(a) - parseInt(b)));
});

test('every metric that a page names is exposed by a process', () => {
  const metrics = [...metricsInCode().keys()];
  const uses = usesOf(/\b(waymark_[a-z_]+)\b/g);
  expect(uses.length).toBeGreaterThan(10);
  expect(missing(uses, (name) => metrics.some((each) => each === name || each.startsWith(`${name}_`)))).toEqual([]);
});

test('every link of a page leads to a file, and to a heading that is there', () => {
  const broken: string[] = [];
  for (const { path, text } of pages) {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)) {
      const [file = '', heading] = target.split('#');
      const page = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
      const isThere = existsSync(page) && (heading === undefined || headingsOf(page).includes(heading));
      if (!isThere) broken.push(`${path}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('every page of docs/ can be reached from the README', () => {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, target = ''] of readPage(path).text.matchAll(/\]\((?!https?:)([^)#]+\.md)(?:#[^)]*)?\)/g)) {
      visit(relative(ROOT, join(ROOT, dirname(path), target)));
    }
  };
  visit('README.md');
  const all = pages.map(({ path }) => path).filter((path) => /^docs\/(?!decisions\/)/.test(path));
  expect(all.filter((path) => !reached.has(path))).toEqual([]);
});

/** As the usual viewers of Markdown name them. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
