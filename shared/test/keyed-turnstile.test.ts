import { KeyedTurnstile } from '@waymark/shared/kernel/keyed-turnstile';

const newTurnstile = () => new KeyedTurnstile({ ofKey: 2, waitingOfKey: 3, ofAll: 4, waitingOfAll: 10 });

/** Starts this many pieces of work that run until they are told to end. */
function start(turnstile: KeyedTurnstile, key: string, count: number) {
  const started: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    turnstile.pass(key, () => new Promise<void>((resolve) => started.push(resolve))),
  );
  return { started, all };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('one key runs so many at a time, and leaves the rest of the places to the others', async () => {
  const turnstile = newTurnstile();
  const greedy = start(turnstile, 'greedy', 5);
  const modest = start(turnstile, 'modest', 1);
  await settle();
  expect([greedy.started.length, modest.started.length]).toEqual([2, 1]);
  for (let index = 0; index < 5; index += 1) {
    greedy.started[index]!();
    await settle();
  }
  modest.started[0]!();
  await Promise.all([...greedy.all, ...modest.all]);
});

test('work beyond those that may wait is refused, for its own key alone', async () => {
  const turnstile = newTurnstile();
  const greedy = start(turnstile, 'greedy', 6);
  await expect(greedy.all[5]).rejects.toMatchObject({ code: 'service_unavailable' });
  const modest = start(turnstile, 'modest', 2);
  await settle();
  expect(modest.started).toHaveLength(2);
  for (const end of modest.started) end();
  await Promise.all(modest.all);
  for (let index = 0; index < 5; index += 1) {
    greedy.started[index]!();
    await settle();
  }
  await Promise.all(greedy.all.slice(0, 5));
});

test('all keys together run so many at a time', async () => {
  const turnstile = newTurnstile();
  const keys = ['a', 'b', 'c', 'd'].map((key) => start(turnstile, key, 2));
  await settle();
  const running = () => keys.flatMap(({ started }) => started);
  expect(running()).toHaveLength(4);
  while (running().length < 8) {
    for (const end of running()) end();
    await settle();
  }
  for (const end of running()) end();
  await Promise.all(keys.flatMap(({ all }) => all));
});
