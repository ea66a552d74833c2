import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROBLEM_CODES } from '@waymark/contract/problem-codes';
import { STATUS_OF } from '@waymark/kernel/errors';
import { freePorts } from '@waymark/stack/ports';
import { startSystem, type RunningSystem } from '../system.js';
import { blocksOf, readPage, type Block } from './pages.js';

const MARK = '\u0001';
const ENOUGH_MS = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'waymark-tutorial-'));
let running: RunningSystem;
let receiverPort: number;

beforeAll(async () => {
  running = await startSystem('links');
  [receiverPort] = (await freePorts(1)) as [number];
  writeFileSync(join(folder, 'demo.json'), JSON.stringify(running.demo));
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces the addresses and the folder with this test's; the rest is as on the page. */
function here(text: string): string {
  return text
    .replaceAll('http://127.0.0.1:8080', running.demo.base_url)
    .replaceAll('http://127.0.0.1:8090', running.demo.short_url)
    .replaceAll('9100', String(receiverPort))
    .replaceAll('./.local/demo.links.json', './demo.json');
}

/** Runs the commands in one shell, and ends the processes that they leave behind; @returns the output of each block */
async function runAll(commands: string[]): Promise<string[]> {
  const script = commands.map((text) => `${text}\nprintf '${MARK}'\n`).join('');
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endAll = () => process.kill(-shell.pid!, 'SIGKILL');
  const deadline = setTimeout(endAll, ENOUGH_MS);
  let [output, errors] = ['', ''];
  shell.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  shell.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  // Its background processes would continue.
  shell.once('exit', (exitCode) => exitCode && endAll());
  const code = await new Promise<number | null>((resolve) => shell.once('close', resolve));
  clearTimeout(deadline);
  if (code !== 0) throw new Error(`${code === null ? 'no end' : `exit ${code}`} after ${output}: ${errors}`);
  return output.split(MARK).slice(0, -1);
}

/** The page may abbreviate: `…` matches any text, and an object may have more fields. */
function asShown(shown: unknown): unknown {
  if (typeof shown === 'string') return shown.endsWith('…') ? expect.stringContaining(shown.slice(0, -1)) : shown;
  if (Array.isArray(shown)) return shown.map(asShown);
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(Object.fromEntries(Object.entries(shown).map(([key, of]) => [key, asShown(of)])));
}

interface Checked {
  printed: string;
  compared: number;
}

/** Runs every command of the page in one shell, and compares what each block of commands prints with the block after it. */
async function checkPage(path: string): Promise<Checked> {
  const blocks = blocksOf(readPage(path));
  const isRun = ({ language, text }: Block) => language === 'sh' && text.trim() !== 'npm start';
  const printed = await runAll(blocks.filter(isRun).map(({ text }) => here(text)));
  let index = -1;
  let compared = 0;
  for (const block of blocks) {
    if (isRun(block)) index += 1;
    if (!['json', 'text'].includes(block.language)) continue;
    const lines = printed[index]!.trim().split('\n');
    if (block.language === 'json') expect(JSON.parse(lines.at(-1)!)).toEqual(asShown(JSON.parse(here(block.text))));
    else expect(lines).toEqual(here(block.text).trim().split('\n').map(asShown));
    compared += 1;
  }
  return { printed: printed.join(''), compared };
}

test('every command of the tutorial works as it stands there, and answers what is shown', async () => {
  const { printed, compared } = await checkPage('docs/tutorial.md');
  expect(compared).toBeGreaterThan(8);
  expect(printed).toContain('302 https://example.com/spring?');
  expect(printed).toMatch(/^410$/m);
});

test.each(readdirSync(join(__dirname, '../../../../../docs/guides')))(
  'every command of the guide %s works as it stands there, and answers what is shown',
  async (page) => {
    expect((await checkPage(`docs/guides/${page}`)).compared).toBeGreaterThan(1);
  },
);

test('the guide to errors has every code, with its status', () => {
  const { text: page } = readPage('docs/guides/errors.md');
  for (const [code, status] of Object.entries(STATUS_OF))
    expect(page).toMatch(new RegExp(`^\\| \`${code}\` +\\| ${status} `, 'm'));
  for (const code of Object.keys(PROBLEM_CODES)) expect(page).toMatch(new RegExp(`^\\| \`${code}\` +\\| `, 'm'));
});
