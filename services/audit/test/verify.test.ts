import type { Role } from '@waymark/contract/roles';
import { Lease } from '@waymark/kernel/mongo/lease';
import { appendEntries, type LogStores } from '@waymark/audit/entries/append-entries';
import { answerVerdict } from '@waymark/audit/entries/answer-verdict';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { openLog, sampleEntry } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

let service: AuditService;
let log: { stores: LogStores; close: () => Promise<void> };
beforeAll(async () => {
  service = await AuditService.start();
  log = await openLog(service.mongoUri);
});
afterAll(async () => {
  await log.close();
  await service.stop();
});

const verified = async (workspace: string) => (await service.get('/verify', { workspace })).body.data;

test('a log that nobody touched is valid, and so is an empty one', async () => {
  await service.publish(folderEvent('whole'), folderEvent('whole'));
  await service.listed(2, 'whole');
  const { status, headers, body } = await service.get('/verify', { workspace: 'whole' });
  expect([status, body]).toEqual([200, { data: { valid: true, checked: 2, first_break: null } }]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await verified('nothing')).toEqual({ valid: true, checked: 0, first_break: null });
});

test('an entry that was changed in the database is named', async () => {
  const events = [folderEvent('touched'), folderEvent('touched'), folderEvent('touched')];
  await service.publish(...events);
  await service.listed(3, 'touched');
  const id = events[1]!.id.replace('evt_', 'aud_');
  const entries = service.database.collection<StoredEntry>('log_entries');
  await entries.updateOne({ _id: id }, { $set: { 'actor.name': 'Mallory' } });
  expect(await verified('touched')).toEqual({
    valid: false,
    checked: 1,
    first_break: { seq: 2, id, reason: 'changed' },
  });
  await entries.deleteOne({ _id: id });
  expect(await verified('touched')).toMatchObject({ first_break: { seq: 2, id: null, reason: 'missing' } });
});

test('a log that is being verified is not verified a second time', async () => {
  const other = new Lease(log.stores.db, 'verify busy');
  await other.take(30_000);
  const { status, headers, body } = await service.get('/verify', { workspace: 'busy' });
  expect([status, body.error.code]).toEqual([409, 'conflict']);
  expect([headers.get('retry-after'), headers.get('content-type')]).toEqual(['10', 'application/json; charset=utf-8']);
  expect((await verified('idle')).valid).toBe(true);
  await other.release();
  expect((await verified('busy')).valid).toBe(true);
});

describe('a long log', () => {
  const LENGTH = 2200;
  beforeAll(() =>
    appendEntries(
      log.stores,
      Array.from({ length: LENGTH }, () => sampleEntry('long')),
    ),
  );

  test('is verified whole, by one after the other', async () => {
    for (let i = 0; i < 2; i += 1) expect(await verified('long')).toMatchObject({ valid: true, checked: LENGTH });
  });

  test('sends signs of life before its verdict', async () => {
    let text = '';
    for await (const piece of answerVerdict(log.stores, 'long', 0).content as AsyncIterable<string>) text += piece;
    expect(text).toMatch(/^ {5}\{/);
    expect(JSON.parse(text)).toEqual({ data: { valid: true, checked: LENGTH, first_break: null } });
  });

  test('that nobody waits for any more can be verified again', async () => {
    for await (const piece of answerVerdict(log.stores, 'long', 0).content as AsyncIterable<string>) {
      expect(piece).toBe(' ');
      break;
    }
    expect(await verified('long')).toMatchObject({ valid: true });
  });
});

test.each<Role>(['editor', 'analyst', 'viewer'])('for a member with the role %s answers 403', async (role) => {
  expect((await service.get('/verify', { role })).status).toBe(403);
});

test.each(['', '/export', '/verify'])('%s exists under v1 alone, and for nobody without an identity', async (path) => {
  const at = (prefix: string) => fetch(`${service.url}${prefix}/workspaces/acme/audit-logs${path}`);
  expect((await at('/api')).status).toBe(404);
  expect((await at('/api/v1')).status).toBe(401);
});
