import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { AuditService, folderEvent } from './service.js';

let service: AuditService;
beforeAll(async () => (service = await AuditService.start()));
afterAll(() => service.stop());

test.each([
  ['changes', 'not json', { changes: {} }],
  ['changes', null, { changes: {} }],
  ['changes', '[1]', { changes: {} }],
  ['createdAt', 'yesterday', { created_at: '1970-01-01T00:00:00.000Z' }],
  ['createdAt', null, { created_at: '1970-01-01T00:00:00.000Z' }],
  ['actor', null, { actor: { id: null, type: 'system', name: null, email: null, token_id: null } }],
  ['actor', { type: 'god' }, { actor: { type: 'system' } }],
  ['target', 'x', { target: null }],
  ['action', 7, { action: 'unreadable' }],
  ['ipAddress', { $x: 1 }, { ip_address: null }],
  ['hash', null, {}],
])('an entry whose %s is made %j in the database is shown, marked, among the others', isShownMarked);

test.each([100, 20_000])('an entry with changes nested %d levels deep is displayed as damaged', (levels) =>
  isShownMarked('changes', `{"a":{"from":${'['.repeat(levels)}${']'.repeat(levels)},"to":1}}`, { changes: {} }),
);

async function isShownMarked(field: string, value: unknown, shown: object): Promise<void> {
  const workspace = `w-${Math.random().toString(36).slice(2)}`;
  const events = [folderEvent(workspace), folderEvent(workspace), folderEvent(workspace)];
  await service.publish(...events);
  await service.listed(3, workspace);
  const id = events[1]!.id.replace('evt_', 'aud_');
  const change = { $set: { [field]: { $literal: value } } };
  await service.database.collection<StoredEntry>('log_entries').updateOne({ _id: id }, [change]);

  const { status, body } = await service.get('', { workspace });
  expect([status, body.data.length, body.meta.total]).toEqual([200, 3, 3]);
  const [damaged, ...whole] = body.data.toSorted((a: object) => ('damaged' in a ? -1 : 1));
  expect(damaged).toMatchObject({ id, damaged: true, ...shown });
  expect(whole.filter((entry: object) => 'damaged' in entry)).toEqual([]);

  const { status: exported, text } = await service.get('/export', { workspace });
  expect(exported).toBe(200);
  expect(text.split('\r\n"aud_')).toHaveLength(4);
  expect((await service.get('/verify', { workspace })).body.data).toMatchObject({ valid: false, first_break: { id } });
}
