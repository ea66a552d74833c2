import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

// Every test runs on a real database, broker and ClickHouse of this run's own; jest's arguments may follow.
prepare();
const { openStack } = createRequire(import.meta.url)(join(root, 'deploy/local/dist/stack.js'));

let stack;
try {
  stack = await openStack({ name: 'test', fresh: true, progress: (line) => console.error(line) });
} catch (error) {
  fail(error.message);
}

const { mongoUri, amqpUrl, clickHouseUrl } = stack;
const env = { ...process.env, MONGODB_URI: mongoUri, AMQP_URL: amqpUrl, CLICKHOUSE_URL: clickHouseUrl };
const jest = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
const code = await new Promise((resolve) => jest.on('exit', (status) => resolve(status ?? 1)));
await stack.stop();
process.exit(code);
