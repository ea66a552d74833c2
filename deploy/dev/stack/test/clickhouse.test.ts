import { randomUUID } from 'node:crypto';
import { ClickHouseError, ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { startOwnClickHouse, type OwnClickHouse } from '@waymark/stack/own-clickhouse';
import { waitFor } from '@waymark/testing/wait-for';

/** Does not end within a test. */
const ENDLESS = 'SELECT count() FROM numbers(1000000000000) WHERE cityHash64(number) % 3 = 0';

const progress: string[] = [];
let own: OwnClickHouse;
let client: ClickHouseClient;
let url: string;
beforeAll(async () => {
  own = await startOwnClickHouse((line) => progress.push(line));
  url = own.url;
  client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } });
  await client.command({ query: 'CREATE DATABASE shop' });
  await client.command({
    query: 'CREATE TABLE shop.rows (id String, n UInt32) ENGINE = ReplacingMergeTree(n) ORDER BY id',
  });
});
afterAll(async () => {
  await client?.close();
  await own?.remove();
});

async function rowsOf<T>(query: string, options: object = {}): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow', ...options });
  return result.json<T>();
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof ClickHouseError ? error.code : String(error)),
  );

const processIds = async (): Promise<string[]> =>
  (await rowsOf<{ id: string }>("SELECT Settings['log_comment'] AS id FROM system.processes")).map(({ id }) => id);

test('binds the parameters of concurrent statements separately, with any characters', async () => {
  const texts = ["it's", 'a\\b', 'tab\tline\n', 'ü ☃', "'; DROP TABLE shop.rows --", '{x:String}', ''];
  const asked = Array.from({ length: 40 }, (_, index) => `${texts[index % texts.length]}${index}`);
  const answers = await Promise.all(
    asked.map((text) => rowsOf<{ text: string }>('SELECT {text:String} AS text', { query_params: { text } })),
  );
  expect(answers.map(([row]) => row!.text)).toEqual(asked);
  expect(await codeOf(rowsOf('SELECT {text:String}'))).toBe('456');
});

test('takes parameters of 80 kilobytes', async () => {
  const ids = Array.from({ length: 2000 }, () => `scn_${randomUUID()}`);
  const query = 'SELECT length({ids:Array(String)}) AS ids';
  expect(await rowsOf(query, { query_params: { ids } })).toEqual([{ ids: 2000 }]);
});

test('inserts JSON rows into the database that the request names, and keeps its settings to that request', async () => {
  const shop = createClient({ url: `${url}/shop` });
  const values = [
    { id: 'a; b', n: 1 },
    { id: "it's", n: 2 },
  ];
  await shop.insert({ table: 'rows', values, format: 'JSONEachRow', clickhouse_settings: { max_threads: 1 } });
  const result = await shop.query({ query: 'SELECT * FROM rows ORDER BY n', format: 'JSONEachRow' });
  expect(await result.json()).toEqual(values);
  const [setting] = await rowsOf<{ changed: number }>("SELECT changed FROM system.settings WHERE name = 'max_threads'");
  expect(setting!.changed).toBe(0);
  await shop.close();
});

test('answers errors with the codes of ClickHouse', async () => {
  expect(await codeOf(rowsOf('SELEC 1'))).toBe('62');
  expect(await codeOf(rowsOf('SELECT * FROM shop.nowhere'))).toBe('60');
  expect(await codeOf(rowsOf('SELECT 1', { clickhouse_settings: { no_such_setting: 1 } }))).toBe('115');
  const limits = { max_memory_usage: '50000000' };
  expect(await codeOf(rowsOf('SELECT uniqExact(number) FROM numbers(20000000)', { clickhouse_settings: limits }))).toBe(
    '241',
  );
  expect(await codeOf(rowsOf(ENDLESS, { clickhouse_settings: { max_execution_time: 1 } }))).toBe('159');
  expect(await codeOf(rowsOf('SELECT 1; SELECT 2'))).toBe('62');
});

test('streams rows of a large result, and cuts the connection on a failure in the middle unless told to wait', async () => {
  const count = 300_000;
  const result = await client.query({ query: `SELECT number FROM numbers(${count})`, format: 'JSONEachRow' });
  let rows = 0;
  for await (const chunk of result.stream()) rows += chunk.length;
  expect(rows).toBe(count);
  const failing = `SELECT number, throwIf(number = ${count}) FROM numbers(1000000) SETTINGS max_block_size = 1000`;
  await expect(rowsOf(failing)).rejects.toThrow();
  expect(await codeOf(rowsOf(failing, { clickhouse_settings: { wait_end_of_query: 1 } }))).toBe('395');
});

test('ends a statement by KILL QUERY and its query id', async () => {
  const query_id = randomUUID();
  const code = codeOf(rowsOf(ENDLESS, { query_id }));
  await waitFor('the query to run', async () => (await processIds()).includes(query_id));
  expect(await codeOf(rowsOf('SELECT 1', { query_id }))).toBe('216');
  await client.command({ query: 'KILL QUERY WHERE query_id = {id:String}', query_params: { id: query_id } });
  expect(await code).toBe('394');
});

test('ends a statement whose client has gone away when the request asks for that', async () => {
  const query_id = randomUUID();
  const abort = new AbortController();
  const settings = { cancel_http_readonly_queries_on_client_close: 1 };
  const answer = codeOf(rowsOf(ENDLESS, { query_id, abort_signal: abort.signal, clickhouse_settings: settings }));
  await waitFor('the query to run', async () => (await processIds()).includes(query_id));
  abort.abort();
  await answer;
  await waitFor('the end of the query', async () => !(await processIds()).includes(query_id));
});

test('has every acknowledged row after SIGKILL in the middle of inserts', async () => {
  const acknowledged: string[] = [];
  const inserting = (async () => {
    for (let n = 0; ; n += 1) {
      const values = Array.from({ length: 50 }, (_, index) => ({ id: `kill-${n}-${index}`, n }));
      await client.insert({ table: 'shop.rows', values, format: 'JSONEachRow' });
      acknowledged.push(...values.map(({ id }) => id));
    }
  })().catch(() => undefined);
  await waitFor('acknowledgements', () => acknowledged.length >= 500);
  own.server.signal('SIGKILL');
  await inserting;
  await own.server.stop();
  await own.server.start();
  const kept = await rowsOf<{ id: string }>("SELECT id FROM shop.rows FINAL WHERE startsWith(id, 'kill-')");
  const ids = new Set(kept.map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
});

test('restarts with its rows after a crash, and reports how it ended', async () => {
  await client.insert({ table: 'shop.rows', values: [{ id: 'crash', n: 1 }], format: 'JSONEachRow' });
  const [crashed] = own.server.pids();
  process.kill(crashed!, 'SIGKILL');
  const kept = () => rowsOf("SELECT id FROM shop.rows WHERE id = 'crash'").catch(() => []);
  await waitFor('the kept row', async () => (await kept()).length === 1);
  expect(own.server.pids()).not.toContain(crashed);
  expect(progress).toEqual(['the local ClickHouse ended with SIGKILL and starts again']);
});

test('is bounded in memory', async () => {
  const [setting] = await rowsOf<{ value: string }>(
    "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'",
  );
  expect(Number(setting!.value)).toBeLessThanOrEqual(2_000_000_000);
});
