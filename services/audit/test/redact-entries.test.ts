import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { redactEntries } from '@waymark/audit/redacting/redact-entries';
import { freshBacking } from '@waymark/testing/backing';
import { ADA, openLog, sampleEntry, verdictOn } from './open-log.js';

let log: Awaited<ReturnType<typeof openLog>>;
beforeAll(async () => (log = await openLog(freshBacking().MONGODB_URI)));
afterAll(async () => {
  await log.stores.db.connection.db!.dropDatabase();
  await log.close();
});

const entries = () => log.stores.db.connection.collection<StoredEntry>('log_entries');
const append = (workspace: string) => appendEntries(log.stores, [sampleEntry(workspace), sampleEntry(workspace)]);
async function redactAda(): Promise<void> {
  while ((await redactEntries(log.stores, { userId: ADA.id!, email: ADA.email! }, 100)) > 0);
}
const namesIn = async (workspace: string) =>
  (await entries().find({ workspace }).sort({ seq: 1 }).toArray()).map(({ actor }) => actor.name);

test('an entry that was changed before its redaction loses the personal data, and is still reported', async () => {
  await append('before');
  await entries().updateOne({ workspace: 'before', seq: 1 }, { $set: { action: 'link.deleted' } });
  await redactAda();
  expect(await namesIn('before')).toEqual([null, null]);
  expect(await verdictOn(log.stores, 'before')).toMatchObject({ first_break: { seq: 1, reason: 'changed' } });
});

test('a redacted entry that was changed is still reported after it was redacted again', async () => {
  await append('after');
  await redactAda();
  expect(await verdictOn(log.stores, 'after')).toMatchObject({ valid: true, checked: 2 });
  await entries().updateOne({ workspace: 'after', seq: 2 }, { $set: { 'actor.name': 'Mallory' } });
  await redactAda();
  expect(await namesIn('after')).toEqual([null, null]);
  expect(await verdictOn(log.stores, 'after')).toMatchObject({ first_break: { seq: 2, reason: 'changed' } });
});
