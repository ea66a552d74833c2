import { queueHandshake } from '@waymark/webhook/http/handshake-queue';
import { waitFor } from '@waymark/testing/wait-for';

test('costly handshakes have turns of the event loop of their own, in order', async () => {
  let turn = 0;
  const nextTurn = () => {
    turn += 1;
    timer = setImmediate(nextTurn);
  };
  let timer = setImmediate(nextTurn);
  const processed: [name: string, turn: number][] = [];
  for (const name of ['first', 'second', 'third'])
    queueHandshake(() => {
      processed.push([name, turn]);
      const endsAt = performance.now() + 15;
      while (performance.now() < endsAt);
    });
  await waitFor('the third', () => processed.length === 3);
  clearImmediate(timer);
  expect(processed.map(([name]) => name)).toEqual(['first', 'second', 'third']);
  expect(new Set(processed.map(([, number]) => number)).size).toBe(3);
});
