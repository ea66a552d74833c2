import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareClickHouse } from '@waymark/local/clickhouse';
import { ensureEnginePackage } from '@waymark/local/engine-package';
import { freePorts } from '@waymark/local/ports';
import type { ServerProcess } from '@waymark/local/server-process';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { createClient } from '@clickhouse/client';
import { batchOf, Harness, rawScan } from './harness';

jest.setTimeout(180_000);

let folder: string;
let server: ServerProcess;
let harness: Harness;
beforeAll(async () => {
  const packageFolder = await ensureEnginePackage(() => undefined);
  const [port] = (await freePorts(1)) as [number];
  folder = mkdtempSync(join(tmpdir(), 'waymark-clickhouse-'));
  server = prepareClickHouse({ folder: { inside: folder, outside: folder }, port, packageFolder });
  await server.start();
  process.env.CLICKHOUSE_URL = `http://127.0.0.1:${port}`;
  harness = new Harness();
  await harness.start();
});
afterAll(async () => {
  await harness.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const summary = async () => harness.get('/summary');
const totalScans = async () => (await summary()).body.data?.kpis.total_scans;
const oldestPending = () => harness.database.collection('pending_scans').findOne({}, { sort: { _id: 1 } });

async function send(count: number): Promise<void> {
  const before = await harness.countScans();
  await harness.publish(batchOf(Array.from({ length: count }, () => rawScan())));
  await waitFor('stored scans', async () => (await harness.countScans()) === before + count);
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'while the warehouse is away by %s scans are stored and announced, and all of them count afterwards',
  async (signal) => {
    await send(5);
    await harness.counted();
    const [before, announced] = [await totalScans(), harness.logged.length];
    server.signal(signal);
    await send(7);
    await send(8);
    await waitFor('announcements', () => harness.logged.length >= announced + 2);
    expect(await oldestPending()).not.toBeNull();
    if (signal === 'SIGKILL') {
      expect((await summary()).status).toBe(503);
      await server.stop();
      await server.start();
    } else server.signal('SIGCONT');
    await waitFor('every scan counts', async () => (await totalScans()) === before + 15);
    expect(await harness.database.collection('pending_scans_set_aside').countDocuments({})).toBe(0);
  },
);

test('a warehouse that has lost its database is created again and filled from the ledger', async () => {
  const before = await totalScans();
  const url = new URL(harness.backing.CLICKHOUSE_URL);
  const database = url.pathname.slice(1);
  const client = createClient({ url: url.origin });
  await client.command({ query: `DROP DATABASE \`${database}\`` });
  await client.close();
  await send(3);
  await waitFor('every scan counts', async () => (await totalScans()) === before + 3, 60_000);
  await waitFor('the fill has ended', async () => (await summary()).body.meta?.data_as_of !== null, 60_000);
  expect(await totalScans()).toBe(before + 3);
});
