import { Database } from '@waymark/kernel/mongo/database';
import { Lease } from '@waymark/kernel/mongo/lease';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';

const HOUR_MS = 3600 * 1000;
const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });

beforeAll(() => db.start());
afterEach(() => jest.restoreAllMocks());
afterAll(() => lifecycle.stop());

const setClock = (aheadMs: number) => {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
};

test('a lease is held by one owner until it is released', async () => {
  const [first, second] = [new Lease(db, 'held'), new Lease(db, 'held')];
  expect([await first.acquire(60_000), await second.acquire(60_000), await first.acquire(60_000)]).toEqual([
    true,
    false,
    true,
  ]);
  await second.release();
  expect(await second.acquire(60_000)).toBe(false);
  await first.release();
  expect(await second.acquire(60_000)).toBe(true);
});

test('a lease passes to another owner after it expired', async () => {
  const [first, second] = [new Lease(db, 'expired'), new Lease(db, 'expired')];
  expect(await first.acquire(1)).toBe(true);
  await waitFor('the lease to expire', () => second.acquire(60_000));
  expect(await first.acquire(60_000)).toBe(false);
});

test('an owner that acquires its lease again does not write it before a quarter has passed', async () => {
  const lease = new Lease(db, 'kept');
  const until = async () => {
    const row = await db.connection.collection('leases').findOne<{ until: Date }>({ _id: 'kept' as never });
    return row!.until.getTime();
  };
  expect(await lease.acquire(HOUR_MS)).toBe(true);
  const first = await until();
  expect(await lease.acquire(HOUR_MS)).toBe(true);
  expect(await until()).toBe(first);
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 0.3 * HOUR_MS);
  expect(await lease.acquire(HOUR_MS)).toBe(true);
  expect(await until()).toBeGreaterThan(first);
});

test.each([HOUR_MS, -HOUR_MS])(
  'expires by the clock of the database, not by one that is %i ms ahead',
  async (aheadMs) => {
    const [first, second] = [new Lease(db, `clock ${aheadMs}`), new Lease(db, `clock ${aheadMs}`)];
    expect(await first.acquire(60_000)).toBe(true);
    setClock(aheadMs);
    expect(await second.acquire(1)).toBe(false);
    jest.restoreAllMocks();
    await first.release();
    setClock(aheadMs);
    expect(await second.acquire(60_000)).toBe(true);
    jest.restoreAllMocks();
    expect(await first.acquire(60_000)).toBe(false);
  },
);

test.each([HOUR_MS, -HOUR_MS])(
  'the database reports its own time to a process whose clock is %i ms ahead',
  async (aheadMs) => {
    const before = await db.now();
    setClock(aheadMs);
    expect(Math.abs((await db.now()).getTime() - before.getTime())).toBeLessThan(HOUR_MS / 2);
    expect(Math.abs(db.clockSkewMs! - aheadMs)).toBeLessThan(HOUR_MS / 2);
  },
);

test('a lease goes to exactly one of many owners that acquire it concurrently', async () => {
  const leases = Array.from({ length: 20 }, () => new Lease(db, 'contended'));
  const taken = await Promise.all(leases.map((lease) => lease.acquire(60_000)));
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('a lease is prolonged while its work runs, and released afterwards', async () => {
  const [first, second] = [new Lease(db, 'prolonged'), new Lease(db, 'prolonged')];
  let attempts = 0;
  await first.run(600, async () => {
    await waitFor('many attempts', async () => !(await second.acquire(1)) && (attempts += 1) > 30);
  });
  expect(await second.acquire(1000)).toBe(true);
});
