import mongoose from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { RequestLogStore } from '@waymark/auth/limits/request-log-store';
import { SlidingWindowLimiter } from '@waymark/auth/limits/sliding-window-limiter';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
afterAll(() => lifecycle.stop());

/** Simulates `count` replicas of auth that share only the database. */
async function createReplicas(count: number, limit: number, windowMs: number): Promise<SlidingWindowLimiter[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const db = new Database(MONGODB_URI, { log, lifecycle });
      const store = new RequestLogStore(db, 'accepted_requests', windowMs);
      await db.start();
      return new SlidingWindowLimiter(store, limit, windowMs);
    }),
  );
}

const inTime = (time: number) => ({ now: new Date(time), deadline: performance.now() + 10_000 });

test.each([
  ['a small limit', 5, 400],
  ['a limit larger than the entries that a process keeps', 200, 700],
])(
  'three replicas in turn decide every request as a list of all accepted times would, with %s',
  async (name, limit, sends) => {
    const windowMs = 10_000;
    const replicas = await createReplicas(3, limit, windowMs);
    const accepted: number[] = [];
    let now = Date.now();
    for (let sent = 0; sent < sends; sent += 1) {
      now += Math.floor(Math.random() ** 4 * ((windowMs / limit) * 4));
      if (Math.random() < 0.002) now += windowMs * 2;
      const used = accepted.filter((time) => time > now - windowMs).length;
      const decision = await replicas[Math.floor(Math.random() * 3)]!.admitRequest(name, inTime(now));
      expect(decision).toMatchObject({ allowed: used < limit, remaining: Math.max(0, limit - used - 1) });
      if (decision.allowed) accepted.push(now);
    }
    expect(accepted.length).toBeLessThan(sends);
  },
);

test('three replicas together accept exactly the limit of one key', async () => {
  const replicas = await createReplicas(3, 120, 60_000);
  const now = Date.now();
  const decisions = await Promise.all(
    Array.from({ length: 600 }, (_, index) => replicas[index % 3]!.admitRequest('k', inTime(now))),
  );
  expect(decisions.filter(({ allowed }) => allowed).length).toBe(120);
});

test('the limiter keeps every accepted request in its log when the clock goes back', async () => {
  const [replica] = await createReplicas(1, 3, 10_000);
  const now = Date.now();
  for (const time of [now, now - 60_000, now - 30_000])
    expect((await replica!.admitRequest('b', inTime(time))).allowed).toBe(true);
  expect((await replica!.admitRequest('b', inTime(now + 9999))).allowed).toBe(false);
  expect((await replica!.admitRequest('b', inTime(now + 10_000))).allowed).toBe(true);
});

test('the limiter does not count requests that were not served, until they would leave the window', async () => {
  const [first, second] = await createReplicas(2, 3, 10_000);
  const now = Date.now();
  const admit = async (limiter: SlidingWindowLimiter, afterMs: number) => {
    const { allowed, entry } = await limiter.admitRequest('u', inTime(now + afterMs));
    return allowed && entry;
  };
  const entries = [await admit(first!, 0), await admit(first!, 1000), await admit(second!, 2000)];
  expect(await admit(first!, 3000)).toBe(false);
  await second!.noteUnserved([entries[0] as string, entries[2] as string]);
  expect(await admit(first!, 4000)).toEqual(expect.any(String));
  expect(await admit(second!, 5000)).toEqual(expect.any(String));
  expect(await admit(second!, 6000)).toBe(false);
  // The first one has left the window, and what was taken back of it with it.
  expect(await admit(first!, 10_500)).toBe(false);
  expect(await admit(first!, 11_000)).toEqual(expect.any(String));
  expect(await admit(second!, 11_000)).toBe(false);
});

test('the limiter rejects a request after its deadline with service_unavailable', async () => {
  const [replica] = await createReplicas(1, 3, 10_000);
  const late = { now: new Date(), deadline: performance.now() - 1 };
  await expect(replica!.admitRequest('late', late)).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('a damaged log makes the limiter reject only requests of its own key', async () => {
  const [replica] = await createReplicas(1, 3, 10_000);
  const database = await mongoose.createConnection(MONGODB_URI).asPromise();
  await database.collection('accepted_requests').insertOne({ key: 'damaged', from: 1, to: 1 });
  await database.close();
  const now = Date.now();
  const decisions = await Promise.allSettled(
    ['damaged', 'intact', 'another'].map((key) => replica!.admitRequest(key, inTime(now))),
  );
  expect(decisions.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(decisions[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
});
