import { Types, type Connection } from 'mongoose';
import { closeTestDatabase, openTestDatabase, rejection } from './connect.js';

let connection: Connection;
beforeAll(async () => void (connection = await openTestDatabase('crud')));
afterAll(() => closeTestDatabase(connection));

const links = () => connection.collection<{ _id: number | string; [key: string]: unknown }>('links');

describe('single documents', () => {
  beforeEach(() => links().deleteMany({}));

  test('an inserted document is found with its BSON types', async () => {
    const { insertedId } = await connection.collection('types').insertOne({
      long: 9007199254740993n,
      at: new Date(0),
      nil: null,
      bytes: Buffer.from('hi'),
      id: new Types.ObjectId(),
    });
    const found = await connection.collection('types').findOne({ _id: insertedId }, { useBigInt64: true });
    expect(found).toMatchObject({ long: 9007199254740993n, at: new Date(0), nil: null });
  });

  test('an update of a missing document with upsert inserts it with $setOnInsert', async () => {
    const result = await links().updateOne({ _id: 1 }, { $set: { a: 1 }, $setOnInsert: { b: 2 } }, { upsert: true });
    expect(result).toMatchObject({ upsertedId: 1, matchedCount: 0 });
    expect(await links().findOne({ _id: 1 })).toEqual({ _id: 1, a: 1, b: 2 });
  });

  test('findOneAndUpdate with upsert returns the new document', async () => {
    const counters = connection.collection<{ _id: number; n: number }>('counters');
    const count = () =>
      counters.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, { upsert: true, returnDocument: 'after' });
    expect(await count()).toEqual({ _id: 2, n: 1 });
    expect(await count()).toEqual({ _id: 2, n: 2 });
  });

  test('a pipeline update filters and appends to an array and sets $$NOW', async () => {
    await links().insertOne({ _id: 3, list: [1, 2, 3] });
    const kept = { $filter: { input: '$list', cond: { $gt: ['$$this', 1] } } };
    await links().updateOne({ _id: 3 }, [{ $set: { list: { $concatArrays: [kept, [9]] }, at: '$$NOW' } }]);
    expect(await links().findOne({ _id: 3 })).toEqual({ _id: 3, list: [2, 3, 9], at: expect.any(Date) as Date });
  });

  test('updates of one row with $$NOW at the same time wait for each other, also while it comes and goes', async () => {
    const leases = connection.collection<{ _id: string; owner: number }>('leases');
    const take = (owner: number) => {
      const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
      const change = {
        owner: { $cond: [isFree, owner, '$owner'] },
        until: { $cond: [isFree, { $add: ['$$NOW', 5000] }, '$until'] },
      };
      return leases.findOneAndUpdate({ _id: 'a' }, [{ $set: change }], { upsert: true, returnDocument: 'after' });
    };
    const failures = new Set<string>();
    let held = 0;
    const owners = Array.from({ length: 8 }, async (_, owner) => {
      for (let round = 0; round < 50; round += 1) {
        const row = await take(owner).catch((error: Error & { code?: number }) => {
          if (error.code !== 11000) failures.add(error.message);
          return null;
        });
        if (row?.owner !== owner) continue;
        held += 1;
        await leases.deleteOne({ _id: 'a', owner });
      }
    });
    await Promise.all(owners);
    expect([...failures]).toEqual([]);
    expect(held).toBeGreaterThan(0);
  });

  test('an update with array filters changes the matching elements only', async () => {
    await links().insertOne({ _id: 4, items: [{ k: 1 }, { k: 2 }] });
    await links().updateOne({ _id: 4 }, { $set: { 'items.$[item].x': true } }, { arrayFilters: [{ 'item.k': 2 }] });
    expect(await links().findOne({ _id: 4 })).toEqual({ _id: 4, items: [{ k: 1 }, { k: 2, x: true }] });
  });

  test('count, distinct and delete see the same documents', async () => {
    await links().insertMany([1, 2, 3, 4].map((n) => ({ _id: n, parity: n % 2 })));
    expect(await links().countDocuments({ parity: 1 })).toBe(2);
    expect((await links().distinct('parity')).sort()).toEqual([0, 1]);
    expect((await links().deleteMany({ parity: 0 })).deletedCount).toBe(2);
    expect(await links().estimatedDocumentCount()).toBeLessThanOrEqual(4);
  });
});

describe('bulk writes', () => {
  const unique = () => connection.collection('unique');
  beforeAll(() => unique().createIndex({ code: 1 }, { unique: true }));
  beforeEach(() => unique().deleteMany({}));

  test('an unordered insert with a duplicate keeps the others and names the failed one', async () => {
    const documents = [{ code: 'a' }, { code: 'a' }, { code: 'b' }];
    const error = await rejection(unique().insertMany(documents, { ordered: false }));
    expect(error.code).toBe(11000);
    expect(error.writeErrors).toMatchObject([{ code: 11000, index: 1 }]);
    expect(await unique().countDocuments()).toBe(2);
  });

  test('an ordered insert with a duplicate stops there', async () => {
    await rejection(unique().insertMany([{ code: 'a' }, { code: 'a' }, { code: 'b' }]));
    expect(await unique().countDocuments()).toBe(1);
  });

  test('a duplicate key names its key', async () => {
    await unique().insertOne({ code: 'a' });
    const error = await rejection(unique().insertOne({ code: 'a' }));
    expect(error.code).toBe(11000);
    expect(error.message).toMatch(/^E11000 duplicate key error collection: .*unique index: code_1/);
    const upsert = unique().findOneAndUpdate({ code: 'b' }, { $set: { code: 'a' } }, { upsert: true });
    expect(await rejection(upsert)).toMatchObject({ code: 11000, keyPattern: { code: 1 } });
  });

  test('writes of several kinds in one bulk are counted by kind', async () => {
    await unique().insertMany([{ code: 'a' }, { code: 'b' }]);
    const result = await unique().bulkWrite([
      { updateOne: { filter: { code: 'a' }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { code: 'z' }, update: { $inc: { n: 1 } }, upsert: true } },
      { deleteOne: { filter: { code: 'b' } } },
      { insertOne: { document: { code: 'c' } } },
    ]);
    expect(result).toMatchObject({ modifiedCount: 1, upsertedCount: 1, deletedCount: 1, insertedCount: 1 });
  });

  test('parallel unordered upserts of the same keys in different order count each write once', async () => {
    const codes = Array.from({ length: 30 }, (_, n) => `k${n}`);
    const upserts = (order: string[]) =>
      order.map((code) => ({ updateOne: { filter: { code }, update: { $inc: { n: 1 } }, upsert: true } }));
    const rotated = (by: number) => [...codes.slice(by), ...codes.slice(0, by)].reverse();
    const bulks = Array.from({ length: 10 }, (_, by) =>
      unique().bulkWrite(upserts(by % 2 ? rotated(by) : codes), { ordered: false }),
    );
    await Promise.all(bulks);
    expect((await unique().find().toArray()).map(({ n }) => n as number)).toEqual(codes.map(() => 10));
  });

  test('parallel upserts of one key all succeed and make one document', async () => {
    const upsert = () => unique().updateOne({ code: 'hot' }, { $inc: { n: 1 } }, { upsert: true });
    await Promise.all(Array.from({ length: 20 }, upsert));
    expect(await unique().find({ code: 'hot' }).toArray()).toMatchObject([{ n: 20 }]);
  });
});

describe('large results', () => {
  test('a cursor over 5,000 documents in batches of 100 returns each once', async () => {
    const many = connection.collection('many');
    await many.insertMany(Array.from({ length: 5_000 }, (_, n) => ({ n })));
    for (const cursor of [many.find({}, { batchSize: 100 }), many.find({}, { batchSize: 100 }).sort({ n: -1 })]) {
      const seen = new Set<unknown>();
      for await (const { n } of cursor) seen.add(n);
      expect(seen.size).toBe(5_000);
    }
  });

  test('a cursor closed early leaves the database usable', async () => {
    const cursor = connection.collection('many').find({}, { batchSize: 10 }).sort({ n: 1 });
    await cursor.next();
    await cursor.close();
    expect(await connection.collection('many').countDocuments()).toBe(5_000);
  });

  test('a batch of 16 documents of 1 MB is written and read whole', async () => {
    const large = connection.collection('large');
    await large.insertMany(Array.from({ length: 16 }, (_, n) => ({ n, text: 'x'.repeat(1_000_000) })));
    const found = await large.find().toArray();
    expect(found.map(({ text }) => (text as string).length)).toEqual(Array(16).fill(1_000_000));
  });
});

describe('errors', () => {
  test('an unknown command gets CommandNotFound', async () => {
    expect(await rejection(connection.db!.command({ noSuchThing: 1 }))).toMatchObject({ code: 59 });
  });

  test('an unknown operator gets BadValue', async () => {
    expect(await rejection(links().find({ $nonsense: 1 }).toArray())).toMatchObject({ code: 2 });
  });

  test('an unacknowledged write is stored', async () => {
    await links().insertOne({ _id: 'w0' }, { writeConcern: { w: 0 } });
    expect(await links().countDocuments({ _id: 'w0' })).toBe(1);
  });
});
