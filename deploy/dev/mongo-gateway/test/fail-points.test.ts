import type { Connection } from 'mongoose';
import { closeTestDatabase, openTestDatabase, rejection } from './connect.js';

let connection: Connection;
const notes = () => connection.collection<{ _id: string; n: number }>('notes');

beforeAll(async () => {
  connection = await openTestDatabase('fail-points');
  await notes().insertOne({ _id: 'a', n: 0 });
});
afterEach(() => configure('off', {}));
afterAll(() => closeTestDatabase(connection));

const configure = (mode: string | { times: number }, data: object) =>
  connection
    .db!.admin()
    .command({ configureFailPoint: 'failCommand', mode, data: { namespace: `${connection.name}.notes`, ...data } });

describe('the fail point failCommand', () => {
  test('fails as many commands as configured, of the named collection alone', async () => {
    await configure({ times: 2 }, { failCommands: ['find'], errorCode: 43 });
    expect(await rejection(notes().findOne())).toMatchObject({ code: 43 });
    expect(await connection.collection('others').findOne()).toBeNull();
    expect(await rejection(notes().findOne())).toMatchObject({ code: 43 });
    expect(await notes().findOne()).toMatchObject({ n: 0 });
  });

  test('adds a write concern error to a write that has happened', async () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
    await configure({ times: 1 }, { failCommands: ['update'], writeConcernError });
    const error = await rejection(notes().updateOne({ _id: 'a' }, { $inc: { n: 1 } }));
    expect(error).toMatchObject({ name: 'MongoWriteConcernError', code: 64 });
    expect(await notes().findOne()).toMatchObject({ n: 1 });
  });

  test('drops the connection', async () => {
    await configure({ times: 1 }, { failCommands: ['update'], closeConnection: true });
    const error = await rejection(notes().updateOne({ _id: 'a' }, { $inc: { n: 1 } }));
    expect(error).toMatchObject({ name: 'MongoNetworkError' });
    expect(await notes().findOne()).toMatchObject({ n: 1 });
  });
});

test('the second writer of a document fails at once when conflicts do not wait', async () => {
  const wait = (waitMs: number) =>
    connection.db!.admin().command({ setParameter: 1, maxTransactionLockRequestTimeoutMillis: waitMs });
  const [first, second] = await Promise.all([connection.startSession(), connection.startSession()]);
  await wait(60_000);
  try {
    first.startTransaction();
    await notes().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: first });
    await wait(0);
    second.startTransaction();
    const error = await rejection(notes().updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: second }));
    expect(error).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
  } finally {
    await wait(250);
    await Promise.all([first.endSession(), second.endSession()]);
  }
});
