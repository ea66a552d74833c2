import { isOutage } from '@waymark/kernel/errors';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';

const log = createLog('test', 'silent');
const OPERATIONS: [string, (db: Database) => Promise<unknown>][] = [
  ['its clock', (db) => db.now()],
  ['a ping', (db) => db.ping()],
  [
    'a transaction',
    (db) => db.transaction(({ session }) => db.connection.collection('notes').findOne({}, { session })),
  ],
];
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

let lifecycle: Lifecycle;
beforeEach(() => (lifecycle = new Lifecycle(log)));
afterEach(() => lifecycle.stop());

test.each(OPERATIONS)('%s fails as an outage until the database has opened', async (_name, operate) => {
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  const beforeStart = await errorOf(operate(db));
  const opening = db.start();
  const whileConnecting = await errorOf(operate(db));
  expect([beforeStart, whileConnecting].map(isOutage)).toEqual([true, true]);
  await opening;
  await operate(db);
});

test.each(OPERATIONS)('%s fails with the error of the driver once the database has opened', async (_name, operate) => {
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  await db.start();
  await lifecycle.stop();
  const error = await errorOf(operate(db));
  expect(error).toMatchObject({ name: expect.stringMatching(/^Mongo/) as string });
});
