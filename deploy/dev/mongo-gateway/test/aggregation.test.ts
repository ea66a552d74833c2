import type { Connection } from 'mongoose';
import { closeTestDatabase, openTestDatabase, rejection } from './connect.js';

let connection: Connection;
const scans = () => connection.collection('scans');
const isLocalDatabase = async () =>
  (await connection.db!.admin().command({ buildInfo: 1 })).gitVersion === 'documentdb';

beforeAll(async () => {
  connection = await openTestDatabase('aggregation');
  await connection.collection<{ _id: string; name: string }>('links').insertOne({ _id: 'l0', name: 'Zero' });
  await scans().insertMany(
    Array.from({ length: 60 }, (_, n) => ({
      link: `l${n % 3}`,
      visitor: `v${n % 7}`,
      tags: ['all', n % 2 ? 'odd' : 'even'],
      at: new Date(Date.UTC(2026, 2, 28, n)),
    })),
  );
});
afterAll(() => closeTestDatabase(connection));

test('$group counts, and distinct visitors by $addToSet', async () => {
  const grouped = await scans()
    .aggregate([
      { $group: { _id: '$link', scans: { $sum: 1 }, visitors: { $addToSet: '$visitor' } } },
      { $project: { scans: 1, visitors: { $size: '$visitors' } } },
      { $sort: { _id: 1 } },
    ])
    .toArray();
  expect(grouped).toEqual(['l0', 'l1', 'l2'].map((_id) => ({ _id, scans: 20, visitors: 7 })));
});

test('$facet answers several questions in one pass', async () => {
  const facets = { total: [{ $count: 'n' }], odd: [{ $match: { tags: 'odd' } }, { $count: 'n' }] };
  expect(
    await scans()
      .aggregate([{ $facet: facets }])
      .toArray(),
  ).toEqual([{ total: [{ n: 60 }], odd: [{ n: 30 }] }]);
});

test('$lookup joins by field and by pipeline', async () => {
  const byField = { $lookup: { from: 'links', localField: 'link', foreignField: '_id', as: 'joined' } };
  const condition = { $match: { $expr: { $eq: ['$_id', '$$link'] } } };
  const byPipeline = { $lookup: { from: 'links', let: { link: '$link' }, pipeline: [condition], as: 'joined' } };
  for (const lookup of [byField, byPipeline]) {
    const joined = await scans()
      .aggregate([lookup, { $unwind: '$joined' }, { $count: 'n' }])
      .toArray();
    expect(joined).toEqual([{ n: 20 }]);
  }
});

test('$setUnion over grouped arrays yields each element once', async () => {
  const union = { $reduce: { input: '$lists', initialValue: [], in: { $setUnion: ['$$value', '$$this'] } } };
  const [result] = await scans()
    .aggregate([{ $group: { _id: null, lists: { $push: '$tags' } } }, { $project: { tags: union } }])
    .toArray();
  expect((result!.tags as string[]).sort()).toEqual(['all', 'even', 'odd']);
});

test('days in a time zone follow its summer time', async () => {
  const day = { $dateToString: { date: '$at', format: '%Y-%m-%d', timezone: 'Europe/Berlin' } };
  const days = await scans()
    .aggregate([{ $group: { _id: day, n: { $sum: 1 } } }, { $sort: { _id: 1 } }])
    .toArray();
  // The 29th of March 2026 has 23 hours in Berlin.
  expect(days).toEqual([
    { _id: '2026-03-28', n: 23 },
    { _id: '2026-03-29', n: 23 },
    { _id: '2026-03-30', n: 14 },
  ]);
});

test('hours by $dateTrunc with a time zone are whole hours', async () => {
  const hour = { $dateTrunc: { date: '$at', unit: 'hour', timezone: 'Europe/Berlin' } };
  expect(
    await scans()
      .aggregate([{ $group: { _id: hour } }, { $count: 'n' }])
      .toArray(),
  ).toEqual([{ n: 60 }]);
});

test('$dateTrunc to a day is right, or refused where the database computes it wrongly', async () => {
  const day = { $dateTrunc: { date: '$at', unit: 'day' } };
  const days = () =>
    scans()
      .aggregate([{ $group: { _id: day } }, { $count: 'n' }])
      .toArray();
  if (await isLocalDatabase()) expect(await rejection(days())).toMatchObject({ code: 115 });
  else expect(await days()).toEqual([{ n: 3 }]);
});

test('$merge writes its result into another collection', async () => {
  const merge = { $merge: { into: 'totals', on: '_id', whenMatched: 'replace', whenNotMatched: 'insert' } };
  for (let times = 0; times < 2; times++) {
    await scans()
      .aggregate([{ $group: { _id: '$link', n: { $sum: 1 } } }, merge])
      .toArray();
  }
  const totals = await connection.collection('totals').find().sort({ _id: 1 }).toArray();
  expect(totals.map(({ n }) => n as number)).toEqual([20, 20, 20]);
});
