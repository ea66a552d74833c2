import { Schema } from 'mongoose';
import { Database } from '@waymark/shared/kernel/database';
import { findCappedPage } from '@waymark/shared/kernel/find-page';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { freshBacking } from '@waymark/shared/testing/backing';

const LISTED_MAX = 100_000;
const BATCH = 10_000;

interface Row {
  _id: number;
  isOld: boolean;
}

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, log, lifecycle);
const rows = db.model('Row', new Schema<Row>({ _id: Number, isOld: Boolean }), 'rows');

beforeAll(async () => {
  await db.start();
  for (let first = 0; first <= LISTED_MAX; first += BATCH) {
    const length = Math.min(BATCH, LISTED_MAX + 1 - first);
    await rows.collection.insertMany(
      Array.from({ length }, (_, index) => ({ _id: first + index, isOld: first + index < 3 })) as never[],
    );
  }
});
afterAll(async () => {
  await db.connection.dropDatabase();
  await lifecycle.stop();
});

const find = (where: object, page: number) => findCappedPage(rows, where, { page, perPage: 100 }, { _id: -1 });

test('a list with more rows than its cap ends there, says so, and reaches the rest by a filter', async () => {
  const last = await find({}, LISTED_MAX / 100);
  expect(last).toMatchObject({ total: LISTED_MAX, truncated: true });
  expect(last.items.at(-1)!._id).toBe(1);
  expect(await find({}, LISTED_MAX / 100 + 1)).toEqual({ items: [], total: LISTED_MAX, truncated: true });
  const narrow = await find({ isOld: true }, 1);
  expect([narrow.items.map(({ _id }) => _id), narrow.total, narrow.truncated]).toEqual([[2, 1, 0], 3, false]);
});

test('a list with as many rows as its cap is complete', async () => {
  expect(await find({ _id: { $gt: 0 } }, 1)).toMatchObject({ total: LISTED_MAX, truncated: false });
});
