import mongoose, { type Connection } from 'mongoose';
import { recordConversion } from '@waymark/contract/conversions';
import type { EventContext } from '@waymark/contract/event';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { pendingConversion, recordedConversion, type Conversion } from '@waymark/analytics/conversions/conversion';
import { ConversionStore } from '@waymark/analytics/conversions/conversion-store';
import { MIGRATIONS } from '@waymark/analytics/ledger/migrations';
import { linkSnapshot } from './harness.js';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const uri = freshBacking().MONGODB_URI;
const recordedAt = (day: number) => new Date(Date.UTC(2026, 0, day));
let former: Connection;

/** A row as version 0.1.0 stored it. */
const formerRow = (number: number, externalId: string | null) => ({
  _id: `cnv_${number}`,
  workspace: 'acme',
  linkId: 'lnk_a',
  shortCode: 'a',
  campaign: null,
  source: 'shop 1',
  meta: null,
  value: null,
  currency: null,
  externalId,
  occurredAt: recordedAt(number),
  recordedAt: recordedAt(number),
});

beforeAll(async () => {
  former = await mongoose.createConnection(uri).asPromise();
  const rows = former.collection<{ _id: string }>('conversions');
  const isGiven = { externalId: { $type: 'string' as const } };
  await rows.createIndex({ workspace: 1, externalId: 1 }, { unique: true, partialFilterExpression: isGiven });
  await rows.createIndex({ workspace: 1, occurredAt: 1 });
  await rows.insertMany([formerRow(1, 'order-1'), formerRow(2, 'order-2'), formerRow(3, null)]);
});
afterAll(async () => {
  await lifecycle.stop();
  await former.close();
});

async function start(): Promise<{ db: Database; store: ConversionStore }> {
  const db = new Database(uri, { log, lifecycle });
  db.migrateBy(MIGRATIONS);
  const store = new ConversionStore(db);
  await db.start();
  return { db, store };
}

function conversionOf(source: string, externalId: string): Conversion {
  const input = recordConversion.parse({ id: 'lnk_a', source, external_id: externalId });
  return recordedConversion(pendingConversion('acme', input, {} as EventContext), linkSnapshot());
}

const insert = ({ db, store }: Awaited<ReturnType<typeof start>>, conversion: Conversion) =>
  db.transaction(({ session }) => store.insertConversion(conversion, session));

test('an upgraded database of 0.1.0 accepts an external id once per source', async () => {
  for (const round of ['first', 'second']) {
    const started = await start();
    const indexes = (await former.collection('conversions').indexes()).map(({ name }) => name);
    expect([round, indexes]).toEqual([
      round,
      expect.arrayContaining(['workspace_1_source_1_externalId_1', 'workspace_1_occurredAt_1']),
    ]);
    expect(indexes).not.toContain('workspace_1_externalId_1');
    await insert(started, conversionOf(`shop of the ${round} start`, 'order-1'));
    await expect(insert(started, conversionOf('shop 1', 'order-1'))).rejects.toMatchObject({ code: 11000 });
  }
});

test('rows of 0.1.0 are listed as recorded, by recording time and by cursor', async () => {
  const { store } = await start();
  const list = async (filters: object) => {
    const query = {
      sort: '-recorded_at',
      page: 1,
      per_page: 100,
      source: 'shop 1',
      updated_since: undefined,
      ...filters,
    } as const;
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { items, nextCursor } = await store.listConversions('acme', query, { page: 1, perPage: 1, cursor });
      ids.push(...items.map(({ _id }) => _id));
      if (nextCursor === null) return ids;
      cursor = nextCursor;
    }
  };
  expect(await list({ status: 'recorded' })).toEqual(['cnv_3', 'cnv_2', 'cnv_1']);
  expect(await list({ status: 'pending' })).toEqual([]);
  expect(await list({ updated_since: recordedAt(2), sort: 'updated_at' })).toEqual(['cnv_2', 'cnv_3']);
  expect(await list({ sort: '-updated_at' })).toEqual(['cnv_3', 'cnv_2', 'cnv_1']);
  expect((await store.conversionByExternalId('acme', 'shop 1', 'order-2'))?._id).toBe('cnv_2');
});
