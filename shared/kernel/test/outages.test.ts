import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { Schema, type Model } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { isOnlyDuplicateKeys, isOutage } from '@waymark/kernel/errors';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand, type FailPointData } from '@waymark/testing/fail-command';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const notes = db.model('Note', new Schema<{ _id: string }>({ _id: String }), 'notes');

beforeAll(() => db.start());
afterEach(() => failCommand(notes.collection, 'off'));
afterAll(() => lifecycle.stop());

async function errorOf(work: () => Promise<unknown>, data: FailPointData): Promise<Error> {
  await failCommand(notes.collection, { times: 1 }, data);
  return work().then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: Error) => error,
  );
}

test.each([
  [6, 'HostUnreachable'],
  [7, 'HostNotFound'],
  [43, 'CursorNotFound'],
  [64, 'WriteConcernTimeout'],
  [89, 'NetworkTimeout'],
  [91, 'ShutdownInProgress'],
  [189, 'PrimarySteppedDown'],
  [262, 'ExceededTimeLimit'],
  [9001, 'SocketException'],
  [10107, 'NotWritablePrimary'],
  [11600, 'InterruptedAtShutdown'],
  [11602, 'InterruptedDueToReplStateChange'],
  [13435, 'NotPrimaryNoSecondaryOk'],
  [13436, 'NotPrimaryOrSecondary'],
  [18, 'AuthenticationFailed'],
  [371, 'UserWritesBlocked'],
  [8000, 'AtlasError'],
  [14031, 'OutOfDiskSpace'],
])('isOutage recognizes the command error %i (%s)', async (errorCode) => {
  const error = await errorOf(() => notes.updateOne({ _id: 'a' }, { $set: {} }, { upsert: true }), {
    failCommands: ['update'],
    errorCode,
  });
  expect(isOutage(error)).toBe(true);
});

test.each([
  [50, 'MaxTimeMSExpired'],
  [2, 'BadValue'],
  [13, 'Unauthorized'],
  [388, 'TransactionTooLargeForCache'],
])('isOutage does not match the command error %i (%s)', async (errorCode) => {
  const error = await errorOf(() => notes.find({ _id: 'a' }), { failCommands: ['find'], errorCode });
  expect(isOutage(error)).toBe(false);
});

test('isOutage recognizes the label of a retryable command', async () => {
  const retryable = { failCommands: ['find'], errorCode: 50, errorLabels: ['RetryableWriteError'] };
  expect(isOutage(await errorOf(() => notes.find({}), retryable))).toBe(true);
});

test('isOutage recognizes a request to authenticate again that the driver has answered in vain', () => {
  expect(isOutage(Object.assign(new Error('again'), { code: 391 }))).toBe(true);
});

test('isOutage recognizes a lost cursor', async () => {
  await notes.insertMany(Array.from({ length: 5 }, (_, index) => ({ _id: `cursor ${index}` })));
  const readAll = async () => {
    for await (const row of notes.find({}).cursor({ batchSize: 2 })) expect(row._id).toBeDefined();
  };
  expect(isOutage(await errorOf(readAll, { failCommands: ['getMore'], errorCode: 43 }))).toBe(true);
});

describe('isOutage recognizes a connection that has ended:', () => {
  const errorOfWrite = (stream: PassThrough | Socket): Promise<Error> =>
    new Promise((_, reject) => stream.on('error', reject).write('x', (error) => error && reject(error))).then(
      () => new Error('expected an error'),
      (error: Error) => error,
    );

  test.each<[string, () => Promise<Error>]>([
    ['ERR_STREAM_DESTROYED', () => errorOfWrite(new PassThrough().destroy())],
    ['ERR_STREAM_WRITE_AFTER_END', () => errorOfWrite(new PassThrough().end())],
    ['EPIPE', () => withPeer('end', (socket) => once(socket.resume(), 'end').then(() => errorOfWrite(socket)))],
    [
      'ECONNRESET',
      () =>
        withPeer(
          'resetAndDestroy',
          (socket) => once(socket.resume(), 'data').catch((error: Error) => error) as Promise<Error>,
        ),
    ],
  ])('%s', async (code, fail) => {
    const error = await fail();
    expect(error).toMatchObject({ code });
    expect(isOutage(error)).toBe(true);
    expect(isOutage(new Error('wrapped', { cause: error }))).toBe(true);
  });

  async function withPeer<T>(leave: 'end' | 'resetAndDestroy', use: (socket: Socket) => Promise<T>): Promise<T> {
    const server = createServer((peer) => void peer[leave]()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      return await use(socket);
    } finally {
      socket.destroy();
      server.close();
    }
  }
});

test('isOutage does not match a wrong address', () => {
  expect(isOutage(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe(false);
});

describe('a write that the primary applied but the majority did not confirm', () => {
  const unconfirmed = (command: string): FailPointData => ({
    failCommands: [command],
    writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
  });

  test.each<[string, string, (model: Model<{ _id: string }>) => Promise<unknown>]>([
    ['an update', 'update', (model) => model.updateOne({ _id: 'b' }, { $set: {} }, { upsert: true })],
    ['a delete', 'delete', (model) => model.deleteOne({ _id: 'b' })],
    ['an insert', 'insert', (model) => model.insertMany([{ _id: 'c' }], { ordered: false, lean: true })],
    [
      'a bulk write',
      'update',
      (model) => model.bulkWrite([{ updateOne: { filter: { _id: 'd' }, update: { $set: {} }, upsert: true } }]),
    ],
  ])('counts as an outage when it is %s', async (_name, command, work) => {
    expect(isOutage(await errorOf(() => work(notes), unconfirmed(command)))).toBe(true);
  });

  test('counts as an outage even with duplicate keys', async () => {
    await notes.insertMany([{ _id: 'there' }], { lean: true });
    const rows = [{ _id: 'there' }, { _id: 'not there' }];
    const error = await errorOf(() => insertMissing(notes, rows), unconfirmed('insert'));
    expect(isOnlyDuplicateKeys(error)).toBe(false);
    expect(isOutage(error)).toBe(true);
  });
});
