import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { EntryStore } from '@waymark/auth/limits/entry-store';
import { RollingLimit } from '@waymark/auth/limits/rolling-limit';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
afterAll(() => lifecycle.stop());

/** Simulates `count` replicas of auth that share only the database. */
async function replicas(count: number, limit: number, windowMs: number): Promise<RollingLimit[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const db = new Database(MONGODB_URI, log, lifecycle);
      const store = new EntryStore(db, 'accepted_requests', windowMs);
      await db.start();
      return new RollingLimit(store, limit, windowMs);
    }),
  );
}

const at = (time: number) => ({ now: new Date(time), giveUpAt: performance.now() + 10_000 });

test.each([
  ['a small limit', 5, 400],
  ['a limit beyond what a process remembers', 200, 700],
])('%s: three auths in turn decide every request as a list of all accepted times would', async (name, limit, sends) => {
  const windowMs = 10_000;
  const auths = await replicas(3, limit, windowMs);
  const accepted: number[] = [];
  let now = Date.now();
  for (let sent = 0; sent < sends; sent += 1) {
    now += Math.floor(Math.random() ** 4 * ((windowMs / limit) * 4));
    if (Math.random() < 0.002) now += windowMs * 2;
    const used = accepted.filter((time) => time > now - windowMs).length;
    const answer = await auths[Math.floor(Math.random() * 3)]!.take(name, at(now));
    expect(answer).toMatchObject({ allowed: used < limit, remaining: Math.max(0, limit - used - 1) });
    if (answer.allowed) accepted.push(now);
  }
  expect(accepted.length).toBeLessThan(sends);
});

test('three auths at once on one key accept exactly the limit', async () => {
  const auths = await replicas(3, 120, 60_000);
  const now = Date.now();
  const answers = await Promise.all(Array.from({ length: 600 }, (_, index) => auths[index % 3]!.take('k', at(now))));
  expect(answers.filter(({ allowed }) => allowed).length).toBe(120);
});

test('a clock that goes back takes nothing off the log', async () => {
  const [auth] = await replicas(1, 3, 10_000);
  const now = Date.now();
  for (const time of [now, now - 60_000, now - 30_000]) expect((await auth!.take('b', at(time))).allowed).toBe(true);
  expect((await auth!.take('b', at(now + 9999))).allowed).toBe(false);
  expect((await auth!.take('b', at(now + 10_000))).allowed).toBe(true);
});

test('a request that has waited too long is not decided', async () => {
  const [auth] = await replicas(1, 3, 10_000);
  const late = { now: new Date(), giveUpAt: performance.now() - 1 };
  await expect(auth!.take('late', late)).rejects.toMatchObject({ code: 'service_unavailable' });
});
