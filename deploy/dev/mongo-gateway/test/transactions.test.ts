import type { Connection } from 'mongoose';
import { closeTestDatabase, openTestDatabase, rejection } from './connect.js';

let connection: Connection;
const accounts = () => connection.collection<{ _id: string; n: number }>('accounts');
const taken = () => connection.collection('taken');

beforeAll(async () => {
  connection = await openTestDatabase('transactions');
  await taken().createIndex({ code: 1 }, { unique: true });
});
afterAll(() => closeTestDatabase(connection));
beforeEach(async () => {
  await accounts().deleteMany({});
  await accounts().insertOne({ _id: 'a', n: 0 });
});

test('a committed transaction is seen whole, and not before its commit', async () => {
  await connection.transaction(async (session) => {
    await accounts().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session });
    await accounts().insertOne({ _id: 'b', n: 5 }, { session });
    expect(await accounts().countDocuments({ n: { $gt: 0 } }, { session })).toBe(2);
    expect(await accounts().countDocuments({ n: { $gt: 0 } })).toBe(0);
  });
  expect(await accounts().countDocuments({ n: { $gt: 0 } })).toBe(2);
});

test('a transaction whose function throws leaves nothing', async () => {
  const failing = connection.transaction(async (session) => {
    await accounts().insertOne({ _id: 'b', n: 5 }, { session });
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await accounts().countDocuments()).toBe(1);
});

test('the second writer of a document gets a transient WriteConflict', async () => {
  const [first, second] = await Promise.all([connection.startSession(), connection.startSession()]);
  first.startTransaction();
  second.startTransaction();
  await accounts().findOne({ _id: 'a' }, { session: second });
  await accounts().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: first });
  await first.commitTransaction();
  const error = await rejection(accounts().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: second }));
  expect(error).toMatchObject({ code: 112 });
  expect(
    (error as unknown as { hasErrorLabel(label: string): boolean }).hasErrorLabel('TransientTransactionError'),
  ).toBe(true);
  await second.abortTransaction();
  await Promise.all([first.endSession(), second.endSession()]);
});

test('an element of a unique array that another document has is a duplicate key', async () => {
  const tagged = connection.collection('tagged');
  await tagged.createIndex({ of: 1, tags: 1 }, { unique: true });
  await tagged.insertOne({ of: 'a', tags: ['x', 'y'] });
  for (const tags of [['y'], ['z', 'x'], 'y']) {
    const insert = connection.transaction((session) => tagged.insertOne({ of: 'a', tags }, { session }));
    expect(await rejection(insert)).toMatchObject({ code: 11000 });
  }
  await connection.transaction((session) => tagged.insertOne({ of: 'b', tags: ['x'] }, { session }));
});

test('a command after a failed one in the same transaction gets NoSuchTransaction', async () => {
  await taken().insertOne({ code: 'used' });
  const session = await connection.startSession();
  session.startTransaction();
  expect(await rejection(taken().insertOne({ code: 'used' }, { session }))).toMatchObject({ code: 11000 });
  expect(await rejection(taken().findOne({}, { session }))).toMatchObject({ code: 251 });
  await session.abortTransaction();
  await session.endSession();
});

test('fifty parallel increments in transactions add up exactly', async () => {
  const increment = () =>
    connection.transaction((session) => accounts().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session }));
  await Promise.all(Array.from({ length: 50 }, increment));
  expect(await accounts().findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 50 });
});

test('fifty parallel reads and writes back in transactions lose no update', async () => {
  const readThenWrite = async () => {
    const session = await connection.startSession();
    await session.withTransaction(async () => {
      const found = await accounts().findOne({ _id: 'a' }, { session });
      await accounts().updateOne({ _id: 'a' }, { $set: { n: found!.n + 1 } }, { session });
    });
    await session.endSession();
  };
  await Promise.all(Array.from({ length: 50 }, readThenWrite));
  expect(await accounts().findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 50 });
});

test('of parallel transactions that look and then insert a unique key exactly one inserts', async () => {
  const claim = () =>
    connection.transaction(async (session) => {
      if (await taken().findOne({ code: 'hot' }, { session })) return false;
      await taken().insertOne({ code: 'hot' }, { session });
      return true;
    });
  const outcomes = await Promise.all(Array.from({ length: 20 }, claim));
  expect(outcomes.filter(Boolean)).toHaveLength(1);
  expect(await taken().countDocuments({ code: 'hot' })).toBe(1);
});

test('a cursor inside a transaction reads its snapshot to the end', async () => {
  const rows = connection.collection('rows');
  await rows.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })));
  await connection.transaction(async (session) => {
    const cursor = rows.find({}, { session, batchSize: 50 }).sort({ n: 1 });
    await cursor.next();
    await rows.insertOne({ n: 1_000 });
    expect(await cursor.toArray()).toHaveLength(499);
  });
});
