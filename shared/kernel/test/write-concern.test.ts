import type { Document } from 'bson';
import { Schema } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';
import { Lease } from '@waymark/kernel/mongo/lease';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';
import { freshBacking } from '@waymark/testing/backing';
import { WireRecorder } from './wire-recorder.js';

interface Note {
  _id: string;
  revision: number;
}
const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'create', 'commitTransaction'];
const READS = ['find', 'aggregate', 'distinct'];

/** Commands of a client that does all that the kernel does, under the settings of a careless operator. */
async function recorded(): Promise<Document[]> {
  const recorder = await WireRecorder.start(freshBacking().MONGODB_URI);
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(recorder.uri({ w: '1', journal: 'false', readConcernLevel: 'local' }), { log, lifecycle });
  const schema = new Schema<Note>({ _id: String, revision: Number });
  schema.index({ revision: 1 });
  const notes = db.model<Note>('Note', schema, 'notes');
  try {
    await db.start();
    const note = (_id: string) => ({ _id, revision: 1 });
    await notes.create(note('a'));
    await notes.insertMany([note('b')], { lean: true });
    await insertMissing(notes, [note('b'), note('c')]);
    await upsertIfNewer(notes, [note('d')], (row, guard) => ({ updateOne: { ...guard, update: { $set: row } } }));
    await notes.collection.insertOne(note('e') as never);
    await notes.updateOne({ _id: 'a' }, { $inc: { revision: 1 } });
    await notes.updateMany({}, { $inc: { revision: 1 } });
    await notes.replaceOne({ _id: 'a' }, note('a'));
    await notes.bulkWrite([{ deleteOne: { filter: { _id: 'b' } } }, { insertOne: { document: note('f') } }]);
    await notes.findOneAndUpdate({ _id: 'a' }, { $inc: { revision: 1 } });
    await notes.findOneAndDelete({ _id: 'c' });
    await notes.deleteMany({ _id: 'd' });
    await db.longRunning(notes).updateMany({}, { $inc: { revision: 1 } });
    await new Lease(db, 'lease').run(1000, async () => void (await notes.find({})));
    await notes.countDocuments({});
    await notes.distinct('revision');
    await db.transaction(async ({ session }) => {
      await notes.findOne({}, null, { session });
      await notes.insertMany([note('g')], { session, lean: true });
    });
  } finally {
    await lifecycle.stop();
    recorder.stop();
  }
  return recorder.commands;
}

test('every write uses majority write concern and every read majority read concern, even if the URI says otherwise', async () => {
  const commands = await recorded();
  const named = (names: string[]) => commands.filter((command) => names.includes(Object.keys(command)[0]!));
  const isInTransaction = (command: Document) => command['autocommit'] === false;

  const writes = named(WRITES);
  const names = writes.map((command) => Object.keys(command)[0]);
  expect([...new Set(names)].sort()).toEqual([...WRITES].sort());
  const wholes = writes.filter((command) => !isInTransaction(command) || 'commitTransaction' in command);
  for (const command of wholes) expect(command).toMatchObject({ writeConcern: { w: 'majority', j: true } });

  const reads = named(READS).filter((command) => !isInTransaction(command));
  expect(reads.length).toBeGreaterThanOrEqual(3);
  for (const command of reads) expect(command).toMatchObject({ readConcern: { level: 'majority' } });
  const first = commands.find((command) => command['startTransaction'] === true);
  expect(first).toMatchObject({ readConcern: { level: 'snapshot' } });
});
