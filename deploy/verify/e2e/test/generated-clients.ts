import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import type { Demo } from '@waymark/start/demo';

/** The names that both generators make of the operations and schemas of a deployment. */
const NAMES = {
  links: { operations: 'links', item: 'Link', summary: 'analyticsSummary' },
  qr: { operations: 'qrCodes', item: 'QrCode', summary: 'analyticsQrSummary' },
};

/** Compiled with the checks that a careful user has, and with the DOM's types, as by default. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2023',
    module: 'commonjs',
    moduleResolution: 'bundler',
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

/** Makes clients of the running system by other projects' generators, compiles them and uses each; @returns what each printed */
export async function useGeneratedClients(demo: Demo): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-generated-'));
  try {
    const described = await fetch(`${demo.base_url}/api/v1/openapi.json`);
    writeFileSync(join(folder, 'openapi.json'), await described.text());
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    generate(folder, demo.base_url);
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src/hey-api.ts'), heyApiProgram(demo));
    writeFileSync(join(folder, 'src/orval.ts'), orvalProgram(demo));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    run(folder, 'typescript/bin/tsc', '--project', '.');
    const printed = ['hey-api', 'orval'].map((name) => [name, JSON.parse(run(folder, `../dist/${name}.js`))]);
    return Object.fromEntries(printed) as Record<string, unknown>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function generate(folder: string, baseUrl: string): void {
  const output = { target: 'src/by-orval.ts', client: 'fetch', mode: 'single', baseUrl };
  const orval = { api: { input: { target: 'openapi.json' }, output } };
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(orval)};\n`);
  run(folder, 'orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs');
  const options = ['--input', 'openapi.json', '--output', 'src/by-hey-api', '--client', '@hey-api/client-fetch'];
  run(folder, '@hey-api/openapi-ts/bin/run.js', ...options, '--no-log-file');
}

/** Runs a program of an installed package; @returns what it printed */
function run(folder: string, program: string, ...args: string[]): string {
  const path = join(folder, 'node_modules', program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** What a program does with either client. `call` has its answer as a status and a body. */
const USE = `
async function use() {
  const first: ItemCreate = { title: 'First', destination_url: 'https://example.com/first' };
  const created = expected(201, await create(first));
  expected(201, await create({ title: 'Second', destination_url: 'https://example.com/second' }));
  const page: ItemPage = expected(200, await list({ per_page: 1 }));
  const cursor = page.meta.next_cursor ?? undefined;
  const next: ItemPage = expected(200, await list({ per_page: 1, cursor }));
  const { id } = created.data;
  const changed: Item = expected(200, await update(id, { title: 'Changed' })).data;
  const shown: Item = expected(200, await show(id)).data;
  const { data: figures } = expected(200, await summary());
  const problems: Problem[] | undefined = (await refused({ destination_url: 'nowhere' })).error.problems;
  const deleted = await remove(id);
  console.log(JSON.stringify({
    pages: [page, next].map(({ data }) => data.length),
    are_pages_different: page.data[0]?.id !== next.data[0]?.id,
    titles: [created.data.title, changed.title, shown.title],
    scans: figures.kpis.total_scans,
    problems: problems?.map(({ field, code }) => [field, code]),
    deleted,
  }));
}
void use();
`;

const settingsOf = ({ base_url, workspace, users }: Demo): string =>
  `const settings = ${JSON.stringify({ baseUrl: base_url, workspace, token: users['owner']!.token })};\n`;

function heyApiProgram(demo: Demo): string {
  const { operations, item, summary } = NAMES[demo.deployment];
  return `
import { client } from './by-hey-api/client.gen';
import * as api from './by-hey-api';
import type { ${item} as Item, ${item}Create as ItemCreate, ${item}Update, ${item}Page as ItemPage, ErrorResponse, Problem } from './by-hey-api';

${settingsOf(demo)}
client.setConfig({ baseUrl: settings.baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? settings.token : undefined) });
const path = { workspace: settings.workspace };

function expected<T>(status: number, { data, error, response }: { data?: T; error?: unknown; response?: Response }): T {
  if (response?.status !== status || data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
const create = (body: ItemCreate) => api.${operations}Create({ path, body });
const list = (query: { per_page: number; cursor?: string }) => api.${operations}List({ path, query });
const show = (id: string) => api.${operations}Show({ path: { ...path, id } });
const update = (id: string, body: ${item}Update) => api.${operations}Update({ path: { ...path, id }, body });
const remove = async (id: string) => (await api.${operations}Delete({ path: { ...path, id } })).response?.status;
const summary = () => api.${summary}({ path, query: { timezone: 'UTC' } });
async function refused(body: ItemCreate): Promise<ErrorResponse> {
  const { error, response } = await create(body);
  if (response?.status !== 422 || error === undefined) throw new Error('not refused');
  return error;
}
${USE}`;
}

function orvalProgram(demo: Demo): string {
  const { operations, item, summary } = NAMES[demo.deployment];
  return `
import * as api from './by-orval';
import type { ${item} as Item, ${item}Create as ItemCreate, ${item}Update, ${item}Page as ItemPage, ErrorResponse, Problem } from './by-orval';

${settingsOf(demo)}
const { workspace } = settings;
const init = { headers: { Authorization: \`Bearer \${settings.token}\` } };

type With<A, S> = Extract<A, { status: S }> extends { data: infer T } ? T : never;
function expected<A extends { status: number; data: unknown }, S extends number>(status: S, answer: A): With<A, S> {
  if (answer.status !== status) throw new Error(JSON.stringify(answer));
  return answer.data as With<A, S>;
}
const create = (body: ItemCreate) => api.${operations}Create(workspace, body, init);
const list = (query: { per_page: number; cursor?: string }) => api.${operations}List(workspace, query, init);
const show = (id: string) => api.${operations}Show(workspace, id, init);
const update = (id: string, body: ${item}Update) => api.${operations}Update(workspace, id, body, init);
const remove = async (id: string) => (await api.${operations}Delete(workspace, id, init)).status;
const summary = () => api.${summary}(workspace, { timezone: 'UTC' }, init);
async function refused(body: ItemCreate): Promise<ErrorResponse> {
  const answer = await create(body);
  if (answer.status !== 422) throw new Error('not refused');
  return answer.data;
}
${USE}`;
}
