import mongoose from 'mongoose';
import { LinkStore } from '@waymark/resource/links/link-store';
import { MIGRATIONS } from '@waymark/resource/migrations';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';

const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
afterAll(() => lifecycle.stop());

test('links that were stored with their codes in two fields are found by each of them after a start', async () => {
  const uri = freshBacking().MONGODB_URI;
  const before = await mongoose.createConnection(uri).asPromise();
  const links = before.collection<{ _id: string }>('links');
  await links.createIndex({ workspace: 1, codeKey: 1 }, { unique: true });
  const stored = [
    { _id: 'lnk_1', workspace: 'acme', codeKey: 'new', formerKeys: ['old', 'older', 'new'] },
    { _id: 'lnk_2', workspace: 'acme', codeKey: 'other', formerKeys: [] },
    { _id: 'lnk_3', workspace: 'acme', codeKey: 'oldest' },
    { _id: 'lnk_4', workspace: 'globex', codeKey: 'new', formerKeys: [] },
  ];
  await links.insertMany(stored);
  await before.close();

  for (const start of ['first', 'second']) {
    const db = new Database(uri, { log, lifecycle });
    db.migrateBy(MIGRATIONS);
    const store = new LinkStore(db);
    await db.start();
    const ids = ['new', 'old', 'OLDER', 'other', 'oldest'].map(
      async (code) => (await store.findByCode('acme', code))?._id,
    );
    expect([start, ...(await Promise.all(ids))]).toEqual([start, 'lnk_1', 'lnk_1', 'lnk_1', 'lnk_2', 'lnk_3']);
    expect((await store.findByCode('acme', 'new'))!.codeKeys[0]).toBe('new');
    expect((await store.findByCode('globex', 'new'))!._id).toBe('lnk_4');
  }
});
