import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '@waymark/testing/wait-for';

const kernel = (module: string): string => JSON.stringify(require.resolve(`../dist/process/${module}.js`));
/** A process that logs 32 MiB, then says on stderr how many lines it dropped, and what waits in its memory. */
const LOGGING = `
  const { runProcess } = require(${kernel('lifecycle')});
  const { processConfig } = require(${kernel('config')});
  const { Metrics } = require(${kernel('metrics')});
  const metrics = new Metrics('test');
  runProcess('test', processConfig, async ({ log, lifecycle }) => {
    lifecycle.stopDeadlineMs = 1000;
    // Keeps the process alive until a signal stops it, as a server does.
    setInterval(() => {}, 1000);
    if (process.env.HANGS) lifecycle.onStop('hanging', () => new Promise(() => setInterval(() => {}, 1000)));
    for (let line = 0; line < 32 * 1024; line += 1) log.info({ text: 'x'.repeat(1024) }, 'line');
    const { values } = await metrics.registry.getSingleMetric('waymark_log_lines_dropped_total').get();
    process.stderr.write('dropped ' + values[0].value);
    if (process.env.CRASHES) setImmediate(() => { throw new Error('crashed'); });
  });
`;
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** Its stdout is a pipe that the test does not read. */
async function startLogging(env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['-e', LOGGING], {
    env: { ...process.env, HOST: '127.0.0.1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const exit = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  await waitFor('the lines to be logged', () => said.startsWith('dropped'));
  return { child, exit, dropped: Number(said.split(' ')[1]) };
}

test('a log whose reader is stalled drops and counts the lines beyond 8 MiB', async () => {
  const { child, dropped } = await startLogging();
  let lines = 0;
  let tail = '';
  child.stdout.on('data', (data: Buffer) => {
    const parts = (tail + data.toString()).split('\n');
    tail = parts.pop()!;
    lines += parts.filter((part) => part.includes('"msg":"line"')).length;
  });
  child.kill('SIGTERM');
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  expect(dropped).toBeGreaterThan(20 * 1024);
  expect(lines).toBe(32 * 1024 - dropped);
});

test.each([
  ['is stopped', {}, true],
  ['passes its stop deadline', { HANGS: '1' }, true],
  ['crashes', { CRASHES: '1' }, false],
])('a process whose log is not read ends when it %s', async (_name, env, isSignalled) => {
  const { child, exit } = await startLogging(env);
  if (isSignalled) child.kill('SIGTERM');
  await exit;
  expect(child.signalCode).toBe('SIGKILL');
});

test('a process whose log reader is gone exits with the code of its end', async () => {
  const { child, exit } = await startLogging();
  child.stdout.destroy();
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
