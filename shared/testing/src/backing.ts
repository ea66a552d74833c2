import { randomBytes } from 'node:crypto';
import { testServers } from './servers.js';

/** Read by `deploy/dev/bin/test-environment.cjs`. A test file uses one server. */
const noted = globalThis as { testDatabases?: { server: string; names: string[] } };

/**
 * Returns settings for a database and a broker namespace of this test only, on the servers of the test run. The database
 * is dropped at the end of the test file.
 */
export function freshBacking() {
  const { MONGODB_URI, AMQP_URL, CLICKHOUSE_URL } = testServers();
  const name = `test-${randomBytes(6).toString('hex')}`;
  (noted.testDatabases ??= { server: MONGODB_URI, names: [] }).names.push(name);
  // The queues of services that a test does not start would stay on the broker for nothing.
  return {
    MONGODB_URI: databaseUri(MONGODB_URI, name),
    CLICKHOUSE_URL: databaseUri(CLICKHOUSE_URL, name),
    AMQP_URL,
    AMQP_NAMESPACE: name,
    AMQP_DECLARE: 'own',
  };
}

/** The same server, another database. */
export function databaseUri(uri: string, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${database}`;
  return url.href;
}
