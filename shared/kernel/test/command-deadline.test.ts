import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { Schema, type Connection } from 'mongoose';
import { isOutage } from '@waymark/kernel/errors';
import { endTransactionsAfter } from '@waymark/kernel/mongo/command-deadline';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { WireRecorder } from './wire-recorder.js';

/** The sockets to the database, which the driver does not show. */
const sockets = new Set<Socket>();
const addSocket = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
subscribe('net.client.socket', addSocket);

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const notes = db.model('Note', new Schema<{ _id: string }>({ _id: String }), 'notes');

beforeAll(() => db.start());
afterAll(async () => {
  unsubscribe('net.client.socket', addSocket);
  await lifecycle.stop();
});

/** Destroys all connections, and works in the same turn of the event loop: no socket has reported that it is closed. */
const onDyingConnections = <T>(work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) =>
    setImmediate(() => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      work().then(resolve, reject);
    }),
  );

test.each<[string, () => Promise<unknown>]>([
  ['a read', () => notes.findOne({})],
  ['a write', () => notes.updateOne({ _id: 'a' }, { $set: {} }, { upsert: true })],
  ['a command that the driver does not repeat', () => db.ping()],
  ['a long operation', () => db.longRunning(notes).countDocuments({})],
  ['a transaction', () => db.transaction(({ session }) => notes.findOne({}, {}, { session }))],
])('%s on a connection that was just destroyed ends, as an outage at worst', async (_name, work) => {
  await work();
  expect(await onDyingConnections(work).then(() => true, isOutage)).toBe(true);
  await work();
});

test('as many transactions as may run at a time, on connections that were just destroyed, keep no permit', async () => {
  const work = () => db.transaction(({ session }) => notes.findOne({}, {}, { session }));
  await onDyingConnections(() => Promise.allSettled(Array.from({ length: 10 }, work)));
  await work();
});

describe('over a connection', () => {
  let recorder: WireRecorder;
  let connection: Connection;
  beforeEach(async () => {
    recorder = await WireRecorder.start(freshBacking().MONGODB_URI);
    connection = await mongoose.createConnection(recorder.uri(), { socketTimeoutMS: 1000 }).asPromise();
  });
  afterEach(async () => {
    recorder.stop();
    await connection.close(true);
  });

  test('a reply that arrives byte by byte is abandoned at the limit, which the socket never reaches', async () => {
    recorder.slowDown();
    const error = await connection.db!.command({ ping: 1 }).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'MongoNetworkTimeoutError' });
    expect(isOutage(error)).toBe(true);
  });

  test('a commit whose outcome stays unknown is repeated no longer than its transaction may take', async () => {
    const session = await connection.startSession();
    endTransactionsAfter(session, 2000);
    recorder.closeAt('commitTransaction');
    const work = () => connection.collection('notes').insertOne({}, { session });
    const error = await session.withTransaction(work).catch((error: unknown) => error);
    await session.endSession();
    expect(isOutage(error)).toBe(true);
    const commits = recorder.commands.filter((command) => 'commitTransaction' in command);
    expect(commits.length).toBeGreaterThan(1);
  });

  test('work that outlasts its transaction changes nothing, not even outside of it', async () => {
    const notes = connection.collection('notes');
    const session = await connection.startSession();
    endTransactionsAfter(session, 200);
    const work = async () => {
      await notes.insertOne({}, { session });
      await sleep(300);
      await notes.insertOne({}, { session });
    };
    const error = await session.withTransaction(work).catch((error: unknown) => error);
    await session.endSession();
    expect(isOutage(error)).toBe(true);
    expect(recorder.commands.filter((command) => 'abortTransaction' in command)).toHaveLength(1);
    expect(await notes.countDocuments()).toBe(0);
  });
});
