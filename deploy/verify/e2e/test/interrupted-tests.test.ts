import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { waitFor } from '@waymark/testing/wait-for';

const folder = mkdtempSync(join(tmpdir(), 'waymark-interrupted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('SIGTERM ends a test run with its workers', async () => {
  const pids = join(folder, 'pids');
  mkdirSync(pids);
  const endless = `
    require('node:fs').writeFileSync(${JSON.stringify(pids)} + '/' + process.pid, '');
    test('goes on', () => new Promise((resolve) => setTimeout(resolve, 600_000)), 600_000);
  `;
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.test.js`), endless);
  const config = JSON.stringify({ rootDir: folder, maxWorkers: 2 });
  const run = spawn(process.execPath, [join(ROOT, 'deploy/dev/bin/test.mjs'), '--config', config], { stdio: 'ignore' });
  const ended = once(run, 'exit');
  await waitFor('both workers', () => readdirSync(pids).length === 2);
  run.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  await waitFor('the workers to end', () => {
    for (const pid of readdirSync(pids)) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    return true;
  });
});
