import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { TestServers } from './test-servers.mjs';

// Tests run on a real database, broker and ClickHouse of this run's own; jest's arguments may follow.
await prepare();
const servers = new TestServers();
await servers.listen();

// Ctrl-C in a terminal reaches jest's workers too. Elsewhere they form a process group with jest, which gets each signal.
const isInTerminal = process.stdin.isTTY === true;
const jest = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, WAYMARK_TEST_SERVERS: servers.folder },
  stdio: 'inherit',
  detached: !isInTerminal,
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (jest.pid !== undefined && jest.exitCode === null && jest.signalCode === null)
      process.kill(isInTerminal ? jest.pid : -jest.pid, signal);
  });
}
const code = await new Promise((resolve) => jest.on('exit', (status) => resolve(status ?? 1)));
await servers.stop();
process.exit(code);
