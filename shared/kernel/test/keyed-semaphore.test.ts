import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';

const limits = { runningMax: 2, runningPerKeyMax: 1, waitingMax: 4, waitingPerKeyMax: 2, waitMaxMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that runs until the test ends it. */
function open(semaphore: KeyedSemaphore, key: string, started: string[] = []) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = semaphore.run(key, async () => {
    started.push(key);
    await ended;
  });
  return { run, end };
}

test('a keyed semaphore runs up to its limit, one per key, and the others in order', async () => {
  const semaphore = new KeyedSemaphore(limits);
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'b', 'c'].map((key) => open(semaphore, key, started));
  await settle();
  expect(started).toEqual(['a', 'b']);
  works[3]!.end();
  await works[3]!.run;
  await settle();
  expect(started).toEqual(['a', 'b', 'c']);
  works[0]!.end();
  await works[0]!.run;
  await settle();
  expect(started).toEqual(['a', 'b', 'c', 'a']);
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(5);
});

test('a keyed semaphore runs several pieces of work of one key, and leaves the other permits to other keys', async () => {
  const semaphore = new KeyedSemaphore({ runningMax: 4, runningPerKeyMax: 2, waitingMax: 10, waitingPerKeyMax: 10 });
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'].map((key) => open(semaphore, key, started));
  await settle();
  expect(started).toEqual(['a', 'a', 'b', 'b']);
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(8);
});

test('keys that wait take turns, however much work of the others came before', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, waitingMax: 10, waitingPerKeyMax: 5 });
  const started: string[] = [];
  const works = ['a', 'b', 'a', 'a', 'b', 'b', 'c'].map((key) => open(semaphore, key, started));
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(7);
  expect(started.slice(0, 5)).toContain('c');
});

test('a full line still takes one piece of work of each key that has none in it', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, runningMax: 1 });
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'b', 'b', 'c', 'd'].map((key) => open(semaphore, key, started));
  await expect(semaphore.run('c', () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(7);
});

test('work whose client has left gives up its place in the line', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, waitingMax: 1, waitingPerKeyMax: 1 });
  const client = new AbortController();
  const started: string[] = [];
  const first = open(semaphore, 'a', started);
  const left = semaphore.run('a', () => Promise.resolve('never'), client.signal);
  client.abort(new Error('the client has left'));
  await expect(left).rejects.toThrow('the client has left');
  await expect(semaphore.run('b', () => Promise.resolve(), client.signal)).rejects.toThrow('the client has left');
  const next = open(semaphore, 'a', started);
  first.end();
  next.end();
  await Promise.all([first.run, next.run]);
  expect(started).toEqual(['a', 'a']);
});

/** Ends the first of two pieces of work of key `a`, which `b` follows while `a` rests. */
async function endFirstOfThree(semaphore: KeyedSemaphore) {
  const started: string[] = [];
  const [first, second, other] = ['a', 'a', 'b'].map((key) => open(semaphore, key, started));
  first!.end();
  await first!.run;
  await settle();
  expect(started).toEqual(['a', 'b']);
  return { started, second: second!, other: other! };
}

test('a keyed semaphore rests between pieces of work of a key that others of the key wait for, and only then', async () => {
  const rests: [string, boolean][] = [];
  const semaphore = new KeyedSemaphore({
    ...limits,
    restMs: (key, workedMs) => {
      rests.push([key, workedMs > 0]);
      return 50;
    },
  });
  const { started, second, other } = await endFirstOfThree(semaphore);
  second.end();
  await second.run;
  other.end();
  await other.run;
  expect([started, rests]).toEqual([['a', 'b', 'a'], [['a', true]]]);
});

test('a key that rests leaves its permit to the other keys', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, runningMax: 1, restMs: () => 50 });
  const { started, second, other } = await endFirstOfThree(semaphore);
  other.end();
  second.end();
  await Promise.all([other.run, second.run]);
  expect(started).toEqual(['a', 'b', 'a']);
});

test('a key that always rests does so before its next piece of work, even if none was waiting', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, runningPerKeyMax: 1, restMs: () => 50, restsAlways: true });
  await semaphore.run('a', () => Promise.resolve());
  const started: string[] = [];
  const works = ['a', 'b'].map((key) => open(semaphore, key, started));
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toEqual(['b', 'a']);
});

test('a keyed semaphore refuses with 429 when more of one key wait than it allows, and with 503 when too many wait, both with Retry-After', async () => {
  const semaphore = new KeyedSemaphore(limits);
  const works = ['a', 'a', 'a', 'b', 'c', 'd'].map((key) => open(semaphore, key));
  for (const [key, status] of [
    ['a', 429],
    ['d', 503],
  ] as const) {
    await expect(semaphore.run(key, () => Promise.resolve())).rejects.toMatchObject({
      status,
      headers: { 'Retry-After': expect.any(String) },
    });
  }
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  await expect(semaphore.run('e', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a keyed semaphore refuses at once, with the time to wait, what cannot start in time at the recent speed of its key', async () => {
  const semaphore = new KeyedSemaphore({ runningMax: 2, runningPerKeyMax: 1, waitMaxMs: 60_000 });
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const works = Array.from({ length: 8 }, () => open(semaphore, 'a'));
  const endNext = async (ms: number) => {
    await settle();
    now += ms;
    const { end, run } = works.shift()!;
    end();
    await run;
  };
  // Two are left to wait when the recent speed is known; one slow piece does not count.
  for (const ms of [15_000, 15_000, 500_000, 15_000, 15_000]) await endNext(ms);
  await settle();
  works.push(open(semaphore, 'a'), open(semaphore, 'a'));
  await expect(semaphore.run('a', () => Promise.resolve())).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '60' },
  });
  await expect(semaphore.run('b', () => Promise.resolve('done'))).resolves.toBe('done');
  for (let count = works.length; count > 0; count -= 1) await endNext(10);
  jest.restoreAllMocks();
  // A key without work starts anew.
  await expect(semaphore.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a keyed semaphore runs the next piece of work after one failed or timed out', async () => {
  const semaphore = new KeyedSemaphore({ ...limits, runningMax: 1, waitMaxMs: 10 });
  const first = open(semaphore, 'a');
  await expect(semaphore.run('b', () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
  first.end();
  await first.run;
  await expect(semaphore.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(semaphore.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
});
