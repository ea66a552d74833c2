import { Schema } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { isOutage } from '@waymark/kernel/errors';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';
import { WireRecorder } from './wire-recorder.js';

/** Longer than an operation of a request may stay without a reply. */
const LONG_MS = 12_000;
const log = createLog('test', 'fatal');
const lifecycles: Lifecycle[] = [];
afterEach(() => Promise.all(lifecycles.splice(0).map((lifecycle) => lifecycle.stop())));

interface Note {
  _id: string;
  n?: number;
}

function open(uri: string, upgrade?: () => Promise<void>, indexed = false) {
  const lifecycle = new Lifecycle(log);
  lifecycles.push(lifecycle);
  const db = new Database(uri, { log, lifecycle });
  const schema = new Schema<Note>({ _id: String, n: Number });
  if (indexed) schema.index({ n: 1 }, { unique: true });
  const notes = db.model<Note>('Note', schema, 'notes');
  if (upgrade) db.upgradeBy(notes, upgrade);
  return { db, lifecycle, notes };
}

test('an operation of a request times out, a long operation does not', async () => {
  const { db, notes } = open(freshBacking().MONGODB_URI);
  await db.start();
  // The driver repeats a read once.
  await failCommand(
    notes.collection,
    { times: 3 },
    { failCommands: ['find'], blockConnection: true, blockTimeMS: LONG_MS },
  );
  const [short, long] = await Promise.allSettled([notes.find({}), db.longRunning(notes).find({})]);
  expect(short).toMatchObject({ status: 'rejected', reason: { name: 'MongoNetworkTimeoutError' } });
  expect(long).toMatchObject({ status: 'fulfilled', value: [] });
});

test('a long operation fails as an outage when the database freezes', async () => {
  const recorder = await WireRecorder.start(freshBacking().MONGODB_URI);
  try {
    const { db, notes } = open(recorder.uri());
    await db.start();
    recorder.fallSilent();
    await expect(db.longRunning(notes).find({}).then(String, isOutage)).resolves.toBe(true);
  } finally {
    recorder.stop();
  }
});

test('no operation runs before its indexes exist, and one process at a time creates them', async () => {
  const { MONGODB_URI } = freshBacking();
  let running = 0;
  let runningMax = 0;
  let mayEnd!: () => void;
  const end = new Promise<void>((resolve) => (mayEnd = resolve));
  const upgrade = async () => {
    runningMax = Math.max(runningMax, (running += 1));
    await end;
    running -= 1;
  };
  const processes = [1, 2, 3].map(() => open(MONGODB_URI, upgrade, true));
  const started = processes.map(({ db }) => db.start());
  await waitFor('one to upgrade', () => running > 0);
  for (const { db, notes } of processes) {
    expect(db.isReady).toBe(false);
    await expect(notes.create({ _id: 'early', n: 1 }).then(String, isOutage)).resolves.toBe(true);
  }
  mayEnd();
  await Promise.all(started);
  expect(runningMax).toBe(1);
  const [{ notes }] = processes as [ReturnType<typeof open>];
  await notes.create({ _id: 'a', n: 1 });
  await expect(notes.create({ _id: 'b', n: 1 })).rejects.toMatchObject({ code: 11000 });
});
