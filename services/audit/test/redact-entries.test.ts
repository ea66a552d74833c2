import type { Entry } from '@waymark/audit/chain/entry';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { freshBacking } from '@waymark/testing/backing';
import { ADA, openLog, redactUser, sampleEntry, verdictOn } from './open-log.js';

let log: Awaited<ReturnType<typeof openLog>>;
/** The number of entries that the database has returned. */
let readCount = 0;
beforeAll(async () => {
  const uri = new URL(freshBacking().MONGODB_URI);
  uri.searchParams.set('monitorCommands', 'true');
  log = await openLog(uri.href);
  const { db } = log.stores;
  for (const connection of [db.connection, db.longRunning(db.connection.models['Entry']!).db]) {
    connection.getClient().on('commandSucceeded', ({ reply }) => {
      const { ns, firstBatch, nextBatch } = (reply as { cursor?: Record<string, any> }).cursor ?? {};
      if (ns?.endsWith('.log_entries')) readCount += (firstBatch ?? nextBatch).length;
    });
  }
});
afterAll(() => log.close());

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

describe('a damaged entry', () => {
  const USER = { ...ADA, id: 'usr_damaged', name: 'Name of Marker', email: 'marker@example.com' };
  const TRACES = /Marker|203\.0\.113/i;
  const aboutUser = (workspace: string, fields: Partial<Entry> = {}) =>
    sampleEntry(workspace, {
      actor: USER,
      target: { type: 'user', id: USER.id, label: USER.email },
      changes: JSON.stringify({ name: { from: null, to: USER.name } }),
      ...fields,
    });
  /** No other entry leads to the counts of this day. */
  const ON_OTHER_DAY = { createdAt: new Date('2026-11-01T12:00:00Z') };
  const dayCounts = () => log.stores.db.connection.collection<{ _id: string }>('tallies');
  const countKeys = async (workspace: string) =>
    (await dayCounts().find().toArray()).map(({ _id }) => _id).filter((key) => key.startsWith(`${workspace} `));
  const failures: string[] = [];
  beforeAll(() => log.stores.lifecycle.onWorkFailed((work) => failures.push(work)));
  beforeEach(() => void (failures.length = 0));
  const redact = () => redactUser(log.stores, { userId: USER.id, email: USER.email });

  const DEEP = 'JSON that is 20,000 levels deep';
  const valueOf = (value: unknown) =>
    value === DEEP ? `{"name":{"from":${'['.repeat(20_000)}${']'.repeat(20_000)},"to":"Marker"}}` : value;
  const damages: [string, unknown][] = [
    ['changes', DEEP],
    ['changes', 'not the JSON of Marker'],
    ['changes', '"Marker"'],
    ['changes', '[["Marker"]]'],
    ['changes', null],
    ['changes', 7],
    ['actor', [USER]],
    ['actor', null],
    ['actor', { ...USER, type: 'Marker' }],
    ['actor', { ...USER, name: { first: 'Marker' } }],
    ['target', [{ type: 'user', id: USER.id, label: USER.email }]],
    ['target', { type: 'invitation', id: USER.id, label: 7, email: USER.email }],
    ['ipAddress', { text: '203.0.113.7' }],
    ['createdAt', 'yesterday'],
    ['createdAt', null],
    ['action', 7],
  ];
  let made = 0;

  test.each([...damages, ['hash', 7], ['hash', null], ['hash', { $gt: '' }], ['facets', 'Marker']])(
    'whose %s is %j loses the personal data, and the others are redacted',
    async (field, value) => {
      const workspace = `damaged-${(made += 1)}`;
      await appendEntries(log.stores, [aboutUser(workspace), aboutUser(workspace, ON_OTHER_DAY), aboutUser(workspace)]);
      expect(await countKeys(workspace)).toContain(`${workspace} actor:${USER.email} 2026-11-01`);
      await entries().updateOne({ workspace, seq: 2 }, [{ $set: { [field]: { $literal: valueOf(value) } } }]);

      expect(await redact()).toBe(3);

      const left = await entries().find({ workspace }).toArray();
      expect(JSON.stringify(left)).not.toMatch(TRACES);
      const keys = await countKeys(workspace);
      expect(keys.join()).not.toMatch(TRACES);
      expect(keys).toContain(`${workspace} actor:${USER.id} 2026-11-01`);
      expect(left.map(({ redaction }) => typeof redaction?.redactedAt)).toEqual(['string', 'string', 'string']);
      if (field === 'facets') return;
      expect(await verdictOn(log.stores, workspace)).toMatchObject({ first_break: { seq: 2, reason: 'changed' } });
      if (field !== 'hash') expect(failures).toEqual(['redaction']);
    },
  );

  test.each([
    ['of the user under an earlier e-mail address', { actor: { ...USER, email: 'earlier@example.com' } }, false],
    ['of another user', { actor: { ...ADA, id: 'usr_other', email: 'earlier@example.com' } }, true],
  ])('%s about the user keeps only the counts of other users', async (_what, fields, isKept) => {
    for (const damage of [{ changes: 'not JSON' }, { createdAt: 'yesterday' }, { actor: null }]) {
      const workspace = `counts-${(made += 1)}`;
      await appendEntries(log.stores, [aboutUser(workspace, { ...fields, ...ON_OTHER_DAY })]);
      await entries().updateOne({ workspace }, { $set: damage as object });

      expect(await redact()).toBe(1);

      const key = `${workspace} actor:earlier@example.com 2026-11-01`;
      expect((await countKeys(workspace)).includes(key)).toBe(isKept);
    }
  });

  test.each([
    ['actor and facets are', { actor: null, facets: 'none' }],
    ['actor and facets name the user no longer', { actor: { ...USER, type: 'Marker' }, facets: [7] }],
    ['actor, facets and time are', { actor: null, facets: null, createdAt: 'yesterday' }],
  ])('whose %s damaged leaves no count under the e-mail address', async (_what, damage) => {
    const workspace = `uncounted-${(made += 1)}`;
    await appendEntries(log.stores, [
      aboutUser(workspace, ON_OTHER_DAY),
      sampleEntry(workspace, { ...ON_OTHER_DAY, actor: { ...ADA, id: 'usr_other', email: 'other@example.com' } }),
    ]);
    await entries().updateOne({ workspace, seq: 1 }, { $set: damage as object });

    expect(await redact()).toBe(1);

    const keys = await countKeys(workspace);
    expect(keys.join()).not.toMatch(TRACES);
    expect(keys).toContain(`${workspace} actor:other@example.com 2026-11-01`);
    expect(keys).toContain(`${workspace} actor:${USER.id} 2026-11-01`);
  });

  test.each(damages)('that waits and whose %s is %j loses the personal data', async (field, value) => {
    const waiting = log.stores.db.connection.collection('waiting_entries');
    const workspace = `waiting-${(made += 1)}`;
    await log.stores.waiting.addEntries([aboutUser(workspace), aboutUser(workspace), aboutUser(workspace)]);
    await waiting.updateOne({ workspace, number: 2 }, [{ $set: { [field]: { $literal: valueOf(value) } } }]);

    expect(await redact()).toBe(3);

    expect(JSON.stringify(await waiting.find({ workspace }).toArray())).not.toMatch(TRACES);
    expect(failures).toEqual(['redaction']);
    const found = await log.stores.waiting.firstEntries(workspace, 3);
    expect(found.map((entry) => log.stores.waiting.isGenuine(entry))).toEqual([true, false, true]);
  });
});

test('the names of the tokens of a user are removed without a read of each entry that they made', async () => {
  const made = { entries: 500, tokens: 4, ofOthers: 120 };
  const user = { ...ADA, id: 'usr_maker', email: 'maker@example.com' };
  const tokenEntry = (id: string, fields: Partial<Entry>) =>
    sampleEntry('tokens', { target: { type: 'token', id, label: 'Laptop of Ada' }, ...fields });
  const used = Array.from({ length: made.entries }, (_, index) => {
    const token_id = `tok_used_${index % made.tokens}`;
    return sampleEntry('tokens', { actor: { ...user, type: 'token', token_id } });
  });
  const created = Array.from({ length: made.tokens }, (_, index) =>
    tokenEntry(`tok_unused_${index}`, { action: 'token.created', actor: user }),
  );
  const ofOthers = Array.from({ length: made.ofOthers }, (_, index) => {
    const id = `tok_${index % 2 ? 'used' : 'unused'}_${index % made.tokens}`;
    return tokenEntry(id, { action: 'token.refused', actor: { ...ADA, id: 'usr_other' } });
  });
  await appendEntries(log.stores, [...used, ...created, ...ofOthers, tokenEntry('tok_of_another', {})]);
  const labelled = { workspace: 'tokens', 'target.label': 'Laptop of Ada' };
  const erased = { userId: user.id, email: user.email };

  readCount = 0;
  // The log has no other entries with personal data of this user.
  expect(await redactUser(log.stores, erased)).toBe(made.entries + made.tokens + made.ofOthers);
  expect(await entries().countDocuments(labelled)).toBe(1);
  const redacted = made.entries + made.tokens + made.ofOthers;
  // One entry for each token besides, in each batch.
  expect(readCount).toBeLessThan(redacted + 100);
  expect(await verdictOn(log.stores, 'tokens')).toMatchObject({ valid: true });
});
