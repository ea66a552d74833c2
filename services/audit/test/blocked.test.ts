import { sessionCreated } from '@waymark/contract/events';
import { waitFor } from '@waymark/testing/wait-for';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import type { WaitingEntry } from '@waymark/audit/entries/waiting-store';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { ADA, openLog, sampleEntry } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

const WAITING = 1000;
let service: AuditService;
let log: Awaited<ReturnType<typeof openLog>>;
beforeAll(async () => {
  service = await AuditService.start();
  log = await openLog(service.mongoUri);
});
afterAll(async () => {
  await log.close();
  await service.stop();
});

const stored = () => service.database.collection<StoredEntry>('log_entries');
const waiting = () => service.database.collection<WaitingEntry>('waiting_entries');
const heads = () => service.database.collection<{ _id: string }>('heads');
const verified = async (workspace: string) => (await service.get('/verify', { workspace })).body.data;

/** A log of two entries. @returns the second */
async function begun(workspace: string): Promise<StoredEntry> {
  await service.publish(folderEvent(workspace), folderEvent(workspace));
  await service.listed(2, workspace);
  return (await stored().findOne({ workspace, seq: 2 }))!;
}

describe('a blocked log', () => {
  test('a log with a forged entry is blocked until it is repaired, and other logs continue', async () => {
    const last = await begun('forged');
    await stored().insertOne({ ...last, _id: 'aud_forged', seq: 3, facets: [] });
    const [mine, theirs] = [sampleEntry('forged'), sampleEntry('forged-not')];
    await expect(appendEntries(log.stores, [mine, theirs])).rejects.toMatchObject({
      name: 'ChainsBlocked',
      workspaces: ['forged'],
    });
    await service.publish(folderEvent('forged'), folderEvent('aside'));
    await service.listed(1, 'aside');
    expect((await verified('forged')).first_break).toEqual({ seq: 3, id: 'aud_forged', reason: 'unexpected' });
    await stored().deleteOne({ _id: 'aud_forged' });
    await service.listed(3, 'forged');
    expect(await verified('forged')).toMatchObject({ valid: true, checked: 3 });
  });

  test('a blocked log delays no other log and gets every entry after its repair', async () => {
    const last = await begun('busy');
    await stored().insertOne({ ...last, _id: 'aud_slipped_in', seq: 3 });
    const waiting = Array.from({ length: WAITING }, () => folderEvent('busy'));
    await service.publish(...waiting);
    for (let count = 1; count <= 3; count += 1) {
      await service.publish(folderEvent('beside'));
      const isThere = async () => (await service.get('', { workspace: 'beside' })).body.data.length === count;
      await waitFor('the entry of another', isThere);
    }
    expect(await stored().countDocuments({ workspace: 'busy' })).toBe(3);

    await stored().deleteOne({ _id: 'aud_slipped_in' });
    const length = WAITING + 2;
    const isWhole = async () => (await stored().countDocuments({ workspace: 'busy' })) >= length;
    await waitFor('all that waited', isWhole);
    const ids = (await stored().find({ workspace: 'busy' }).toArray()).map(({ _id }) => _id.replace('aud_', 'evt_'));
    expect(ids).toEqual(expect.arrayContaining(waiting.map(({ id }) => id)));
    expect(await verified('busy')).toEqual({ valid: true, checked: length, first_break: null });
  });

  test('the entries of a blocked log leave the queue, and are appended in order before newer ones', async () => {
    const last = await begun('ordered');
    await stored().insertOne({ ...last, _id: 'aud_in_the_way', seq: 3 });
    const events = Array.from({ length: 130 }, () => folderEvent('ordered'));
    await service.publish(...events.slice(0, 120));
    await waitFor(
      'the waiting entries',
      async () => (await waiting().countDocuments({ workspace: 'ordered' })) === 120,
    );
    await waitFor('empty queues', async () => (await service.queueLengths()).every((length) => length === 0));
    // A redelivery, as after a crash before the acknowledgement.
    await service.publish(events[7]!, folderEvent('beside-ordered'));
    await service.listed(1, 'beside-ordered');
    expect(await waiting().countDocuments({ workspace: 'ordered' })).toBe(120);

    await stored().deleteOne({ _id: 'aud_in_the_way' });
    await service.publish(...events.slice(120));
    await waitFor('the whole log', async () => (await stored().countDocuments({ workspace: 'ordered' })) === 132);
    await service.publish(events[7]!, folderEvent('beside-ordered'));
    await service.listed(2, 'beside-ordered');
    const rows = await stored().find({ workspace: 'ordered' }).sort({ seq: 1 }).toArray();
    expect(rows.slice(2).map(({ _id }) => _id.replace('aud_', 'evt_'))).toEqual(events.map(({ id }) => id));
    await waitFor('no waiting entries', async () => (await waiting().countDocuments({ workspace: 'ordered' })) === 0);
    expect(await verified('ordered')).toEqual({ valid: true, checked: 132, first_break: null });
  });

  test('a waiting entry that was appended before a crash is appended once', async () => {
    const last = await begun('crashed');
    await stored().insertOne({ ...last, _id: 'aud_before_crash', seq: 3 });
    const entries = [sampleEntry('crashed'), sampleEntry('crashed'), sampleEntry('crashed')];
    await log.stores.waiting.addEntries(entries);
    await stored().deleteOne({ _id: 'aud_before_crash' });
    await appendEntries(log.stores, entries.slice(0, 2));
    await service.listed(5, 'crashed');
    const rows = await stored().find({ workspace: 'crashed' }).sort({ seq: 1 }).toArray();
    expect(rows.slice(2).map(({ _id }) => _id)).toEqual(entries.map(({ _id }) => _id));
    expect(await verified('crashed')).toMatchObject({ valid: true, checked: 5 });
  });

  test('a waiting entry that was changed in the database is not appended, nor are those behind it', async () => {
    const last = await begun('changed');
    await stored().insertOne({ ...last, _id: 'aud_for_a_change', seq: 3 });
    const [before, changed, behind] = [folderEvent('changed'), folderEvent('changed'), folderEvent('changed')];
    await service.publish(before, changed, behind);
    await waitFor('the waiting entries', async () => (await waiting().countDocuments({ workspace: 'changed' })) === 3);
    const _id = changed.id.replace('evt_', 'aud_');
    await waiting().updateOne({ _id }, { $set: { requestId: 'forged' } });
    await stored().deleteOne({ _id: 'aud_for_a_change' });
    // Each round takes the logs in the order of their slugs.
    await log.stores.waiting.addEntries([sampleEntry('changed-not')]);
    await service.listed(1, 'changed-not');
    expect(await stored().countDocuments({ workspace: 'changed' })).toBe(2);

    await waiting().updateOne({ _id }, { $set: { requestId: changed.request_id } });
    await service.listed(5, 'changed');
    expect(await verified('changed')).toMatchObject({ valid: true, checked: 5 });
  });

  test('a log without its head is blocked and continues from the restored head', async () => {
    await begun('headless');
    const head = (await heads().findOneAndDelete({ _id: 'headless' }))!;
    const next = sampleEntry('headless');
    await expect(appendEntries(log.stores, [next])).rejects.toMatchObject({ workspaces: ['headless'] });
    await heads().insertOne(head);
    await appendEntries(log.stores, [next]);
    expect(await verified('headless')).toMatchObject({ valid: true, checked: 3 });
  });

  test.each([
    [5, 'aud_misplaced', { seq: 5, id: 'aud_misplaced' }],
    [[5], 'aud_numberless', { seq: null, id: 'aud_numberless' }],
    [6, 7, { seq: 6, id: null }],
    [7, { x: 1 }, { seq: 7, id: null }],
  ])('verify reports a forged entry with the number %j and the id %j', async (seq, _id, named) => {
    const workspace = `odd-${JSON.stringify(_id).replaceAll(/\W/g, '')}`;
    const last = await begun(workspace);
    await stored().insertOne({ ...last, _id: _id as string, seq: seq as number });
    expect((await verified(workspace)).first_break).toEqual({ ...named, reason: 'unexpected' });
  });
});

test('an event of several workspaces is stored in those that are not blocked', async () => {
  const last = await begun('one-of-two');
  await stored().insertOne({ ...last, _id: 'aud_in_one_of_two', seq: 3 });
  const data = { user_id: 'usr_ada', email: 'ada@example.com', workspaces: ['one-of-two', 'two-of-two'] };
  const audit = { target: { type: 'user', id: 'usr_ada', label: 'ada@example.com' }, changes: {} };
  await service.publish(sessionCreated.create({ workspace: null, actor: ADA }, data, audit));
  await service.listed(1, 'two-of-two');
  await stored().deleteOne({ _id: 'aud_in_one_of_two' });
  await service.listed(3, 'one-of-two');
  expect(await service.listed(1, 'two-of-two')).toHaveLength(1);
});

test.each([
  ['seq', { a: 1 }],
  ['seq', '13'],
  ['seq', null],
  ['seq', -1],
  ['seq', NaN],
  ['seq', 2.5],
  ['seq', 0],
  ['hash', null],
  ['hash', 'x'],
])('a log with the head %s: %j is blocked and continues from the restored head', async (field, value) => {
  const workspace = `end-${field}-${JSON.stringify(value).replaceAll(/\W/g, '')}-${typeof value}`;
  const { seq, hash } = await begun(workspace);
  await heads().updateOne({ _id: workspace }, { $set: { [field]: value, turn: 7 } });
  const next = sampleEntry(workspace);
  await expect(appendEntries(log.stores, [next])).rejects.toMatchObject({ workspaces: [workspace] });
  expect(await verified(workspace)).toEqual({
    valid: false,
    reason: 'no_end',
    checked: 0,
    first_break: { seq: null, id: null, reason: 'no_end' },
  });
  const exported = await service.get('/export', { workspace });
  expect([exported.status, exported.text.split('\r\n"aud_').length]).toEqual([200, 3]);
  await heads().updateOne({ _id: workspace }, { $set: { seq, hash } });
  await appendEntries(log.stores, [next]);
  await service.listed(4, workspace);
  expect(await verified(workspace)).toEqual({ valid: true, checked: 4, first_break: null });
});
