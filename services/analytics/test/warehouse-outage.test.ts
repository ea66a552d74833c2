import { startOwnClickHouse, type OwnClickHouse } from '@waymark/stack/own-clickhouse';
import { waitFor } from '@waymark/testing/wait-for';
import { createClient } from '@clickhouse/client';
import { batchOf, Harness, rawScan } from './harness.js';

let own: OwnClickHouse;
let harness: Harness;
beforeAll(async () => {
  own = await startOwnClickHouse();
  process.env.CLICKHOUSE_URL = own.url;
  harness = new Harness();
  await harness.start();
});
afterAll(async () => {
  await harness.stop();
  await own.remove();
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
  'scans are stored and published during an outage of the warehouse by %s, and all of them count afterwards',
  async (signal) => {
    await send(5);
    await harness.counted();
    const [before, announced] = [await totalScans(), harness.logged.length];
    own.server.signal(signal);
    await send(7);
    await send(8);
    await waitFor('announcements', () => harness.logged.length >= announced + 2);
    expect(await oldestPending()).not.toBeNull();
    if (signal === 'SIGKILL') {
      expect((await summary()).status).toBe(503);
      await own.server.stop();
      await own.server.start();
    } else own.server.signal('SIGCONT');
    await waitFor('every scan counts', async () => (await totalScans()) === before + 15);
    expect(await harness.database.collection('pending_scans_set_aside').countDocuments({})).toBe(0);
  },
);

test('a warehouse that has lost its database is recreated and filled from the ledger', async () => {
  const before = await totalScans();
  const url = new URL(harness.backing.CLICKHOUSE_URL);
  const database = url.pathname.slice(1);
  const client = createClient({ url: url.origin });
  await client.command({ query: `DROP DATABASE \`${database}\`` });
  await client.close();
  await send(3);
  await waitFor('every scan counts', async () => (await totalScans()) === before + 3);
  await waitFor('the fill has ended', async () => (await summary()).body.meta?.data_as_of !== null);
  expect(await totalScans()).toBe(before + 3);
});
