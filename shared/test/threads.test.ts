import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const folder = mkdtempSync(join(tmpdir(), 'threads-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A process as `runProcess` makes them, with a thread that does this. */
function processWithThread(work: string) {
  const script = (name: string, source: string) => {
    writeFileSync(join(folder, name), source);
    return join(folder, name);
  };
  const kernel = (module: string) => JSON.stringify(join(__dirname, '../dist/kernel', module));
  const thread = script(
    'thread.cjs',
    `const { runThread } = require(${kernel('threads')});
     const { processConfig } = require(${kernel('config')});
     runThread('example', processConfig, async ({ lifecycle, log }) => { ${work} });`,
  );
  const main = script(
    'main.cjs',
    `const { runProcess } = require(${kernel('lifecycle')});
     const { startThread } = require(${kernel('threads')});
     const { processConfig } = require(${kernel('config')});
     runProcess('example', processConfig, async ({ lifecycle }) => startThread(${JSON.stringify(thread)}, lifecycle));`,
  );
  const env = { PATH: process.env['PATH'], DEPLOYMENT: 'links', OPS_PORT: '0' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, ended: Promise.all([once(child, 'exit'), text(child.stdout)]) };
}

test('a stop waits until the thread has stopped', async () => {
  const { child, ended } = processWithThread(
    `lifecycle.onStop('slow', () => new Promise((resolve) => setTimeout(resolve, 300)));
     lifecycle.onStop('told', () => log.info('thread stopping'));
     log.info('thread started');`,
  );
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => chunk.includes('thread started') && resolve());
  });
  const stoppedAt = Date.now();
  child.kill('SIGTERM');
  const [[exitCode], log] = await ended;
  expect({ exitCode, waited: Date.now() - stoppedAt >= 300 }).toEqual({ exitCode: 0, waited: true });
  expect(log).toContain('thread stopping');
});

test.each([
  ['fails to start', `throw new Error('no good')`],
  ['fails later', `setTimeout(() => { throw new Error('no good') }, 50)`],
  ['ends by itself', `process.exit(0)`],
])('a thread that %s ends the process', async (_, work) => {
  const { ended } = processWithThread(work);
  const [[exitCode], log] = await ended;
  expect(exitCode).toBe(1);
  expect(log).toMatch(/no good|has ended/);
});
