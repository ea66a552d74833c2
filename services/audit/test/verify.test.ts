import type { Role } from '@waymark/contract/roles';
import { Lease } from '@waymark/kernel/mongo/lease';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { verdictReply } from '@waymark/audit/verifying/verdict-reply';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { openLog, sampleEntry } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

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

const verified = async (workspace: string) => (await service.get('/verify', { workspace })).body.data;

test('an untouched log and an empty log are valid', async () => {
  await service.publish(folderEvent('whole'), folderEvent('whole'));
  await service.listed(2, 'whole');
  const { status, headers, body } = await service.get('/verify', { workspace: 'whole' });
  expect([status, body]).toEqual([200, { data: { valid: true, checked: 2, first_break: null } }]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await verified('nothing')).toEqual({ valid: true, checked: 0, first_break: null });
});

test('verify reports an entry changed in the database', async () => {
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

test('a second verification of the same log gets 409', async () => {
  const other = new Lease(log.stores.db, 'verify busy');
  await other.acquire(30_000);
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

  test('a long log is verified completely by sequential requests', async () => {
    for (let i = 0; i < 2; i += 1) expect(await verified('long')).toMatchObject({ valid: true, checked: LENGTH });
  });

  test('a long verification sends white space before its verdict', async () => {
    let text = '';
    const { content, streamLimit } = verdictReply(log.stores, 'long', 0);
    // Exports that clients read slowly take none of its places.
    expect(streamLimit).toBe('verifications');
    for await (const piece of content as AsyncIterable<string>) text += piece;
    expect(text).toMatch(/^ {44}\{/);
    expect(JSON.parse(text)).toEqual({ data: { valid: true, checked: LENGTH, first_break: null } });
  });

  test('a log can be verified again after an abandoned verification', async () => {
    for await (const piece of verdictReply(log.stores, 'long', 0).content as AsyncIterable<string>) {
      expect(piece).toBe(' ');
      break;
    }
    expect(await verified('long')).toMatchObject({ valid: true });
  });
});

test.each<Role>(['editor', 'analyst', 'viewer'])('a member with the role %s gets 403', async (role) => {
  expect((await service.get('/verify', { role })).status).toBe(403);
});

test.each(['', '/export', '/verify'])('%s exists only under v1 and needs an identity', async (path) => {
  const requestBelow = (prefix: string) => fetch(`${service.url}${prefix}/workspaces/acme/audit-logs${path}`);
  expect((await requestBelow('/api')).status).toBe(404);
  expect((await requestBelow('/api/v1')).status).toBe(401);
});
