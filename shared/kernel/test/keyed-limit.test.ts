import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';

const options = { total: 2, perKey: 1, waitingMax: 4, waitMaxMs: 60_000 };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that runs until the test ends it. */
function open(limit: KeyedLimit, key: string, started: string[] = []) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = limit.run(key, async () => {
    started.push(key);
    await ended;
  });
  return { run, end };
}

test('a limit runs up to its limit, one per key, and the others in order', async () => {
  const limit = new KeyedLimit(options);
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'b', 'c'].map((key) => open(limit, key, started));
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

test('a limit runs several pieces of work of one key, and leaves the other permits to other keys', async () => {
  const limit = new KeyedLimit({ total: 4, perKey: 2, waitingMax: 10 });
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'].map((key) => open(limit, key, started));
  await settle();
  expect(started).toEqual(['a', 'a', 'b', 'b']);
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(8);
});

test('keys that wait take turns, however much work of the others came before', async () => {
  const limit = new KeyedLimit({ ...options, waitingMax: 10 });
  const started: string[] = [];
  const works = ['a', 'b', 'a', 'a', 'b', 'b', 'c'].map((key) => open(limit, key, started));
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(7);
  expect(started.slice(0, 5)).toContain('c');
});

test('work whose client has left gives up its place in the line', async () => {
  const limit = new KeyedLimit({ ...options, waitingMax: 1 });
  const client = new AbortController();
  const started: string[] = [];
  const first = open(limit, 'a', started);
  const left = limit.run('a', () => Promise.resolve('never'), client.signal);
  client.abort(new Error('the client has left'));
  await expect(left).rejects.toThrow('the client has left');
  await expect(limit.run('b', () => Promise.resolve(), client.signal)).rejects.toThrow('the client has left');
  const next = open(limit, 'a', started);
  first.end();
  next.end();
  await Promise.all([first.run, next.run]);
  expect(started).toEqual(['a', 'a']);
});

test('a limit runs the next piece of work after one failed or timed out', async () => {
  const limit = new KeyedLimit({ ...options, total: 1, waitMaxMs: 10 });
  const first = open(limit, 'a');
  await expect(limit.run('b', () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
  first.end();
  await first.run;
  await expect(limit.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(limit.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a limit refuses with 503 and Retry-After when too many wait, and serves again afterwards', async () => {
  const limit = new KeyedLimit(options);
  const works = ['a', 'a', 'a', 'b', 'c', 'd'].map((key) => open(limit, key));
  await expect(limit.run('e', () => Promise.resolve())).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
  });
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  await expect(limit.run('e', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a limit refuses at once, with the time to wait, what cannot start in time at the speed of its line', async () => {
  const limit = new KeyedLimit({ total: 2, perKey: 1, waitMaxMs: 60_000 });
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const works = Array.from({ length: 10 }, () => open(limit, 'a'));
  const endNext = async (ms: number) => {
    await settle();
    now += ms;
    const { end, run } = works.shift()!;
    end();
    await run;
  };
  // One slow piece refuses nothing.
  await endNext(70_000);
  works.push(open(limit, 'a'));
  for (const ms of [10, 10, 10, 10]) await endNext(ms);
  await settle();
  // The first in line has waited 70 s behind five.
  await expect(limit.run('a', () => Promise.resolve())).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '71' },
  });
  await expect(limit.run('b', () => Promise.resolve('done'))).resolves.toBe('done');
  for (let count = works.length; count > 0; count -= 1) await endNext(10);
  jest.restoreAllMocks();
  await expect(limit.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a limit refuses nothing of what arrives together, however slow its first pieces are', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const limit = new KeyedLimit({ total: 1 });
  const works = Array.from({ length: 60 }, () => open(limit, 'a'));
  for (let count = 0; count < 10; count += 1) {
    await settle();
    now += 450;
    const { end, run } = works.shift()!;
    end();
    await run;
    works.push(open(limit, 'a'));
  }
  await settle();
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  jest.restoreAllMocks();
});

test('a place that is held until its release is released once', async () => {
  const limit = new KeyedLimit({ total: 1 });
  const release = await limit.acquire('a');
  const next = limit.acquire('b');
  release();
  release();
  const other = open(limit, 'c');
  (await next)();
  other.end();
  await other.run;
});
