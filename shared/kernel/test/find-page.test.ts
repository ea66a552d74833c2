import { Schema } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { findCursorPage } from '@waymark/kernel/mongo/find-page';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';

const LISTED_MAX = 100_000;
const BATCH = 10_000;

interface Row {
  _id: string;
  number: number;
  isOld: boolean;
}

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const uri = new URL(freshBacking().MONGODB_URI);
uri.searchParams.set('monitorCommands', 'true');
const db = new Database(uri.href, { log, lifecycle });
const rows = db.model(
  'Row',
  new Schema<Row>({ _id: String, number: Number, isOld: Boolean }).index({ number: -1, _id: -1 }),
  'rows',
);

beforeAll(async () => {
  await db.start();
  for (let first = 0; first <= LISTED_MAX; first += BATCH) {
    const length = Math.min(BATCH, LISTED_MAX + 1 - first);
    const numbers = Array.from({ length }, (_, index) => first + index);
    await rows.collection.insertMany(
      numbers.map((number) => ({ _id: `row_${number}`, number, isOld: number < 3 })) as never[],
    );
  }
});
afterAll(() => lifecycle.stop());

const find = (where: object, page: number, cursor?: string) =>
  findCursorPage({ model: rows, where, sort: { number: -1, _id: -1 } }, { page, perPage: 100, cursor });

test('numbered pages end at the cap and are marked as truncated; a filter or a cursor reaches the rest', async () => {
  const last = await find({}, LISTED_MAX / 100);
  expect(last).toMatchObject({ total: LISTED_MAX, truncated: true });
  expect(last.items.at(-1)!.number).toBe(1);
  const beyond = { items: [], page: LISTED_MAX / 100 + 1, nextCursor: null, total: LISTED_MAX, truncated: true };
  expect(await find({}, LISTED_MAX / 100 + 1)).toEqual(beyond);
  const rest = await find({}, 1, last.nextCursor!);
  expect([rest.items.map(({ number }) => number), rest.page, rest.nextCursor]).toEqual([[0], 1001, null]);
  const narrow = await find({ isOld: true }, 1);
  expect([narrow.items.map(({ number }) => number), narrow.total, narrow.truncated]).toEqual([[2, 1, 0], 3, false]);
});

test('a forged cursor carries no other number of read items than a list can have', async () => {
  const { nextCursor } = await find({}, 1);
  const parts = JSON.parse(Buffer.from(nextCursor!, 'base64url').toString()) as unknown[];
  const forged = Buffer.from(JSON.stringify([...parts.slice(0, 3), 9e17])).toString('base64url');
  await expect(find({}, 1, forged)).rejects.toMatchObject({ details: { cursor: [expect.any(String)] } });
});

test('a list with exactly as many rows as its cap is complete', async () => {
  expect(await find({ number: { $gt: 0 } }, 1)).toMatchObject({ total: LISTED_MAX, truncated: false });
});

test('the database ends each query of a page that takes too long', async () => {
  const limits: unknown[] = [];
  const record = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }) =>
    limits.push([commandName, command['maxTimeMS']]);
  const client = db.connection.getClient().on('commandStarted', record);
  const { nextCursor } = await find({}, 1);
  await find({}, 1, nextCursor!);
  client.off('commandStarted', record);
  const [query, count] = [
    ['find', 5000],
    ['aggregate', 5000],
  ];
  expect(limits).toEqual([count, query, count, query, query]);
});

test.each(['find', 'aggregate'])('a page whose %s takes too long is refused with what to do', async (command) => {
  await failCommand(rows.collection, { times: 1 }, { failCommands: [command], errorCode: 50 });
  await expect(find({}, 1)).rejects.toMatchObject({
    code: 'validation_failed',
    details: { narrow: [expect.stringContaining('fewer filters')] },
  });
});
