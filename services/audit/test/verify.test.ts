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

/** Lets auth know the end of a log as it is now. */
async function keepHead(workspace: string): Promise<void> {
  const { seq, hash } = (await heads().findOne({ _id: workspace }))!;
  service.keptHeads.set(workspace, { head: { seq, hash }, created_at: new Date().toISOString() });
}
const heads = () => service.database.collection<{ _id: string; seq: number; hash: string }>('heads');
const rows = () => service.database.collection<StoredEntry>('log_entries');
const verdictStores = () => ({ ...log.stores, findKeptHead: () => Promise.resolve({ head: null, createdAt: null }) });
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
    reason: 'changed',
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

describe('a log that was reset in the whole database of audit', () => {
  /** A new workspace's log. */
  const begin = (workspace: string, length = 4) =>
    appendEntries(log.stores, [
      sampleEntry(workspace, { action: 'workspace.created' }),
      ...Array.from({ length: length - 1 }, () => sampleEntry(workspace)),
    ]);
  async function empty(workspace: string): Promise<void> {
    await rows().deleteMany({ workspace });
    await heads().deleteOne({ _id: workspace });
  }

  test('is missing when it is empty', async () => {
    await begin('emptied');
    await keepHead('emptied');
    expect(await verified('emptied')).toMatchObject({ valid: true, checked: 4 });
    await empty('emptied');
    expect(await verified('emptied')).toEqual({
      valid: false,
      reason: 'missing',
      checked: 0,
      first_break: { seq: 1, id: null, reason: 'missing' },
    });
  });

  test('is missing when it began again with a later entry', async () => {
    await begin('begun-again');
    await keepHead('begun-again');
    await empty('begun-again');
    await appendEntries(log.stores, [sampleEntry('begun-again')]);
    expect(await verified('begun-again')).toMatchObject({ valid: false, reason: 'missing', checked: 1 });
  });

  test('is rolled back when an earlier signed end was restored, also once it is as long again', async () => {
    await begin('rolled');
    const earlier = (await heads().findOne({ _id: 'rolled' }))!;
    await appendEntries(log.stores, [sampleEntry('rolled'), sampleEntry('rolled')]);
    await keepHead('rolled');
    await rows().deleteMany({ workspace: 'rolled', seq: { $gt: 4 } });
    await heads().replaceOne({ _id: 'rolled' }, earlier);
    const rolledBack = {
      valid: false,
      reason: 'rolled_back',
      first_break: { seq: 6, id: null, reason: 'rolled_back' },
    };
    expect(await verified('rolled')).toEqual({ ...rolledBack, checked: 4 });

    await appendEntries(log.stores, [sampleEntry('rolled'), sampleEntry('rolled'), sampleEntry('rolled')]);
    expect(await verified('rolled')).toEqual({ ...rolledBack, checked: 7 });
  });

  test('is not a log that auth knows an earlier end of, nor one from before auth kept ends', async () => {
    await appendEntries(log.stores, [sampleEntry('ahead')]);
    await keepHead('ahead');
    await appendEntries(log.stores, [sampleEntry('ahead')]);
    expect(await verified('ahead')).toMatchObject({ valid: true, checked: 2 });

    const created = new Date(Date.now() - 365 * 24 * 3600_000).toISOString();
    service.keptHeads.set('upgraded', { head: null, created_at: created });
    await appendEntries(log.stores, [sampleEntry('upgraded')]);
    expect(await verified('upgraded')).toMatchObject({ valid: true, checked: 1 });
  });

  test('is empty by right only while the first entry of a new workspace is on its way', async () => {
    const at = (minutesAgo: number) => ({
      head: null,
      created_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    });
    service.keptHeads.set('newborn', at(1));
    service.keptHeads.set('emptied-long-ago', at(90));
    expect(await verified('newborn')).toMatchObject({ valid: true, checked: 0 });
    expect(await verified('emptied-long-ago')).toMatchObject({ valid: false, reason: 'missing' });
  });
});

test('each append announces the end of the log, and the one before it', async () => {
  const { stores, close } = await openLog(service.mongoUri);
  const announced: unknown[] = [];
  stores.db.sendEventsTo({
    store: () => Promise.resolve(),
    onCommitted: (events) => announced.push(...events.map(({ type, workspace, data }) => ({ type, workspace, data }))),
  });
  const endOf = async () => {
    const { seq, hash } = (await heads().findOne({ _id: 'announced' }))!;
    return { seq, hash };
  };
  await appendEntries(stores, [sampleEntry('announced'), sampleEntry('announced')]);
  const previous = await endOf();
  await appendEntries(stores, [sampleEntry('announced')]);

  const event = { type: 'audit.appended', workspace: 'announced' };
  expect(announced).toEqual([
    { ...event, data: { head: previous, previous: { seq: 0, hash: '0'.repeat(64) } } },
    { ...event, data: { head: await endOf(), previous } },
  ]);
  await close();
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
    const { content, streamLimit } = verdictReply(verdictStores(), 'long', 0);
    // Exports that clients read slowly take none of its places.
    expect(streamLimit).toBe('verifications');
    for await (const piece of content as AsyncIterable<string>) text += piece;
    expect(text).toMatch(/^ {44}\{/);
    expect(JSON.parse(text)).toEqual({ data: { valid: true, checked: LENGTH, first_break: null } });
  });

  test('a log can be verified again after an abandoned verification', async () => {
    for await (const piece of verdictReply(verdictStores(), 'long', 0).content as AsyncIterable<string>) {
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
