import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Servers {
  MONGODB_URI: string;
  AMQP_URL: string;
  CLICKHOUSE_URL: string;
}

/** Copies the answer of the run's process; waits for the servers to start. */
const ASK = `require('node:net').connect(process.argv[1]).pipe(process.stdout)`;

/**
 * Returns the servers of the test run, also in the environment for child processes. The first test that calls it starts
 * them (see `deploy/dev/bin/test-servers.mjs`); a test that does not call it runs without them. A test file may name
 * a server of its own in its environment.
 */
export function testServers(): Servers {
  const { env } = process;
  if (!env['MONGODB_URI'] || !env['AMQP_URL']) {
    if (!env['WAYMARK_TEST_SERVERS']) throw new Error('There are no servers: run the tests with `npm test`');
    const servers = JSON.parse(answerOf(env['WAYMARK_TEST_SERVERS'])) as Servers & { error?: string };
    if (servers.error) throw new Error(servers.error);
    for (const [name, value] of Object.entries(servers)) env[name] ??= value;
  }
  const { MONGODB_URI, AMQP_URL, CLICKHOUSE_URL = 'http://127.0.0.1:8123' } = env as Partial<Servers>;
  return { MONGODB_URI: MONGODB_URI!, AMQP_URL: AMQP_URL!, CLICKHOUSE_URL };
}

function answerOf(folder: string): string {
  const known = join(folder, 'servers.json');
  if (existsSync(known)) return readFileSync(known, 'utf8');
  return execFileSync(process.execPath, ['-e', ASK, join(folder, 'ask')], { encoding: 'utf8' });
}
