import mongoose, { Schema, type Connection, type Model } from 'mongoose';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';
import { freshBacking } from '@waymark/testing/backing';

interface Row {
  _id: string;
  revision: number;
  text?: string;
}

const IDS = Array.from({ length: 40 }, (_, index) => `row-${index}`);
const REVISIONS = [1, 2, 3, 4];

let connection: Connection;
let rows: Model<Row>;

beforeAll(async () => {
  connection = await mongoose.createConnection(freshBacking().MONGODB_URI).asPromise();
  rows = connection.model<Row>('Row', new Schema<Row>({ _id: String, revision: Number, text: String }), 'rows');
  await rows.createCollection();
});
afterAll(() => connection.close());

const replace = (given: Row[]) =>
  upsertIfNewer(rows, given, (replacement, guard) => ({ replaceOne: { ...guard, replacement } }));
const stored = () => rows.find({}, { __v: 0 }).sort({ _id: 1 }).lean();

test('upsertIfNewer keeps the newest row for every order of arrival, within a batch and across batches', async () => {
  await replace([]);
  await replace([row('b', 2), row('a', 1), row('b', 1), row('b', 3)]);
  await replace([row('b', 2), row('a', 2), row('a', 2)]);
  expect(await stored()).toEqual([row('a', 2), row('b', 3)]);
  await rows.deleteMany({});
});

test('upsertIfNewer never lets a concurrent worker overwrite a newer row', async () => {
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(IDS.flatMap((id) => REVISIONS.map((revision) => replace([row(id, revision)]))));
    expect((await stored()).filter(({ revision }) => revision !== REVISIONS.at(-1))).toEqual([]);
    await rows.deleteMany({});
  }
});

test.each([
  ['no revision', {}],
  ['a revision that is null', { revision: null }],
  ['a revision that is text', { revision: 'none' }],
  ['a revision that is not a number', { revision: NaN }],
])('upsertIfNewer replaces a damaged row with %s', async (_, damage) => {
  await rows.collection.insertOne({ _id: 'a', text: 'damaged', ...damage } as never);
  await replace([row('a', 1), row('b', 1)]);
  await replace([row('a', 0)]);
  expect(await stored()).toEqual([row('a', 1), row('b', 1)]);
  await rows.deleteMany({});
});

function row(_id: string, revision: number): Row {
  return { _id, revision, text: `revision ${revision}` };
}
