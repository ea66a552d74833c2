import { Batcher } from '@waymark/kernel/async/batcher';

/** A batcher whose calls end once `release` was called, and the batches that it has sent. */
function heldBatcher() {
  const batches: string[][] = [];
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  const batcher = new Batcher(async (items: string[]) => {
    batches.push(items);
    await held;
    return (item) => item.toUpperCase();
  });
  return { batcher, batches, release };
}

test('an item whose caller gives up leaves the line, and the others are handled', async () => {
  const { batcher, batches, release } = heldBatcher();
  const caller = new AbortController();
  const running = batcher.submit('running', caller.signal);
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = [batcher.submit('given up', caller.signal), batcher.submit('waiting')] as const;
  caller.abort(new Error('too late'));
  await expect(waiting[0]).rejects.toThrow('too late');
  release();
  expect(await running).toBe('RUNNING');
  expect(await waiting[1]).toBe('WAITING');
  expect(batches).toEqual([['running'], ['waiting']]);
});

test('items that arrive in the turn in which a call ends are handled together with those that wait', async () => {
  const { batcher, batches, release } = heldBatcher();
  const running = batcher.submit('running');
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = batcher.submit('waiting');
  release();
  await running;
  const late = batcher.submit('late');
  expect(await Promise.all([waiting, late])).toEqual(['WAITING', 'LATE']);
  expect(batches).toEqual([['running'], ['waiting', 'late']]);
});
