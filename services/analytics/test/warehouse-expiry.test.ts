import type { SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import {
  expireWarehouse,
  startWarehouseExpiry,
  type ExpiryContext,
} from '@waymark/analytics/retention/expire-warehouse';
import { RetentionStore } from '@waymark/analytics/retention/retention-store';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

let open: OpenWarehouse;
let ctx: ExpiryContext;
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    ctx = { db, retention: new RetentionStore(db) } as ExpiryContext;
  });
  ctx.warehouse = open.warehouse;
});
afterAll(() => open.close());

const insert = (workspace: string, times: string[]) =>
  open.warehouse.client.insert({
    table: 'scans',
    values: times.map((at) => ({ workspace, at, id: `scn_${workspace}_${at}`, version: 1 })),
    format: 'JSONEachRow',
  });

async function timesOf(workspace: string): Promise<string[]> {
  const query = 'SELECT toString(at) AS at FROM scans FINAL WHERE workspace = {workspace:String} ORDER BY at';
  const result = await open.warehouse.client.query({ query, query_params: { workspace }, format: 'JSONEachRow' });
  return (await result.json<{ at: string }>()).map(({ at }) => at);
}

const BEFORE = '2026-05-15 23:59:59.999';
const FROM = '2026-05-16 00:00:00.000';

const rethrow: SkipItem = (error) => {
  throw error;
};
const expire = () => expireWarehouse(ctx, '', rethrow);

test('the expiry deletes the scans of a workspace from before its first kept day', async () => {
  for (const workspace of ['free', 'free-too', 'pro', 'unlimited']) await insert(workspace, [BEFORE, FROM]);
  await ctx.retention.raiseKeptFrom('free', new Date('2026-05-16T00:00:00.000Z'));
  await ctx.retention.raiseKeptFrom('free-too', new Date('2026-05-16T00:00:00.000Z'));
  await ctx.retention.raiseKeptFrom('pro', new Date('2025-06-15T00:00:00.000Z'));
  expect(await expire()).toBe('pro');
  for (const workspace of ['free', 'free-too'])
    await waitFor('the deletion', async () => (await timesOf(workspace)).length === 1);
  const kept = await Promise.all(['free', 'free-too', 'pro', 'unlimited'].map(timesOf));
  expect(kept).toEqual([[FROM], [FROM], [BEFORE, FROM], [BEFORE, FROM]]);
});

test('the expiry skips a workspace until its first kept day changes', async () => {
  await ctx.retention.raiseKeptFrom('daily', new Date('2026-05-15T00:00:00.000Z'));
  expect(await expire()).toBe('daily');
  expect(await expire()).toBe('');
  await insert('daily', [BEFORE, FROM]);
  await ctx.retention.raiseKeptFrom('daily', new Date('2026-05-16T00:00:00.000Z'));
  expect(await expire()).toBe('daily');
  await waitFor('the deletion', async () => (await timesOf('daily')).length === 1);
});

test('the expiry continues behind workspaces whose statement the warehouse refuses', async () => {
  await insert('z-behind', [BEFORE, FROM]);
  await ctx.retention.raiseKeptFrom('z-behind', new Date('2026-05-16T00:00:00.000Z'));
  // No date of the warehouse; more workspaces than a round takes.
  const refused = Array.from({ length: 501 }, (_, index) => ({ _id: `refused-${index}`, keptFrom: new Date(8.64e15) }));
  const retentions = open.db.connection.collection<{ _id: string }>('retentions');
  await retentions.insertMany(refused);
  const log = createLog('test', 'silent');
  const lifecycle = new Lifecycle(log);
  const failed: string[] = [];
  lifecycle.onWorkFailed((work) => failed.push(work));
  startWarehouseExpiry({ log, lifecycle }, ctx);
  const isExpired = async () =>
    (await retentions.countDocuments({ _id: 'z-behind', expiredUntil: { $type: 'date' } })) > 0;
  await waitFor('the workspace behind the refused ones', isExpired);
  await waitFor('the deletion', async () => (await timesOf('z-behind')).length === 1);
  await lifecycle.stop();
  // One for each round that has refused workspaces; the next pass over all comes after the interval.
  expect(failed).toEqual(Array(2).fill('expiring scans of the warehouse'));
  expect(await retentions.countDocuments({ _id: /^refused-/, expiredUntil: { $exists: true } })).toBe(0);
});
