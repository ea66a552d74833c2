import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { WindowCounter, type Use } from '@waymark/auth/limits/window-counter';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
const MAX = 5;
const HOUR_S = 3600;
/** Replicas of auth that share only the database. */
const databases = Array.from({ length: 3 }, () => new Database(MONGODB_URI, { log, lifecycle }));
const replicas = databases.map((db) => new WindowCounter(db, { codeGuessesInHour: MAX, startedSessions: MAX }));
beforeAll(() => Promise.all(databases.map((db) => db.start())));
afterAll(() => lifecycle.stop());

const use = (key: string): Use => ({ limit: 'codeGuessesInHour', key });
const endWindows = () =>
  databases[0]!.connection.collection('limit_counts').updateMany({}, { $set: { endsAt: new Date(0) } });

/** @returns the seconds to wait of each of 60 simultaneous uses */
const burst = (key: string) =>
  Promise.all(Array.from({ length: 60 }, (_, index) => replicas[index % 3]!.count([use(key)])));
const countedIn = (waits: number[]) => waits.filter((seconds) => seconds === 0).length;

test('three replicas together count exactly the maximum, as many again as were refunded, and all again in the next window', async () => {
  const waits = await burst('burst');
  expect(countedIn(waits)).toBe(MAX);
  expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR_S);
  expect(Math.min(...waits.filter((seconds) => seconds > 0))).toBeGreaterThan(HOUR_S - 120);
  expect(countedIn(await burst('burst'))).toBe(0);
  expect(await replicas[0]!.secondsUntilFree(use('burst'))).toBeGreaterThan(HOUR_S - 120);
  expect(await replicas[1]!.count([use('another')])).toBe(0);

  await replicas[1]!.refund([use('burst'), use('burst')]);
  expect(await replicas[0]!.secondsUntilFree(use('burst'))).toBe(0);
  expect(countedIn(await burst('burst'))).toBe(2);

  await endWindows();
  await replicas[2]!.refund([use('burst')]);
  expect(await replicas[0]!.secondsUntilFree(use('burst'))).toBe(0);
  expect(countedIn(await burst('burst'))).toBe(MAX);
});

test('several uses count together, or none of them', async () => {
  const [counter] = replicas as [WindowCounter];
  const [wide, narrow] = [{ limit: 'startedSessions', key: 'pair', factor: 2 } as const, use('pair')];
  for (let used = 0; used < MAX; used += 1) expect(await counter.count([wide, narrow])).toBe(0);

  for (let refused = 0; refused < 3; refused += 1) expect(await counter.count([wide, narrow])).toBeGreaterThan(0);

  for (let used = 0; used < MAX; used += 1) expect(await counter.count([wide])).toBe(0);
  await expect(counter.countOrRefuse([wide], 'Too many.')).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': expect.any(String) },
  });
});

test('work that fails does not count', async () => {
  const [counter] = replicas as [WindowCounter];
  const fail = () => counter.run(use('work'), 'Too many.', () => Promise.reject(new Error('failed')));
  for (let failed = 0; failed <= MAX; failed += 1) await expect(fail()).rejects.toThrow('failed');
  for (let done = 0; done < MAX; done += 1) await counter.run(use('work'), 'Too many.', () => Promise.resolve());
  await expect(fail()).rejects.toThrow('Too many.');
});
