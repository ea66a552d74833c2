import { Schema } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const notes = db.model('Note', new Schema({ _id: String }), 'notes');

beforeAll(() => db.start());
afterAll(() => lifecycle.stop());

test('many concurrent transactions run a few at a time and all commit, while reads continue', async () => {
  let running = 0;
  let most = 0;
  let mayEnd!: () => void;
  const end = new Promise<void>((resolve) => (mayEnd = resolve));
  const transactions = Array.from({ length: 110 }, (_, index) =>
    db.transaction(async ({ session }) => {
      running += 1;
      most = Math.max(most, running);
      try {
        await notes.insertMany([{ _id: `${index}` }], { session, lean: true });
        await end;
      } finally {
        running -= 1;
      }
    }),
  );
  await waitFor('some to run', () => running > 5);
  expect(await notes.countDocuments()).toBe(0);
  mayEnd();
  await Promise.all(transactions);
  expect(await notes.countDocuments()).toBe(110);
  expect(most).toBeLessThanOrEqual(10);
});
