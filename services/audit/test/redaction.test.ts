import { userErased, workspaceDeleted } from '@waymark/contract/erasures';
import type { Event } from '@waymark/contract/event';
import { memberAdded, tokenCreated, tokenRevoked, userUpdated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { findCollectionsWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import { ADA } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

let service: AuditService;
beforeAll(async () => {
  service = await AuditService.start();
  // Events are unroutable until the service has bound each of their types.
  const unused = { type: 'user', id: 'usr_0', label: null };
  const events = [
    userErased.create({ workspace: null }, { user_id: 'usr_0', email: '' }),
    userUpdated.create({ workspace: null }, { user_id: 'usr_0', email: '', workspaces: ['warm-up'] }),
    memberAdded.create({ workspace: 'warm-up' }, { user_id: 'usr_0', email: '', role: 'editor' }, { target: unused, changes: {} }), // prettier-ignore
    tokenCreated.create({ workspace: 'warm-up' }, { token_id: 'tok_0', name: '', user_id: 'usr_0' }, { target: unused, changes: {} }), // prettier-ignore
    tokenRevoked.create({ workspace: 'warm-up' }, { token_id: 'tok_0', name: '', user_id: 'usr_0' }, { target: unused, changes: {} }), // prettier-ignore
  ];
  await service.publish(...events);
});
afterAll(() => service.stop());

const EVE = {
  type: 'user' as const,
  id: newId('usr'),
  name: 'Eve Marker',
  email: 'eve@marker.example',
  token_id: null,
};
const INVITED = 'Eve@Marker.example';
const TOKEN_NAME = 'Laptop of Marker';
const TRACES = [TOKEN_NAME, EVE.name, EVE.email, INVITED, '203.0.113.77'];

const byEve = (workspace: string): Event => ({
  ...folderEvent(workspace, { actor: { ...EVE, type: 'token', token: { id: 'tok_eve', name: TOKEN_NAME } } }),
  ip_address: '203.0.113.77',
});
function aboutEve(workspace: string): Event {
  const target = { type: 'user', id: EVE.id, label: EVE.email };
  const data = { user_id: EVE.id, email: EVE.email, role: 'editor' };
  return memberAdded.create({ workspace }, data, { target, changes: { role: { from: null, to: 'editor' } } });
}
/** Her token, which another member revokes: the second entry has no id of hers. */
function tokenOfEve(workspace: string): Event[] {
  const id = newId('tok');
  const data = { token_id: id, name: TOKEN_NAME, user_id: EVE.id };
  const audit = { target: { type: 'token', id, label: TOKEN_NAME }, changes: {} };
  return [
    tokenCreated.create({ workspace, actor: EVE }, data, audit),
    tokenRevoked.create({ workspace, actor: ADA }, data, audit),
  ];
}
/** An entry that has her address, but not her id. */
function inviting(workspace: string, email: string): Event {
  const target = { type: 'invitation', id: newId('evt'), label: email };
  const data = { user_id: 'usr_0', email, role: 'editor' };
  return memberAdded.create({ workspace }, data, { target, changes: { email: { from: null, to: email } } });
}
function renamedEve(...workspaces: string[]): Event {
  const data = { user_id: EVE.id, email: EVE.email, workspaces };
  const target = { type: 'user', id: EVE.id, label: EVE.email };
  const changes = { name: { from: 'Eve Marker the First', to: EVE.name } };
  return userUpdated.create({ workspace: null, actor: EVE }, data, { target, changes });
}

const verified = async (workspace: string) => (await service.get('/verify', { workspace })).body.data;
const eraseEve = () => service.publish(userErased.create({ workspace: null }, { user_id: EVE.id, email: EVE.email }));
const heads = () => service.database.collection<{ _id: string }>('heads');
const waiting = () => service.database.collection('waiting_entries');
const entries = () => service.database.collection<StoredEntry>('log_entries');

let blockedHead: { _id: string };
/** @param revoked of a token that another log shows to be Eve's */
async function fillBlockedLog(revoked: Event): Promise<void> {
  await service.publish(folderEvent('blocked'));
  await service.listed(1, 'blocked');
  blockedHead = (await heads().findOneAndDelete({ _id: 'blocked' }))!;
  const personal = [byEve('blocked'), aboutEve('blocked'), inviting('blocked', INVITED), ...tokenOfEve('blocked')];
  await service.publish(...personal, revoked);
  await waitFor('the waiting entries', async () => (await waiting().countDocuments({ workspace: 'blocked' })) === 6);
  expect(await findCollectionsWith(service.database, TRACES)).toContain('waiting_entries');
}

test('erases the data of a user from every log, and each chain stays valid', async () => {
  const [before, after] = [folderEvent('one'), folderEvent('one')];
  await service.publish(before, byEve('one'), aboutEve('one'), after, byEve('two'), renamedEve('one', 'two'));
  const [created, revoked] = tokenOfEve('two');
  await service.publish(created!, revoked!);
  await fillBlockedLog({ ...revoked!, id: newId('evt'), workspace: 'blocked' });
  await service.publish(inviting('one', INVITED), inviting('one', 'bob@marker.example'));
  await service.listed(7, 'one');
  await service.listed(4, 'two');
  await eraseEve();
  await waitFor(
    'nothing left',
    async () => (await findCollectionsWith(service.database, TRACES)).join() === 'erasures',
  );

  expect(await verified('one')).toEqual({ valid: true, checked: 7, first_break: null });
  expect(await verified('two')).toEqual({ valid: true, checked: 4, first_break: null });
  const ofTokens = (await service.get('?action=token.*', { workspace: 'two' })).body.data;
  expect(ofTokens.map(({ target, redacted }: any) => [target.label, redacted])).toEqual([[null, true], [null, true]]); // prettier-ignore
  expect(new Set(ofTokens.map(({ actor }: any) => actor.name))).toEqual(new Set([ADA.name, null]));
  const { data } = (await service.get('', { workspace: 'one' })).body;
  const redacted = data.filter((entry: any) => entry.redacted);
  expect(redacted).toHaveLength(4);
  expect(data.filter((entry: any) => entry.target.label === 'bob@marker.example')).toHaveLength(1);
  for (const { actor, target } of redacted) {
    expect([actor.email, actor.name === EVE.name, target.label === EVE.email]).toEqual([null, false, false]);
  }
  expect((await service.get(`?actor=${EVE.id}`, { workspace: 'one' })).body.data).toHaveLength(2);
  expect((await service.get(`?actor=${EVE.email}`, { workspace: 'one' })).body.data).toEqual([]);
});

test('an event of an erased user that arrives late is appended without their data', async () => {
  await service.publish(byEve('late'), aboutEve('late'), inviting('late', INVITED));
  await service.listed(3, 'late');
  expect(await findCollectionsWith(service.database, TRACES)).toEqual(['erasures']);
  expect(await verified('late')).toMatchObject({ valid: true, checked: 3 });
});

test('erases the data of a user from the waiting entries of a blocked log', async () => {
  expect(await waiting().countDocuments({ workspace: 'blocked' })).toBe(6);
  await heads().insertOne(blockedHead);
  await service.listed(7, 'blocked');
  expect(await findCollectionsWith(service.database, TRACES)).toEqual(['erasures']);
  expect(await verified('blocked')).toEqual({ valid: true, checked: 7, first_break: null });
});

test('a redaction that the service did not sign is detected, and so is a change of a redacted entry', async () => {
  const seq = 2;
  const entry = (await entries().findOne({ workspace: 'one', seq }))!;
  expect(entry.redaction).toBeDefined();
  for (const change of [
    { 'actor.name': 'Mallory' },
    { 'redaction.redactedAt': '2020-01-01T00:00:00.000Z' },
    { action: 'folder.deleted' },
  ]) {
    await entries().updateOne({ _id: entry._id }, { $set: change as never });
    expect(await verified('one')).toMatchObject({ valid: false, first_break: { seq, reason: 'changed' } });
    await entries().replaceOne({ _id: entry._id }, entry);
  }
  const other = (await entries().findOne({ workspace: 'one', seq: 1 }))!;
  const forged = { 'actor.name': null, redaction: entry.redaction };
  await entries().updateOne({ _id: other._id }, { $set: forged as never });
  expect(await verified('one')).toMatchObject({ valid: false, first_break: { seq: 1, reason: 'changed' } });
  await entries().replaceOne({ _id: other._id }, other);
  expect(await verified('one')).toMatchObject({ valid: true });
});

test('the log of a deleted workspace is removed, and an event that arrives late starts none', async () => {
  await service.publish(folderEvent('deleted-one'), folderEvent('kept-one'), aboutEve('deleted-one'));
  await service.listed(2, 'deleted-one');
  await heads().deleteOne({ _id: 'deleted-one' });
  await service.publish(folderEvent('deleted-one'));
  await waitFor('a waiting entry', async () => (await waiting().countDocuments({ workspace: 'deleted-one' })) === 1);
  await service.publish(workspaceDeleted.create({ workspace: 'deleted-one' }, { slug: 'deleted-one' }));
  const left = () => findCollectionsWith(service.database, ['deleted-one']);
  await waitFor('an erased log', async () => (await left()).join() === 'erasures');
  await service.publish(folderEvent('deleted-one'), folderEvent('kept-one'));
  await service.listed(2, 'kept-one');
  expect(await left()).toEqual(['erasures']);
});
