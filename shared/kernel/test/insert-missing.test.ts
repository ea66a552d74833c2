import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import mongoose, { Schema, type Connection, type Model } from 'mongoose';
import { isOutage } from '@waymark/kernel/errors';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';
import { freshBacking } from '@waymark/testing/backing';

interface Row {
  _id: string;
  text: string;
}

const { MONGODB_URI } = freshBacking();
const schema = new Schema<Row>({ _id: String, text: String });
let direct: Connection;
let rows: Model<Row>;

beforeAll(async () => {
  direct = await mongoose.createConnection(MONGODB_URI).asPromise();
  rows = direct.model<Row>('Row', schema, 'rows');
  await rows.createCollection();
});
afterAll(() => direct.close());

const texts = async () => (await rows.find().sort({ _id: 1 }).lean()).map(({ _id, text }) => `${_id}${text}`);

test('insertMissing leaves existing rows unchanged, and inserts the others', async () => {
  await insertMissing(rows, [row('b', 'first')]);
  await insertMissing(rows, [row('c', 'second'), row('b', 'second'), row('a', 'second')]);
  await insertMissing(rows, [row('a', 'third'), row('b', 'third')]);
  expect(await texts()).toEqual(['asecond', 'bfirst', 'csecond']);
});

test('insertMissing reports an outage when the database fails in the middle, never a success', async () => {
  const proxy = await cutter(new URL(MONGODB_URI));
  const cut = await mongoose.createConnection(proxy.uri, { serverSelectionTimeoutMS: 500 }).asPromise();
  const model = cut.model<Row>('Row', schema, 'rows');
  await model.findOne().lean();
  proxy.cut();
  const error: unknown = await insertMissing(model, [row('x', 'lost')]).then(
    () => 'inserted',
    (reason: unknown) => reason,
  );
  expect(isOutage(error)).toBe(true);
  await cut.close();
  proxy.stop();
});

function row(_id: string, text: string): Row {
  return { _id, text };
}

/** A way to the database that can be cut for good. */
async function cutter(to: URL) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const upstream = connect(Number(to.port), to.hostname);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => [socket, upstream].forEach((one) => one.destroy()));
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const uri = new URL(to);
  uri.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  uri.search = '?directConnection=true&retryWrites=false';
  return {
    uri: uri.href,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    stop: () => void server.close(),
  };
}
