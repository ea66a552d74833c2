import type { Event } from '@waymark/contract/event';
import { sessionCreated, tokenCreated, tokenRefused } from '@waymark/contract/events';
import type { Role } from '@waymark/contract/roles';
import { ADA, BOT } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

let service: AuditService;
beforeAll(async () => {
  service = await AuditService.start();
});
afterAll(() => service.stop());

const list = (workspace: string, query = '', role: Role = 'owner') => service.get(query, { workspace, role });
const listed = (count: number, workspace: string, query = '') => service.listed(count, workspace, query);
const publish = (...events: Event[]) => service.publish(...events);

describe('an audited event', () => {
  test('an audited event becomes one entry with actor, target, address and time', async () => {
    const event = folderEvent('one');
    await publish(event);
    await listed(1, 'one');
    const { body } = await list('one');
    expect(body.data[0]).toEqual({
      id: event.id.replace('evt_', 'aud_'),
      action: 'folder.created',
      actor: { ...ADA, token: null },
      target: event.audit!.target,
      changes: { 'utm.$source': { from: null, to: { $set: 'a' } } },
      ip_address: '203.0.113.7',
      request_id: 'req-1',
      created_at: event.occurred_at,
    });
    expect(body.meta).toMatchObject({ total: 1, per_page: 15, current_page: 1 });
  });

  test('an entry by a token names the user, and the token apart; also one of an earlier version has the token', async () => {
    const { token: _token, ...earlier } = BOT;
    await publish(folderEvent('tokens', { actor: { ...earlier, name: 'CI' } }), folderEvent('tokens', { actor: BOT }));
    await listed(2, 'tokens');
    const actors = (await list('tokens')).body.data.map(({ actor }: { actor: object }) => actor);
    expect(actors).toEqual([BOT, { ...BOT, name: 'CI' }]);
    expect((await list('tokens', '/verify')).body.data).toMatchObject({ valid: true, checked: 2 });
  });

  test('a redelivered event adds no second entry', async () => {
    const event = folderEvent('again');
    await publish(event, event);
    await listed(1, 'again');
    await publish(event);
    const next = folderEvent('again');
    await publish(next);
    expect(await listed(2, 'again')).toEqual([next.id, event.id]);
  });

  test('an event without an audit record adds no entry', async () => {
    await publish({ ...folderEvent('quiet'), audit: null });
    const next = folderEvent('quiet');
    await publish(next);
    expect(await listed(1, 'quiet')).toEqual([next.id]);
  });

  test('a sign-in adds an entry in each workspace of the user', async () => {
    const data = { user_id: 'usr_ada', email: 'ada@example.com', workspaces: ['first', 'second'] };
    const audit = { target: { type: 'user', id: 'usr_ada', label: 'ada@example.com' }, changes: {} };
    const event = sessionCreated.create({ workspace: null, actor: ADA }, data, audit);
    await publish(event);
    await publish(event);
    const [[first], [second]] = [await listed(1, 'first'), await listed(1, 'second')];
    expect(first).not.toBe(second);
    expect((await list('first')).body.data[0]).toMatchObject({ action: 'session.created', actor: ADA });
  });

  test('the entry of a rejected token contains the count', async () => {
    const data = { token_id: 'tok_1', name: 'CI', user_id: 'usr_bob', count: 7 };
    const audit = { target: { type: 'token', id: 'tok_1', label: 'CI' }, changes: { count: { from: null, to: 7 } } };
    await publish(tokenRefused.create({ workspace: 'refused', actor: BOT }, data, audit));
    await listed(1, 'refused', '?action=token.refused');
    expect((await list('refused')).body.data[0]).toMatchObject({ target: audit.target, changes: audit.changes });
  });

  test('an event of another workspace is not listed', async () => {
    await publish(folderEvent('ours'));
    await listed(1, 'ours');
    expect((await list('theirs')).body).toMatchObject({ data: [], meta: { total: 0, from: null } });
  });
});

describe('the list', () => {
  const timeAt = (time: string) => `2026-01-${time}.000Z`;
  let created: Event, deleted: Event, minted: Event;

  beforeAll(async () => {
    created = { ...folderEvent('lists', { at: timeAt('30T12:00:00') }), request_id: 'req-created' };
    deleted = folderEvent('lists', { at: timeAt('31T23:59:59'), isDeletion: true, actor: BOT });
    const token = { token_id: 'tok_1', name: 'CI', user_id: 'usr_bob' };
    const audit = { target: { type: 'token', id: 'tok_1', label: 'CI' }, changes: {} };
    minted = {
      ...tokenCreated.create({ workspace: 'lists', actor: BOT }, token, audit),
      occurred_at: timeAt('30T18:00:00'),
    };
    for (const event of [created, deleted, minted]) await publish(event);
    await listed(3, 'lists');
  });

  test('entries are listed newest first in pages that keep the filters', async () => {
    expect(await listed(3, 'lists')).toEqual([deleted.id, minted.id, created.id]);
    const { body } = await list('lists', '?action=folder.*&per_page=1&page=2');
    expect(body.data).toHaveLength(1);
    expect(body.meta).toMatchObject({ total: 2, last_page: 2, from: 2, to: 2 });
    expect(body.links.prev).toBe(
      'http://api.test/api/v1/workspaces/lists/audit-logs?action=folder.*&per_page=1&page=1',
    );
  });

  test.each([
    ['?action=folder.created', () => [created]],
    ['?action=folder.*', () => [deleted, created]],
    ['?action=token.*', () => [minted]],
    ['?action=session.*', () => []],
    ['?actor=usr_ada', () => [created]],
    ['?actor=bob@example.com', () => [deleted, minted]],
    ['?actor=BOB@example.com', () => [deleted, minted]],
    ['?actor=tok_1', () => [deleted, minted]],
    ['?from=2026-01-31', () => [deleted]],
    ['?to=2026-01-30', () => [minted, created]],
    ['?to=2026-01-31', () => [deleted, minted, created]],
    ['?from=2026-01-30&to=2026-01-30', () => [minted, created]],
    ['?from=2026-01-30T12:00:00Z&to=2026-01-30T12:00:00Z', () => [created]],
    ['?from=2026-01-30T12:00:00.001Z', () => [deleted, minted]],
    ['?to=2026-01-30T19:00:00%2B01:00', () => [minted, created]],
    ['?action=folder.*&actor=usr_bob&from=2026-01-31', () => [deleted]],
    ['?action=&actor=&from=&to=&page=&per_page=', () => [deleted, minted, created]],
    ['?action=all&actor=all&target=all', () => [deleted, minted, created]],
    ['?target=tok_1', () => [minted]],
    ['?target=tok_1&action=folder.*', () => []],
    ['?request_id=req-created', () => [created]],
    ['?request_id=req-created&actor=usr_bob', () => []],
  ])('the list with %s contains exactly the matches', async (query, expected) => {
    expect(await listed(expected().length, 'lists', query)).toEqual(expected().map(({ id }) => id));
  });

  test.each([
    ['?from=2026-02-01&to=2026-01-31', 'from'],
    ['?from=2026-01-31T00:00:00Z&to=2026-01-30T23:59:59Z', 'from'],
    ['?from=yesterday', 'from'],
    [`?from=2026-01-31T12:00:00.${'0'.repeat(50)}Z`, 'from'],
    ['?to=2026-02-30', 'to'],
    ['?action=folder', 'action'],
    ['?action=*', 'action'],
    ['?action=link.craeted', 'action'],
    ['?action=qr_code.created', 'action'],
    ['?action=scan.logged', 'action'],
    ['?per_page=101', 'per_page'],
    ['?page=0', 'page'],
    [`?request_id=${'a'.repeat(256)}`, 'request_id'],
    [`?actor=${'a'.repeat(321)}`, 'actor'],
    ['?action=link.created&action=link.updated', 'action'],
    ['?from=2026-01-30T12:00:00', 'from'],
    ['?to=9999-12-31T23:59:59-14:00', 'to'],
  ])('the list with %s returns 422 on %s', async (query, field) => {
    const { status, body } = await list('lists', query);
    expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
  });

  test('the error for an unknown action names the actions and groups', async () => {
    const { body } = await list('lists', '?action=link.craeted');
    expect(body.error.details.action).toEqual([
      expect.stringMatching(/must be .*link\.\*, .*link\.created, .*webhook\.tested/),
    ]);
  });

  test('the error for several invalid filters names every field', async () => {
    const { status, body } = await list('lists', `?action=x&actor=${'a'.repeat(321)}&from=x&to=x&page=x&per_page=x`);
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual(['action', 'actor', 'from', 'page', 'per_page', 'to']);
  });

  test.each(['', 'action=all', 'actor=usr_bob', 'target=tok_1', 'from=2026-01-30T18:00:00Z'])(
    'the list with ?%s is paged by cursor',
    async (query) => {
      const { body: whole } = await list('lists', `?${query}`);
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: any = await list('lists', `?${query}&per_page=1${cursor && `&cursor=${cursor}`}`);
        ids.push(...body.data.map(({ id }: any) => id));
        expect(body.links.next === null).toBe(body.meta.next_cursor === null);
        cursor = body.meta.next_cursor;
      }
      expect(ids).toEqual(whole.data.map(({ id }: any) => id));
    },
  );

  test.each([
    ['of another list', { 0: 'links createdAt -1' }],
    ['of a time that no entry has', { 1: 8.64e15 }],
    ['with an operator in place of a value', { 1: { $gt: '' } }],
  ])('the list returns 422 for a cursor %s', async (_, forged) => {
    const { body: first } = await list('lists', '?per_page=1');
    const parts = JSON.parse(Buffer.from(first.meta.next_cursor, 'base64url').toString()) as unknown[];
    const cursor = Buffer.from(JSON.stringify(Object.assign(parts, forged))).toString('base64url');
    for (const query of [`?cursor=${cursor}`, `?target=tok_1&cursor=${cursor}`]) {
      const { status, body } = await list('lists', query);
      expect([status, Object.keys(body.error?.details ?? {})]).toEqual([422, ['cursor']]);
    }
  });

  test('a page after the end of the list is empty', async () => {
    const { status, body } = await list('lists', '?page=1000000&per_page=100');
    expect([status, body.data, body.meta.total]).toEqual([200, [], 3]);
  });

  test('operators instead of filter values match nothing', async () => {
    expect((await list('lists', '?actor[$ne]=x')).status).toBe(422);
    expect((await list('lists', '?actor=%7B%22%24ne%22%3Anull%7D')).body.data).toEqual([]);
    expect((await list('lists', '?actor=a&actor=b')).status).toBe(422);
  });

  test.each<Role>(['editor', 'analyst', 'viewer'])('a member with the role %s gets 403', async (role) => {
    expect((await list('lists', '', role)).status).toBe(403);
  });
});

test('the service writes only to collections that its user may write', async () => {
  await service.get('/export');
  const collections = await service.database.db!.listCollections({}, { nameOnly: true }).toArray();
  // The role in deploy/k8s/make-secrets.mjs.
  const withRights = ['erasures', 'heads', 'leases', 'log_entries', 'outbox', 'tallies', 'waiting_entries'];
  expect(collections.map(({ name }) => name).sort()).toEqual(withRights);
});
