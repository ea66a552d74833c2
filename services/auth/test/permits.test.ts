import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { PermitLimiter, type Acquisition } from '@waymark/auth/limits/permits';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
const LIMIT = 5;
afterAll(() => lifecycle.stop());

/** Simulates `count` replicas of auth that share only the database. */
async function createReplicas(count: number, windowMs: number): Promise<PermitLimiter[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const db = new Database(MONGODB_URI, { log, lifecycle });
      const limiter = new PermitLimiter(db, `permits_${windowMs}`, { limit: LIMIT, windowMs });
      await db.start();
      return limiter;
    }),
  );
}

const permitsIn = (acquisitions: Acquisition[]) =>
  acquisitions.flatMap((acquisition) => ('permit' in acquisition ? [acquisition.permit] : []));

test('three replicas together grant exactly the limit of permits, and as many again as were released', async () => {
  const replicas = await createReplicas(3, 60_000);
  const burst = () =>
    Promise.all(Array.from({ length: 60 }, (_, index) => replicas[index % 3]!.acquirePermit('burst')));
  const permits = permitsIn(await burst());
  expect(permits).toHaveLength(LIMIT);
  expect(permitsIn(await burst())).toHaveLength(0);
  expect(await replicas[0]!.secondsUntilPermit('burst')).toBeGreaterThan(30);
  expect(permitsIn([await replicas[1]!.acquirePermit('another')])).toHaveLength(1);

  const longGone = { ...permits[2]!, freeAt: new Date(0) };
  await replicas[1]!.releasePermit(longGone);
  await Promise.all(permits.slice(0, 2).map((permit) => replicas[2]!.releasePermit(permit)));
  expect(await replicas[0]!.secondsUntilPermit('burst')).toBe(0);
  expect(permitsIn(await burst())).toHaveLength(2);
});

test('the permit limiter grants at most the limit in any window, and grants permits again after it', async () => {
  const windowMs = 1500;
  const replicas = await createReplicas(2, windowMs);
  const times: number[] = [];
  await waitFor('three windows full', async () => {
    const acquisitions = await Promise.all(replicas.map((replica) => replica.acquirePermit('window')));
    times.push(...permitsIn(acquisitions).map(({ freeAt }) => freeAt.getTime() - windowMs));
    return times.length >= 3 * LIMIT;
  });
  times.sort((a, b) => a - b);
  for (let i = LIMIT; i < times.length; i += 1) expect(times[i]! - times[i - LIMIT]!).toBeGreaterThanOrEqual(windowMs);
});
