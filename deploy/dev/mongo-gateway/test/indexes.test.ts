import type { Connection } from 'mongoose';
import { waitFor } from '@waymark/testing/wait-for';
import { closeTestDatabase, openTestDatabase, rejection } from './connect.js';

let connection: Connection;
beforeAll(async () => void (connection = await openTestDatabase('indexes')));
afterAll(() => closeTestDatabase(connection));

test('a unique index over two fields refuses only the same pair', async () => {
  const pairs = connection.collection('pairs');
  await pairs.createIndex({ host: 1, code: 1 }, { unique: true });
  await pairs.insertMany([
    { host: 'a', code: 'x' },
    { host: 'b', code: 'x' },
  ]);
  expect(await rejection(pairs.insertOne({ host: 'a', code: 'x' }))).toMatchObject({ code: 11000 });
});

test('a partial unique index ignores documents outside its filter', async () => {
  const codes = connection.collection('codes');
  await codes.createIndex({ code: 1 }, { unique: true, partialFilterExpression: { code: { $type: 'string' } } });
  await codes.insertMany([{ code: null }, { code: null }, {}, { code: 'x' }]);
  expect(await rejection(codes.insertOne({ code: 'x' }))).toMatchObject({ code: 11000 });
  expect(await codes.countDocuments()).toBe(4);
});

test('a TTL index deletes expired documents and keeps the others', async () => {
  const sessions = connection.collection('sessions');
  await sessions.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
  const hourMs = 3_600_000;
  await sessions.insertMany([
    { name: 'old', expires_at: new Date(Date.now() - hourMs) },
    { name: 'new', expires_at: new Date(Date.now() + hourMs) },
    { name: 'never' },
  ]);
  // MongoDB itself looks once a minute.
  await waitFor('the expiry', async () => (await sessions.countDocuments({ name: 'old' })) === 0, 75_000);
  expect(await sessions.countDocuments()).toBe(2);
});

test('indexes are listed and dropped by name, and creating one again changes nothing', async () => {
  const listed = connection.collection('listed');
  expect(await listed.createIndex({ at: -1 }, { name: 'by_time' })).toBe('by_time');
  await listed.createIndex({ at: -1 }, { name: 'by_time' });
  expect((await listed.indexes()).map(({ name }) => name)).toEqual(['_id_', 'by_time']);
  await listed.dropIndex('by_time');
  expect((await listed.indexes()).map(({ name }) => name)).toEqual(['_id_']);
});

test('an explained query tells how many documents it returned, and how many it examined', async () => {
  const events = connection.collection('explained');
  await events.insertMany(Array.from({ length: 100 }, (_, i) => ({ type: i % 10, at: i, kept: i % 20 === 0 })));
  await events.createIndex({ type: 1, at: 1 });
  const explained = async (filter: object) => {
    const { executionStats } = await events.find(filter).explain('executionStats');
    return executionStats as object;
  };
  expect(await explained({ type: 0 })).toMatchObject({ nReturned: 10, totalDocsExamined: 10 });
  expect(await explained({ type: 0, kept: true })).toMatchObject({ nReturned: 5, totalDocsExamined: 10 });
  const counted = await events.aggregate([{ $match: { type: 0 } }, { $limit: 3 }]).explain('executionStats');
  expect(counted).toMatchObject({ executionStats: { nReturned: 3, totalDocsExamined: 3 } });
});

test('the same index created by many clients at once is made once', async () => {
  const raced = connection.collection('raced');
  await Promise.all(Array.from({ length: 8 }, () => raced.createIndex({ code: 1 }, { unique: true })));
  expect(await raced.indexes()).toHaveLength(2);
});

test('a dropped collection is no longer listed', async () => {
  await connection.collection('gone').insertOne({});
  await connection.collection('gone').drop();
  expect((await connection.listCollections()).map(({ name }) => name)).not.toContain('gone');
});
