import { fork } from 'node:child_process';
import { join } from 'node:path';
import { waitFor } from '@waymark/testing/wait-for';
import { loggedScan, scanEvent, Stack } from './stack.js';

const HEAP_MB = 100;
const ENDPOINTS = 20;
const MESSAGES = 3;
const SCANS = 500;
const TITLE = 'x'.repeat(4000);
/** Without it the process would go on for minutes at full load after a test run that was killed. */
const END_WITH_PARENT = 'data:text/javascript,process.once("disconnect",()=>process.exit())';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

test('a process with a small heap stores full batches for every endpoint, also those that a killed one has begun', async () => {
  for (let i = 0; i < ENDPOINTS; i += 1) {
    await stack.subscribe(`https://hooks-${i}.example.com/`, 'busy', ['scan.logged']);
  }
  await stack.stopServices();
  for (let i = 0; i < MESSAGES; i += 1) await stack.publish(scanEvent(Array.from({ length: SCANS }, titledScan)));
  const stored = () => stack.database.collection('attempts').countDocuments({ number: 1 });
  const total = ENDPOINTS * MESSAGES * SCANS;

  const killed = startProcess();
  expect(await Promise.race([waitFor('some', async () => (await stored()) > 0), killed.ended])).toBe(true);
  killed.process.kill('SIGKILL');
  await killed.ended;
  expect(await stored()).toBeLessThan(total);

  const next = startProcess();
  expect(await Promise.race([waitFor('all', async () => (await stored()) === total, 240_000), next.ended])).toBe(true);
  next.process.kill('SIGTERM');
  await next.ended;
});

function startProcess() {
  const env = { ...process.env, ...stack.settings, HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' };
  const execArgv = [`--max-old-space-size=${HEAP_MB}`, '--import', END_WITH_PARENT];
  const child = fork(join(__dirname, '../dist/main.js'), { env, execArgv, stdio: 'ignore' });
  const ended = new Promise<string>((resolve) => child.once('exit', () => resolve('the process ended')));
  return { process: child, ended };
}

function titledScan() {
  const logged = loggedScan('busy');
  return { ...logged, link: { ...logged.link, title: TITLE } };
}
