import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { expireWarehouse, type ExpiryContext } from '@waymark/analytics/retention/expire-warehouse';
import { RetentionStore } from '@waymark/analytics/retention/retention-store';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

let open: OpenWarehouse;
let ctx: ExpiryContext;
beforeAll(async () => {
  open = await openWarehouse(freshBacking(), (db) => {
    ctx = { db, retention: new RetentionStore(db), log: createLog('test', 'silent') } as unknown as ExpiryContext;
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

test('the expiry deletes the scans of a workspace from before its first kept day', async () => {
  for (const workspace of ['free', 'free-too', 'pro', 'unlimited']) await insert(workspace, [BEFORE, FROM]);
  await ctx.retention.raiseKeptFrom('free', new Date('2026-05-16T00:00:00.000Z'));
  await ctx.retention.raiseKeptFrom('free-too', new Date('2026-05-16T00:00:00.000Z'));
  await ctx.retention.raiseKeptFrom('pro', new Date('2025-06-15T00:00:00.000Z'));
  expect(await expireWarehouse(ctx)).toBe(3);
  for (const workspace of ['free', 'free-too'])
    await waitFor('the deletion', async () => (await timesOf(workspace)).length === 1);
  const kept = await Promise.all(['free', 'free-too', 'pro', 'unlimited'].map(timesOf));
  expect(kept).toEqual([[FROM], [FROM], [BEFORE, FROM], [BEFORE, FROM]]);
});

test('the expiry skips a workspace until its first kept day changes', async () => {
  await ctx.retention.raiseKeptFrom('daily', new Date('2026-05-15T00:00:00.000Z'));
  expect(await expireWarehouse(ctx)).toBe(1);
  expect(await expireWarehouse(ctx)).toBe(0);
  await insert('daily', [BEFORE, FROM]);
  await ctx.retention.raiseKeptFrom('daily', new Date('2026-05-16T00:00:00.000Z'));
  expect(await expireWarehouse(ctx)).toBe(1);
  await waitFor('the deletion', async () => (await timesOf('daily')).length === 1);
});
