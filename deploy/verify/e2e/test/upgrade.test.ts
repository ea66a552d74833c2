import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { freePorts } from '@waymark/stack/ports';
import { backing, type ProcessName, type SystemSettings } from '@waymark/launcher/process-table';
import { System } from '@waymark/launcher/system';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from '@waymark/e2e/receiver';

/** The data of an installation of 0.1.0 after its processes were stopped. */
interface Dump {
  webhookKey: string;
  webhookSecret: string;
  webhookId: string;
  workspace: string;
  token: string;
  scannedOn: string;
  links: { id: string; short_code: string; destination_url: string; scans_count: number }[];
  kpis: Record<string, number>;
  databases: Record<ProcessName, Record<string, { indexes: mongoose.mongo.IndexDescription[]; documents: object[] }>>;
}
const FORMER_INDEX = 'workspace_1_externalId_1';
/** 0.1.0 made it at the first sign-in. */
const FORMER_COLLECTION = 'known_addresses';
const ROLLUPS = ['cells', 'uncounted', 'vocabularies', 'visitor_days'];

const file = join(__dirname, '../fixtures/upgrade-0.1.0.json');
const dump = mongoose.mongo.BSON.EJSON.parse(readFileSync(file, 'utf8')) as Dump;
const { MONGODB_URI, AMQP_URL, AMQP_NAMESPACE, CLICKHOUSE_URL } = freshBacking();
const folder = mkdtempSync(join(tmpdir(), 'waymark-upgrade-'));
let settings: SystemSettings;
let system: System;
let receiver: Receiver;

async function restore(name: ProcessName): Promise<void> {
  await inDatabase(name, async (db) => {
    for (const [collection, { indexes, documents }] of Object.entries(dump.databases[name])) {
      await db.createCollection(collection);
      if (indexes.length > 0) await db.collection(collection).createIndexes(indexes);
      if (documents.length > 0) await db.collection(collection).insertMany(documents);
    }
  });
}

async function inDatabase<T>(name: ProcessName, work: (db: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  const connection = await mongoose.createConnection(backing(settings, name)['MONGODB_URI']!).asPromise();
  try {
    return await work(connection.db!);
  } finally {
    await connection.close();
  }
}

async function call(method: string, path: string, body?: object): Promise<{ status: number; data: any; meta: any }> {
  const response = await fetch(`${system.baseUrl}/api/v1/workspaces/${dump.workspace}${path}`, {
    method,
    headers: { authorization: `Bearer ${dump.token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as { data: unknown; meta: unknown }) };
}

const visit = (code: string) => fetch(`${system.shortUrl}/${code}`, { redirect: 'manual' });
const thatDay = `start_date=${dump.scannedOn}&end_date=${dump.scannedOn}`;

beforeAll(async () => {
  const [port, shortPort] = (await freePorts(2)) as [number, number];
  // Unlimited, because the scans of the dump grow older.
  const unlimited = ['FREE', 'PRO', 'BUSINESS'].map((plan) => [`ANALYTICS_RETENTION_DAYS_${plan}`, 'unlimited']);
  settings = {
    deployment: 'links',
    mongoUri: MONGODB_URI,
    amqpUrl: AMQP_URL,
    clickHouseUrl: CLICKHOUSE_URL,
    namespace: AMQP_NAMESPACE,
    port,
    shortPort,
    folder,
    envOf: { analytics: Object.fromEntries(unlimited) as Record<string, string> },
  };
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ webhookKey: dump.webhookKey }));
  for (const name of Object.keys(dump.databases) as ProcessName[]) await restore(name);
  await inDatabase('auth', (db) => db.createCollection(FORMER_COLLECTION));
  receiver = await Receiver.start();
  receiver.useSecret(dump.webhookSecret);
  system = await System.start(settings);
  await waitFor('the history in the warehouse', async () => {
    const { meta } = await call('GET', '/analytics/summary');
    return typeof meta?.data_as_of === 'string';
  });
});
afterAll(async () => {
  await system?.stop();
  await receiver?.stop();
  for (const name of Object.keys(dump.databases) as ProcessName[]) await inDatabase(name, (db) => db.dropDatabase());
  rmSync(folder, { recursive: true, force: true });
});

test('migrates the documents of 0.1.0 and drops its rollups', async () => {
  const before = dump.databases.analytics['conversions']!.indexes.map(({ name }) => name);
  const indexes = await inDatabase('analytics', (db) => db.collection('conversions').indexes());
  const after = indexes.map(({ name }) => name);
  expect([before.includes(FORMER_INDEX), after.includes(FORMER_INDEX)]).toEqual([true, false]);
  for (const name of ['resource', 'analytics'] as const) {
    const applied = await inDatabase(name, (db) => db.collection('migrations').find({}).toArray());
    expect(applied).toContainEqual(expect.objectContaining({ list: 'documents', number: 1 }));
  }
  await waitFor('the rollups to be dropped', () =>
    inDatabase('analytics', async (db) => {
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
      return !ROLLUPS.some((name) => names.includes(name));
    }),
  );
});

test('drops the former limits of auth, and the counts of refused uses in its tokens', async () => {
  expect(dump.databases.auth['tokens']!.documents[0]).toHaveProperty('refusals');
  const [names, token, indexes] = await inDatabase('auth', async (db) => [
    (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
    await db.collection('tokens').findOne(),
    (await db.collection('tokens').indexes()).map(({ name }) => name),
  ]);
  expect(names).toContain('limit_counts');
  expect(names).not.toContain(FORMER_COLLECTION);
  expect(token).not.toHaveProperty('refusals');
  expect(indexes).not.toContain('refusalsToldAt_1');
});

test('has the links, and redirects from their current and earlier codes', async () => {
  const { data } = await call('GET', '/links');
  expect(data).toMatchObject(dump.links);
  for (const { short_code: code, destination_url: url } of dump.links) {
    const { status, headers } = await visit(code);
    expect([code, status, headers.get('location')]).toEqual([code, 302, url]);
  }
  expect((await visit('renamed')).headers.get('location')).toBe('https://example.com/renamed');
});

test('has the scans and the same figures', async () => {
  const summary = await call('GET', `/analytics/summary?${thatDay}`);
  expect(summary.data.kpis).toMatchObject({ ...dump.kpis, total_scans: expect.any(Number) });
  const scans = await call('GET', `/analytics/scans?per_page=100&${thatDay}`);
  const stored = dump.databases.analytics['scans']!.documents as { _id: string }[];
  const listed = (scans.data as { id: string }[]).map(({ id }) => id);
  expect(listed).toEqual(expect.arrayContaining(stored.map(({ _id }) => _id)));
  const breakdown = await call('GET', `/analytics/breakdown?dimension=os&${thatDay}`);
  expect(breakdown.data).toMatchObject([{ value: 'Windows' }, { value: 'iOS' }]);
  expect((await call('GET', '/analytics/filters')).data.campaigns).toContain('may');
});

test('has the conversions, and records an external id once for each source', async () => {
  const { data } = await call('GET', '/conversions');
  expect(data).toHaveLength(dump.databases.analytics['conversions']!.documents.length);
  for (const each of data) expect(each).toMatchObject({ status: 'recorded', value: 12.5, currency: 'EUR' });
  const record = (source: string) =>
    call('POST', '/conversions', { short_code: 'spring', source, external_id: 'order-1' });
  const first = await record('shop');
  expect([first.status, data.map(({ id }: { id: string }) => id)]).toEqual([
    200,
    expect.arrayContaining([first.data.id]),
  ]);
  expect((await record('another shop')).status).toBe(201);
});

test('has the webhooks and their deliveries, and signs with the secret that the receiver knows', async () => {
  const webhook = `/webhooks/${dump.webhookId}`;
  const deliveries = await call('GET', `${webhook}/deliveries?per_page=100`);
  const stored = dump.databases.webhook['attempts']!.documents as { _id: string }[];
  const listed = (deliveries.data as { id: string }[]).map(({ id }) => id);
  expect(listed).toEqual(expect.arrayContaining(stored.map(({ _id }) => _id)));
  expect((await call('PATCH', webhook, { url: receiver.url })).status).toBe(200);
  await call('POST', '/conversions', { short_code: 'summer', source: 'after the upgrade' });
  await waitFor('the delivery', () => [...receiver.events.values()].some(({ type }) => type === 'conversion.recorded'));
  expect(receiver.rejected).toEqual([]);
});

test('counts what comes in after the upgrade', async () => {
  const before = (await call('GET', '/analytics/summary')).data.kpis;
  const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0 Safari/537.36' };
  await fetch(`${system.shortUrl}/spring`, { redirect: 'manual', headers });
  await call('POST', '/conversions', { short_code: 'spring', source: 'counted' });
  await waitFor('both in the figures', async () => {
    const { total_scans: scans, conversions } = (await call('GET', '/analytics/summary')).data.kpis;
    return scans > before.total_scans && conversions > before.conversions;
  });
});
