import { mongo } from 'mongoose';
import { userUpdated } from '@waymark/contract/events';
import { waitFor } from '@waymark/testing/wait-for';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { entriesOfEvent } from '@waymark/audit/chain/entry';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { ADA, openLog } from './open-log.js';
import { AuditService } from './service.js';

const WORKSPACES = Array.from({ length: 120 }, (_, index) => `of-ada-${index}`);
const AT_ONCE = 50;
let service: AuditService;
beforeAll(async () => (service = await AuditService.start()));
afterAll(() => service.stop());
afterEach(() => jest.restoreAllMocks());

const stored = () => service.database.collection<StoredEntry>('log_entries');

/** An event with an entry in each of the workspaces. */
function rename(to: string) {
  const target = { type: 'user', id: ADA.id!, label: ADA.email };
  const data = { user_id: ADA.id!, email: ADA.email!, workspaces: WORKSPACES };
  return userUpdated.create({ workspace: null, actor: ADA }, data, { target, changes: { name: { from: 'A', to } } });
}

test('the entries of events with many workspaces are checked and stored a few at a time, in order', async () => {
  const checked: number[] = [];
  const find = jest.spyOn(mongo.Collection.prototype, 'find');
  const names = ['B', 'C', 'D'];

  await service.publish(...names.map(rename));
  await waitFor('the entries', async () => (await stored().countDocuments()) >= names.length * WORKSPACES.length);

  find.mock.contexts.forEach((collection, index) => {
    const { _id } = find.mock.calls[index]![0] as { _id?: { $in?: string[] } };
    const isCheck = (collection as mongo.Collection).collectionName === 'erasures' && _id?.$in;
    if (isCheck) checked.push(_id.$in!.length);
  });
  expect(checked.length).toBeGreaterThan(0);
  expect(Math.max(...checked)).toBeLessThanOrEqual(AT_ONCE);
  for (const workspace of WORKSPACES) {
    const entries = await stored().find({ workspace }).sort({ seq: 1 }).toArray();
    expect(entries.map(({ changes }) => JSON.parse(changes).name.to)).toEqual(names);
  }
});

test('an event of which a part is stored already adds the rest once', async () => {
  const event = rename('E');
  const log = await openLog(service.mongoUri);
  await appendEntries(log.stores, [...entriesOfEvent(event)].slice(0, AT_ONCE + 1));
  await log.close();

  await service.publish(event, rename('F'));
  const last = { workspace: WORKSPACES.at(-1), changes: /"F"/ };
  await waitFor('the entries', () => stored().findOne(last as object));

  for (const workspace of WORKSPACES) {
    const entries = await stored().find({ workspace }).sort({ seq: 1 }).toArray();
    expect(entries.slice(-2).map(({ changes }) => JSON.parse(changes).name.to)).toEqual(['E', 'F']);
    expect(new Set(entries.map(({ _id }) => _id)).size).toBe(entries.length);
  }
});
