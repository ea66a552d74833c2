import { createSecretKey } from 'node:crypto';
import mongoose from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { firstDayKept, FirstVisitStore } from '@waymark/analytics/ledger/first-visits';
import { Salts, visitorPseudonym } from '@waymark/analytics/ledger/salts';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
// In the far future, because the database deletes expired salts by its own clock.
let now = Date.parse('2096-05-10T12:00:00.000Z');
const workers: Salts[] = [];
let database: Database;
let firstVisits: FirstVisitStore;

beforeAll(async () => {
  for (let i = 0; i < 4; i += 1) {
    const db = new Database(MONGODB_URI, { log, lifecycle });
    workers.push(new Salts(db, () => now));
    if (i === 0) [database, firstVisits] = [db, new FirstVisitStore(db)];
    await db.start();
  }
});
afterAll(() => lifecycle.stop());

const setTime = (time: string) => (now = Date.parse(time));

test('concurrent workers get the same salt of a day', async () => {
  for (let day = 10; day < 30; day += 1) {
    setTime(`2096-04-${day}T12:00:00.000Z`);
    const salts = await Promise.all([...workers, ...workers].map((worker) => worker.saltOfDay(`2096-04-${day}`)));
    expect(new Set(salts.map((salt) => salt!.export().toString('hex'))).size).toBe(1);
    expect(salts[0]!.symmetricKeySize).toBe(32);
  }
});

test('every day has its own salt', async () => {
  setTime('2096-05-11T00:30:00.000Z');
  const [today, yesterday] = await Promise.all([
    workers[0]!.saltOfDay('2096-05-11'),
    workers[1]!.saltOfDay('2096-05-10'),
  ]);
  expect(today!.equals(yesterday!)).toBe(false);
});

test('a salt exists for 48 hours from the start of its day and is never recreated', async () => {
  setTime('2096-05-11T23:59:59.999Z');
  expect(await workers[2]!.saltOfDay('2096-05-10')).not.toBeNull();
  setTime('2096-05-12T00:00:00.000Z');
  for (const worker of workers) expect(await worker.saltOfDay('2096-05-10')).toBeNull();
  const connection = await mongoose.createConnection(MONGODB_URI).asPromise();
  const row = await connection.collection('salts').findOne({ _id: '2096-05-10' as never });
  const indexes = await connection.collection('salts').indexes();
  await connection.close();
  // The database deletes it by this date.
  if (row) expect(row['expiresAt']).toEqual(new Date('2096-05-12T00:00:00.000Z'));
  expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
});

test('a future day has no salt, except for a clock that is slightly ahead', async () => {
  setTime('2096-05-12T22:00:00.000Z');
  expect(await workers[0]!.saltOfDay('2096-05-13')).toBeNull();
  setTime('2096-05-12T23:30:00.000Z');
  expect(await workers[0]!.saltOfDay('2096-05-13')).not.toBeNull();
});

test('a visitor is identified by address, user agent and salt', () => {
  const [salt, other] = [1, 2].map((byte) => createSecretKey(Buffer.alloc(32, byte)));
  const visitor = visitorPseudonym(salt!, '203.0.113.7', 'Firefox');
  expect(visitorPseudonym(salt!, '203.0.113.7', 'Firefox')).toBe(visitor);
  expect(visitorPseudonym(salt!, '203.0.113.8', 'Firefox')).not.toBe(visitor);
  expect(visitorPseudonym(salt!, '203.0.113.7', 'Chrome')).not.toBe(visitor);
  expect(visitorPseudonym(other!, '203.0.113.7', 'Firefox')).not.toBe(visitor);
  expect(visitorPseudonym(null, '203.0.113.7', 'Firefox')).toBeNull();
  expect(visitorPseudonym(salt!, '', 'Firefox')).toBeNull();
});

describe('first visits', () => {
  const scan = (id: string, day: string, visitor = 'v') =>
    ({ _id: id, linkId: 'lnk_1', visitor, scannedAt: new Date(`${day}T12:00:00.000Z`), isBot: false }) as Scan;
  const record = (...scans: Scan[]) =>
    database.transaction(async ({ session }) => [...(await firstVisits.recordFirstVisits(scans, session))]);

  test('first visits are recorded by link, visitor and day', async () => {
    expect(await record(scan('a', '2096-05-10'), scan('b', '2096-05-10'), scan('c', '2096-05-11'))).toEqual(['a', 'c']);
    expect(await record(scan('d', '2096-05-10'), scan('e', '2096-05-10', 'w'))).toEqual(['e']);
  });

  test('first visits of a day are deleted an hour after its salt', async () => {
    expect(firstDayKept(Date.parse('2096-05-12T00:59:59.999Z'))).toBe('2096-05-10');
    expect(firstDayKept(Date.parse('2096-05-12T01:00:00.000Z'))).toBe('2096-05-11');
    await firstVisits.deleteFirstVisitsBefore('2096-05-11');
    expect(await record(scan('f', '2096-05-10'), scan('g', '2096-05-11'))).toEqual(['f']);
  });
});
