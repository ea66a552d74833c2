import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { Slots, type Taken } from '@waymark/auth/limits/slots';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
const LIMIT = 5;
afterAll(() => lifecycle.stop());

/** Simulates `count` replicas of auth that share only the database. */
async function replicas(count: number, windowMs: number): Promise<Slots[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const db = new Database(MONGODB_URI, log, lifecycle);
      const slots = new Slots(db, `slots_${windowMs}`, LIMIT, windowMs);
      await db.start();
      return slots;
    }),
  );
}

const held = (taken: Taken[]) => taken.flatMap((one) => ('slot' in one ? [one.slot] : []));

test('three auths at once on one key give out exactly the limit, and again as many as were given back', async () => {
  const auths = await replicas(3, 60_000);
  const burst = () => Promise.all(Array.from({ length: 60 }, (_, index) => auths[index % 3]!.take('burst')));
  const slots = held(await burst());
  expect(slots).toHaveLength(LIMIT);
  expect(held(await burst())).toHaveLength(0);
  expect(await auths[0]!.retryAfterSeconds('burst')).toBeGreaterThan(30);
  expect(held([await auths[1]!.take('another')])).toHaveLength(1);

  const longGone = { ...slots[2]!, freeAt: new Date(0) };
  await auths[1]!.giveBack(longGone);
  await Promise.all(slots.slice(0, 2).map((slot) => auths[2]!.giveBack(slot)));
  expect(await auths[0]!.retryAfterSeconds('burst')).toBe(0);
  expect(held(await burst())).toHaveLength(2);
});

test('no window ever has more than the limit, and after it there is room again', async () => {
  const windowMs = 1500;
  const auths = await replicas(2, windowMs);
  const times: number[] = [];
  await waitFor('three windows full', async () => {
    const taken = await Promise.all(auths.map((auth) => auth.take('window')));
    times.push(...held(taken).map(({ freeAt }) => freeAt.getTime() - windowMs));
    return times.length >= 3 * LIMIT;
  });
  times.sort((a, b) => a - b);
  for (let i = LIMIT; i < times.length; i += 1) expect(times[i]! - times[i - LIMIT]!).toBeGreaterThanOrEqual(windowMs);
});
