import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Database } from '@waymark/kernel/mongo/database';
import { ShortLivedItems } from '@waymark/kernel/mongo/short-lived-items';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';

const MIB = 1024 * 1024;

test('an item is there from its addition until its deletion, once', () => {
  const items = new ShortLivedItems<string>();
  items.add('a').add('b').add('c').add('a');
  expect([...items]).toEqual(['a', 'b', 'c']);
  expect([items.delete('a'), items.delete('a')]).toEqual([true, false]);
  expect([...items].toSorted()).toEqual(['b', 'c']);
  items.clear();
  expect([...items]).toEqual([]);
});

test('an iteration reaches every item, also when each is deleted meanwhile', () => {
  const items = new ShortLivedItems<string>().add('a').add('b').add('c');
  const reached: string[] = [];
  for (const item of items) {
    reached.push(item);
    items.delete(item);
  }
  expect(reached).toEqual(['a', 'b', 'c']);
  expect([...items]).toEqual([]);
});

test('results of finished queries are not kept until the next major garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' | 'major' }) => void;
  const log = createLog('test', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  try {
    await db.start();
    const collection = db.connection.collection('numbers');
    await collection.insertMany(Array.from({ length: 100 }, (_, number) => ({ number, text: 'x'.repeat(200) })));
    const readFew = async () => {
      await Promise.all(Array.from({ length: 10 }, () => collection.find().toArray()));
      collectGarbage({ type: 'minor' });
    };
    const oldBytes = () =>
      getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
    for (let round = 0; round < 5; round += 1) await readFew();
    collectGarbage({ type: 'major' });
    const before = oldBytes();
    for (let round = 0; round < 40; round += 1) await readFew();
    // Usually 0.2 MiB, a few more when V8 collects garbage during the queries, and 40 if the results are kept.
    expect(oldBytes() - before).toBeLessThan(20 * MIB);
  } finally {
    await lifecycle.stop();
  }
});
