import { Lease } from '@waymark/kernel/mongo/lease';
import { createLog } from '@waymark/kernel/process/log';
import { migrate, StoreIsNewer, type Migration } from '@waymark/kernel/mongo/migrations';
import { freshBacking } from '@waymark/testing/backing';
import { MIGRATIONS, warehouseJournal } from '@waymark/analytics/warehouse/schema';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

const backing = freshBacking();
const log = createLog('test', 'silent');
let first: OpenWarehouse;
beforeAll(async () => {
  first = await openWarehouse(backing);
});
afterAll(() => first.close());

const journalOf = ({ warehouse }: OpenWarehouse) => warehouseJournal(warehouse);
const runOf = (open: OpenWarehouse, migrations: Migration<null>[]) =>
  migrate({ store: null, journal: journalOf(open), migrations, lease: new Lease(open.db, 'test'), log });
const released: Migration<null>[] = MIGRATIONS.map(({ number, name }) => ({ number, name, run: async () => {} }));

test('concurrent processes on an empty store run each migration once', async () => {
  const fresh = freshBacking();
  const opened = await Promise.all([1, 2, 3].map(() => openWarehouse(fresh)));
  expect(opened.every(({ warehouse }) => warehouse.isReady)).toBe(true);
  const { client } = opened[0]!.warehouse;
  const rows = await client.query({ query: 'SELECT number FROM migrations ORDER BY number', format: 'JSONEachRow' });
  expect(await rows.json()).toEqual(MIGRATIONS.map(({ number }) => ({ number })));
  const [one, ...others] = opened;
  for (const each of others) await each.lifecycle.stop();
  await one!.close();
});

test('the next run repeats a failed migration but not those before it', async () => {
  const runs: string[] = [];
  let fails = true;
  const failing = (): Promise<void> => {
    runs.push('failing');
    return fails ? Promise.reject(new Error('broken')) : Promise.resolve();
  };
  const next = MIGRATIONS.length + 1;
  const migrations = [
    ...released,
    { number: next, name: 'before', run: () => Promise.resolve(void runs.push('before')) },
    { number: next + 1, name: 'failing', run: failing },
  ];
  await expect(runOf(first, migrations)).rejects.toThrow('broken');
  fails = false;
  await expect(runOf(first, migrations)).resolves.toBe(true);
  await expect(runOf(first, migrations)).resolves.toBe(true);
  expect(runs).toEqual(['before', 'failing', 'failing']);
});

test('a store with a migration of a newer version is rejected', async () => {
  await expect(runOf(first, released)).rejects.toThrow(StoreIsNewer);
});

test('a gap in the migration numbers is rejected', async () => {
  await expect(runOf(first, [{ number: 2, name: 'gap', run: async () => {} }])).rejects.toThrow(/numbered/);
});

test('a migration waits while another process holds the lease', async () => {
  const other = new Lease(first.db, 'test');
  await other.acquire(60_000);
  const next = MIGRATIONS.length + 3;
  const names = ['before', 'failing', 'later'];
  const all = [...released, ...names.map((name, index) => ({ number: next - 2 + index, name, run: async () => {} }))];
  await expect(runOf(first, all)).resolves.toBe(false);
  await other.release();
  await expect(runOf(first, all)).resolves.toBe(true);
});

test('scans loaded before the column of visits have the same visits as later ones', async () => {
  const store = { client: first.warehouse.client, cluster: undefined };
  const insert = (id: string, visitor: string) =>
    store.client.command({
      query: `INSERT INTO scans (workspace, at, link_id, id, visitor_hex)
        VALUES ('acme', '2026-03-29 23:59:59.999', 'lnk_1', {id:String}, {visitor:String})`,
      query_params: { id, visitor },
    });
  const [anybody, nobody] = ['000102030405060708090A0B0C0D0E0F', '0'.repeat(32)];
  await store.client.command({ query: 'ALTER TABLE scans DROP COLUMN visit' });
  await insert('old', anybody);
  await insert('old without visitor', nobody);
  await MIGRATIONS.find(({ name }) => name === 'visits')!.run(store, log);
  await insert('new', anybody);
  const visits = await store.client.query({
    query: 'SELECT id, toString(visit) AS visit FROM scans ORDER BY id',
    format: 'JSONEachRow',
  });
  const [later, old, none] = await visits.json<{ id: string; visit: string }>();
  expect([later!.id, old!.visit, none!.visit]).toEqual(['new', later!.visit, '0']);
  expect(later!.visit).not.toBe('0');
});
