import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { freshBacking } from '@waymark/testing/backing';
import { ADA, openLog, redactUser, sampleEntry, verdictOn } from './open-log.js';

let log: Awaited<ReturnType<typeof openLog>>;
beforeAll(async () => (log = await openLog(freshBacking().MONGODB_URI)));
afterAll(async () => {
  await log.stores.db.connection.db!.dropDatabase();
  await log.close();
});

const entries = () => log.stores.db.connection.collection<StoredEntry>('log_entries');
const append = (workspace: string) => appendEntries(log.stores, [sampleEntry(workspace), sampleEntry(workspace)]);
const redactAda = () => redactUser(log.stores, { userId: ADA.id!, email: ADA.email! });
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

let count = 0;
test.each([
  ['a name', { 'actor.name': 'Ada', 'actor.email': null, ipAddress: null }],
  ['an e-mail address', { 'actor.name': null, 'actor.email': ADA.email, ipAddress: null }],
  ['an IP address', { 'actor.name': null, 'actor.email': null, ipAddress: '203.0.113.7' }],
])('an entry of the user with %s alone is redacted', async (_what, fields) => {
  const workspace = `alone-${(count += 1)}`;
  await append(workspace);
  await entries().updateMany({ workspace }, { $set: fields });
  await redactAda();
  const left = await entries().find({ workspace }).toArray();
  expect(left.map(({ actor, ipAddress }) => [actor.name, actor.email, ipAddress])).toEqual([
    [null, null, null],
    [null, null, null],
  ]);
});

test.each([
  ['a label', { 'target.label': 'Ada', ipAddress: null }],
  ['an IP address', { 'target.label': null, ipAddress: '203.0.113.7' }],
])('an entry about the user with %s alone is redacted', async (_what, fields) => {
  const workspace = `alone-${(count += 1)}`;
  await append(workspace);
  const about = { 'actor.id': 'usr_other', 'target.id': ADA.id, 'target.type': 'user' };
  await entries().updateMany({ workspace }, { $set: { ...about, ...fields } });
  await redactAda();
  const left = await entries().find({ workspace }).toArray();
  expect(left.map(({ target, ipAddress }) => [target!.label, ipAddress])).toEqual([
    [null, null],
    [null, null],
  ]);
});
