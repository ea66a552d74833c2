import { conversion } from '@waymark/contract/conversions';
import { linkCreated, type LinkSnapshot } from '@waymark/contract/events';
import { observeWhileBlocked } from '@waymark/testing/fail-command';
import type { CallOptions } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';
import { ConversionStore } from '@waymark/analytics/conversions/conversion-store';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Harness, linkSnapshot } from './harness.js';

const harness = new Harness();
const acme = { workspace: 'acme' };
const SPRING = { id: 'lnk_a', short_code: 'Spring', short_url: 'https://go.test/Spring', title: 'Spring', campaign_tag: 'may' }; // prettier-ignore

/** Sets the links that the owner has; it knows no others. */
function owns(...links: Partial<LinkSnapshot>[]): void {
  harness.owned.splice(0, Infinity, ...links.map((link) => ({ workspace: 'acme', link: linkSnapshot(link) })));
}
const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
let store: ConversionStore;

const record = (body: unknown, options: CallOptions = {}) =>
  harness.caller.call('POST', '/conversions', { ...options, body });
const eventsOf = (id: string) => harness.emitted.filter(({ data }) => data.conversion?.id === id);

beforeAll(async () => {
  await harness.start();
  const db = new Database(harness.backing.MONGODB_URI, { log, lifecycle });
  store = new ConversionStore(db);
  await db.start();
});
beforeEach(() => {
  harness.isOwnerSilent = false;
  harness.unanswered.clear();
  owns(SPRING, { id: 'lnk_b', short_code: 'b', status: 'archived' });
  harness.owned.push({ workspace: 'other', link: linkSnapshot({ id: 'lnk_o', short_code: 'o' }) });
});
afterAll(async () => {
  await lifecycle.stop();
  await harness.stop();
});

const FULL = {
  short_code: 'spring',
  source: 'checkout',
  meta: { order: 7, items: ['a', { b: null }] },
  value: 12.5,
  currency: 'EUR',
  external_id: 'order-7',
  occurred_at: '2026-01-31T13:00:00+01:00',
};

test('a conversion is recorded with every given field and emits one audited event', async () => {
  const { status, body, headers } = await record(FULL);
  expect([status, headers.get('location')]).toEqual([201, null]);
  expect(conversion.parse(body.data)).toEqual(body.data);
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^cnv_/),
      link_id: 'lnk_a',
      short_code: 'Spring',
      source: 'checkout',
      meta: FULL.meta,
      value: 12.5,
      currency: 'EUR',
      external_id: 'order-7',
      occurred_at: '2026-01-31T12:00:00.000Z',
      recorded_at: expect.any(String),
      status: 'recorded',
      rejection: null,
      updated_at: expect.any(String),
    },
  });
  const [event] = await waitFor('its event', () => eventsOf(body.data.id).length > 0 && eventsOf(body.data.id));
  expect(event).toMatchObject({ type: 'conversion.recorded', workspace: 'acme', actor: { id: 'usr_1' } });
  expect(event!.data).toEqual({
    conversion: body.data,
    link: {
      id: 'lnk_a',
      short_code: 'Spring',
      short_url: 'https://go.test/Spring',
      title: 'Spring',
      campaign_tag: 'may',
      folder_id: null,
    },
  });
  expect(event!.audit).toEqual({
    target: { type: 'conversion', id: body.data.id, label: 'checkout' },
    changes: {
      link_id: { from: null, to: 'lnk_a' },
      source: { from: null, to: 'checkout' },
      value: { from: null, to: 12.5 },
      currency: { from: null, to: 'EUR' },
      external_id: { from: null, to: 'order-7' },
      occurred_at: { from: null, to: '2026-01-31T12:00:00.000Z' },
    },
  });
});

test('a conversion needs only a link and a source, under both prefixes', async () => {
  const before = Date.now();
  const minimal = { id: 'lnk_a', source: ' cafe\u0301 ' };
  const { status, body } = await record(minimal);
  expect(status).toBe(201);
  expect(body.data).toMatchObject({ source: 'caf\u00e9', meta: null, value: null, currency: null, external_id: null });
  expect(body.data.occurred_at).toBe(body.data.recorded_at);
  expect(Date.parse(body.data.recorded_at)).toBeGreaterThanOrEqual(before);
  const older = await record({ ...minimal, meta: null, value: null, occurred_at: null }, { unversioned: true });
  expect(older.status).toBe(201);
  expect(older.body.data.id).not.toBe(body.data.id);
});

describe('the link', () => {
  test.each([
    ['an id', { id: 'lnk_a' }, 'lnk_a'],
    ['a short code in any case', { short_code: 'SPRING' }, 'lnk_a'],
    ['both, of the same link', { id: 'lnk_a', short_code: 'spring' }, 'lnk_a'],
    ['a name that is null beside one that is not', { id: null, short_code: 'spring' }, 'lnk_a'],
    ['an id of an archived link', { id: 'lnk_b' }, 'lnk_b'],
  ])('a link is found by %s', async (_, names, linkId) => {
    const { status, body } = await record({ ...names, source: 'web' });
    expect([status, body.data?.link_id]).toEqual([201, linkId]);
  });

  test.each([
    ['an unknown id', { id: 'lnk_x' }],
    ['a malformed id', { id: '\u0000$ne' }],
    ['an unknown code', { short_code: 'nope' }],
    ['an id of another workspace', { id: 'lnk_o' }],
    ['a code of another workspace', { short_code: 'o' }],
  ])('a conversion returns 404 for %s', async (_, names) => {
    const { status, body } = await record({ ...names, source: 'web' });
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });

  test('a conversion whose id and short code disagree returns 422', async () => {
    for (const names of [
      { id: 'lnk_a', short_code: 'b' },
      { id: 'lnk_a', short_code: 'nope' },
    ]) {
      const { status, body } = await record({ ...names, source: 'web' });
      expect([status, Object.keys(body.error.details)]).toEqual([422, ['short_code']]);
    }
  });

  test('a link is found by a former short code, alone and with its id', async () => {
    owns({ id: 'lnk_r', short_code: 'New3', former_codes: [{ hostname: null, short_code: 'Old3' }] });
    for (const names of [{ short_code: 'old3' }, { short_code: 'OLD3', id: 'lnk_r' }]) {
      const { body } = await record({ ...names, source: 'web' });
      expect(body.data).toMatchObject({ link_id: 'lnk_r', short_code: 'New3' });
    }
  });

  test('a conversion uses the link of the owner, regardless of the local copy', async () => {
    const snapshot = { id: 'lnk_old', short_code: 'moved', campaign_tag: 'before' };
    await harness.publish(linkCreated.create(acme, { link: linkSnapshot(snapshot) }));
    const copy = () => harness.database.collection('links').findOne({ _id: 'lnk_old' as never });
    await waitFor('the copy', async () => (await copy()) !== null);

    owns({ ...snapshot, campaign_tag: 'after' });
    await record({ id: 'lnk_old', source: 'web', external_id: 'stale' });
    const stored = await harness.database.collection('conversions').findOne({ externalId: 'stale' });
    expect(stored).toMatchObject({ linkId: 'lnk_old', campaign: 'after' });

    owns({ id: 'lnk_new', short_code: 'moved' });
    expect((await record({ id: 'lnk_old', source: 'web' })).status).toBe(404);
    expect((await record({ short_code: 'moved', source: 'web' })).body.data.link_id).toBe('lnk_new');
  });
});

describe('a conversion while the owner of the links does not answer', () => {
  const listed = async (query: string) =>
    (await harness.caller.call('GET', `/conversions?${query}`)).body.data as { id: string; status: string }[];
  const settled = (externalId: string, status: string) =>
    waitFor(
      `${externalId} to be ${status}`,
      async () => {
        const [row] = await listed(`external_id=${encodeURIComponent(externalId)}`);
        return row?.status === status && row;
      },
      40_000,
    );

  test('a conversion is pending during an outage of the owner and is recorded exactly once afterwards', async () => {
    harness.isOwnerSilent = true;
    const body = { short_code: 'SPRING', source: 'web', external_id: 'unanswered', value: 3, currency: 'EUR' };
    const first = await record(body);
    expect([first.status, first.body.data]).toMatchObject([
      202,
      { status: 'pending', link_id: null, short_code: null, external_id: 'unanswered', value: 3 },
    ]);
    const again = await record(body);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(eventsOf(first.body.data.id)).toEqual([]);
    expect((await store.oldestPendingAt())?.toISOString()).toBe(first.body.data.recorded_at);
    harness.isOwnerSilent = false;
    expect(await settled('unanswered', 'recorded')).toMatchObject({ id: first.body.data.id, link_id: 'lnk_a' });
    expect(await store.oldestPendingAt()).toBeNull();
    const later = await record(body);
    expect([later.status, later.body.data]).toMatchObject([200, { id: first.body.data.id, status: 'recorded' }]);
    const [event] = await waitFor('its event', () => {
      const events = eventsOf(first.body.data.id);
      return events.length > 0 && events;
    });
    expect(event).toMatchObject({ actor: { id: 'usr_1' }, workspace: 'acme' });
    expect(eventsOf(first.body.data.id)).toHaveLength(1);
  });

  test('a pending conversion of an unknown link is rejected and may be corrected under its external id', async () => {
    harness.isOwnerSilent = true;
    const body = { id: 'lnk_none', source: 'web', external_id: 'mistaken' };
    const first = await record(body);
    expect(first.status).toBe(202);
    harness.isOwnerSilent = false;
    expect(await settled('mistaken', 'rejected')).toMatchObject({
      rejection: expect.stringContaining('does not exist'),
    });
    expect((await record(body)).status).toBe(404);
    const corrected = await record({ ...body, id: 'lnk_a' });
    expect([corrected.status, corrected.body.data.status]).toEqual([201, 'recorded']);
    expect(await listed('external_id=mistaken')).toHaveLength(1);
    expect(eventsOf(first.body.data.id)).toEqual([]);
  });

  test('a pending conversion is recorded although the look-up of an earlier one keeps failing', async () => {
    harness.isOwnerSilent = true;
    expect((await record({ id: 'lnk_stuck', source: 'web', external_id: 'stuck' })).status).toBe(202);
    expect((await record({ id: 'lnk_a', source: 'web', external_id: 'behind it' })).status).toBe(202);
    harness.unanswered.add('lnk_stuck');
    harness.isOwnerSilent = false;
    await settled('behind it', 'recorded');
    expect((await listed('external_id=stuck'))[0]).toMatchObject({ status: 'pending' });
    harness.unanswered.clear();
    await settled('stuck', 'rejected');
  });

  test('the 10,001st pending conversion of a workspace returns 503, and other workspaces are accepted', async () => {
    const rows = harness.database.collection<{ _id: string }>('conversions');
    const dueAt = new Date(Date.now() + 3_600_000);
    await rows.insertMany(
      Array.from({ length: 10_000 }, (_, number) => ({
        _id: `cnv_full_${number}`,
        workspace: 'full',
        status: 'pending',
        completion: { names: { id: 'lnk_a' }, context: '{}', dueAt },
      })),
    );
    harness.isOwnerSilent = true;
    const body = { id: 'lnk_a', source: 'web' };
    const refused = await record(body, { workspace: 'full' });
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect((await record(body)).status).toBe(202);
    harness.isOwnerSilent = false;
    harness.owned.push({ workspace: 'full', link: linkSnapshot(SPRING) });
    expect((await record(body, { workspace: 'full' })).status).toBe(201);
    await rows.deleteMany({ workspace: 'full' });
  });

  test('a pending conversion returns the same response for its idempotency key', async () => {
    harness.isOwnerSilent = true;
    const headers = { 'idempotency-key': 'pending-key' };
    const first = await record({ id: 'lnk_a', source: 'web' }, { headers });
    harness.isOwnerSilent = false;
    const again = await record({ id: 'lnk_a', source: 'web' }, { headers });
    expect([again.status, again.body]).toEqual([202, first.body]);
  });
});

describe('the list of conversions', () => {
  const list = (query: string, options: CallOptions = {}) =>
    harness.caller.call('GET', `/conversions?${query}`, { workspace: 'listed', ...options });
  const idsOf = async (query: string) => (await list(query)).body.data.map(({ external_id: id }: any) => id);

  beforeAll(async () => {
    for (const id of ['lnk_l1', 'lnk_l2']) {
      harness.owned.push({ workspace: 'listed', link: linkSnapshot({ id, short_code: id }) });
    }
    for (const [external_id, id, source, day] of [
      ['one', 'lnk_l1', 'web', '01'],
      ['two', 'lnk_l1', 'app', '02'],
      ['three', 'lnk_l2', 'web', '03'],
    ] as const) {
      owns();
      harness.owned.push({ workspace: 'listed', link: linkSnapshot({ id, short_code: id }) });
      const body = { id, source, external_id, occurred_at: `2026-01-${day}T12:00:00Z` };
      expect((await record(body, { workspace: 'listed' })).status).toBe(201);
    }
  });

  test('conversions are listed newest first and filtered by link, source, status and time', async () => {
    expect(await idsOf('')).toEqual(['three', 'two', 'one']);
    expect(await idsOf('sort=recorded_at&per_page=2')).toEqual(['one', 'two']);
    expect(await idsOf('link_id=lnk_l1')).toEqual(['two', 'one']);
    expect(await idsOf('source=web')).toEqual(['three', 'one']);
    expect(await idsOf('link_id=all&source=all&status=all')).toEqual(['three', 'two', 'one']);
    expect(await idsOf('status=pending')).toEqual([]);
    expect(await idsOf('status=recorded&from=2026-01-02&to=2026-01-02')).toEqual(['two']);
    expect(await idsOf('from=2026-01-02')).toEqual(['three', 'two']);
    expect(await idsOf('to=2026-01-02')).toEqual(['two', 'one']);
    expect(await idsOf('from=2026-01-01T12:00:00Z&to=2026-01-02T11:59:59Z')).toEqual(['one']);
    expect(await idsOf('external_id=two')).toEqual(['two']);
    expect(await idsOf('link_id=lnk_l1&source=web&from=2026-01-01&to=2026-01-31')).toEqual(['one']);
    for (const query of ['link_id=lnk_foreign', 'source=unheard', 'link_id=lnk_l2&source=app', 'from=2026-01-04'])
      expect(await idsOf(query)).toEqual([]);
    const [, two] = (await list('')).body.data;
    expect(await idsOf(`updated_since=${two.updated_at}&sort=updated_at`)).toEqual(['two', 'three']);
    expect((await list('')).body.meta).toMatchObject({ total: 3, per_page: 15, truncated: false, next_cursor: null });
  });

  test.each([
    ['from=2026-01-03&to=2026-01-02', ['from']],
    ['from=yesterday&to=2026-02-30', ['from', 'to']],
    ['source=a&source=b&status=lost', ['source', 'status']],
    [`source=${'x'.repeat(101)}&link_id=${'x'.repeat(65)}`, ['link_id', 'source']],
    ['page=0&per_page=101', ['page', 'per_page']],
    ['campaign=spring', ['campaign']],
  ])('a list of conversions with the query %s is a 422 that names %j', async (query, fields) => {
    const { status, body } = await list(query);
    expect([status, Object.keys(body.error.details).sort()]).toEqual([422, fields]);
  });

  test('conversions are paged by number, with the filters in the links between the pages', async () => {
    const { body } = await list('source=web&per_page=1&page=2');
    expect(body.data.map(({ external_id: id }: any) => id)).toEqual(['one']);
    expect(body.meta).toMatchObject({ current_page: 2, last_page: 2, per_page: 1, total: 2, from: 2, to: 2 });
    expect(body.links.next).toBeNull();
    expect(Object.fromEntries(new URL(body.links.prev).searchParams)).toEqual({
      source: 'web',
      per_page: '1',
      page: '1',
    });
    expect(await idsOf('page=2')).toEqual([]);
    expect(await idsOf('per_page=2&page=2')).toEqual(['one']);
  });

  test('the conversions of a source with the name `all` are found by a backslash in front', async () => {
    const workspace = 'every-source';
    harness.owned.push({ workspace, link: linkSnapshot({ id: 'lnk_e', short_code: 'e' }) });
    for (const source of ['all', '\\all', 'web']) await record({ id: 'lnk_e', source }, { workspace });
    const sourcesOf = async (query: string) =>
      (await list(query, { workspace })).body.data.map(({ source }: any) => source);
    expect(await sourcesOf('source=all')).toEqual(['web', '\\all', 'all']);
    expect(await sourcesOf('source=\\all')).toEqual(['all']);
    expect(await sourcesOf('source=\\\\all')).toEqual(['\\all']);
  });

  test('conversions are paged by cursor in each order while others are recorded', async () => {
    const workspace = 'by-cursor';
    const owner = { workspace, link: linkSnapshot({ id: 'lnk_c', short_code: 'c' }) };
    harness.owned.push(owner);
    const add = async () => expect((await record({ id: 'lnk_c', source: 'web' }, { workspace })).status).toBe(201);
    const readAll = async (query: string, onPage: () => Promise<void> = () => Promise.resolve()) => {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await list(`${query}&per_page=2${cursor && `&cursor=${cursor}`}`, { workspace });
        seen.push(...body.data.map(({ id }: any) => id));
        expect(body.links.next === null || body.meta.next_cursor !== null).toBe(true);
        if (body.meta.next_cursor === null) return seen;
        cursor = body.meta.next_cursor;
        await onPage();
      }
    };
    for (let i = 0; i < 5; i += 1) await add();
    for (const query of ['', 'sort=recorded_at', 'sort=updated_at', 'sort=-updated_at&source=web&link_id=lnk_c']) {
      const { body } = await list(`${query}&per_page=100`, { workspace });
      expect(await readAll(query)).toEqual(body.data.map(({ id }: any) => id));
    }
    const before = await readAll('');
    expect(await readAll('', add)).toEqual(before);
    const { body } = await list('per_page=2', { workspace });
    const refused = await list(`sort=updated_at&cursor=${body.meta.next_cursor}`, { workspace });
    expect([refused.status, Object.keys(refused.body.error.details)]).toEqual([422, ['cursor']]);
  });

  test('the list of conversions needs access to analytics', async () => {
    for (const role of ['editor', 'viewer'] as const) expect((await list('', { access: { role } })).status).toBe(403);
    expect((await list('', { access: { role: 'analyst', abilities: ['read'] } })).status).toBe(200);
  });
});

describe('an external id', () => {
  test('a repeated external id returns the first record and emits no second event', async () => {
    const first = await record({ id: 'lnk_a', source: 'web', external_id: 'twice', value: 1, currency: 'EUR' });
    const again = await record({ id: 'lnk_b', source: 'web', external_id: 'twice', value: 2, currency: 'EUR' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const later = await record({ id: 'lnk_a', source: 'web' });
    await waitFor('a later event', () => eventsOf(later.body.data.id).length > 0);
    expect(eventsOf(first.body.data.id)).toHaveLength(1);
  });

  test('a repeated external id returns the first record even without the link or its owner', async () => {
    const first = await record({ id: 'lnk_a', source: 'web', external_id: 'late answer' });
    owns();
    const headers = { 'idempotency-key': 'of-a-repeat' };
    const repeat = () => record({ id: 'lnk_a', source: 'web', external_id: 'late answer' }, { headers });
    const again = await repeat();
    expect([again.status, again.body]).toEqual([200, first.body]);
    harness.isOwnerSilent = true;
    const replayed = await repeat();
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect((await record({ id: 'nope', source: 'web', external_id: 'late answer' })).body).toEqual(first.body);
  });

  test('an external id sent twenty times concurrently makes one record and one event', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => record({ id: 'lnk_a', source: 'web', external_id: 'at once' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    const ids = new Set(answers.map(({ body }) => body.data.id as string));
    expect(ids.size).toBe(1);
    const stored = await harness.database.collection('conversions').countDocuments({ externalId: 'at once' });
    expect(stored).toBe(1);
    await waitFor('the event', () => eventsOf([...ids][0]!).length === 1);
  });

  test('an external id may be used again by another source', async () => {
    const first = await record({ id: 'lnk_a', source: 'shop 1', external_id: 'order-1001' });
    const second = await record({ id: 'lnk_b', source: 'shop 2', external_id: 'order-1001' });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data.link_id).toBe('lnk_b');
  });

  test('an external id may be used again in another workspace', async () => {
    const body = { source: 'web', external_id: 'shared' };
    expect((await record({ ...body, id: 'lnk_a' })).status).toBe(201);
    expect((await record({ ...body, id: 'lnk_o' }, { workspace: 'other' })).status).toBe(201);
  });
});

test('an idempotency key replays the first response, even for concurrent requests', async () => {
  const headers = { 'idempotency-key': 'key-1' };
  const body = { id: 'lnk_a', source: 'web' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => record(body, { headers })));
  const done = answers.filter(({ status }) => status === 201);
  expect(new Set(done.map((answer) => answer.body.data.id)).size).toBe(1);
  const replayed = await record(body, { headers });
  expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(replayed.body).toEqual(done[0]!.body);
  expect((await record({ ...body, source: 'app' }, { headers })).status).toBe(409);
});

test('meta is returned unchanged, with any names', async () => {
  const text =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}},"$set":{"a.b":1},"a.b":[1,null],"":"","\\ud800":"lone"}';
  const answer = await harness.caller.raw('POST', '/conversions', {
    headers: { 'content-type': 'application/json' },
    body: `{"id":"lnk_a","source":"web","meta":${text}}`,
  });
  expect(answer.status).toBe(201);
  expect(answer.text).toContain(`"meta":${text}`);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  const [event] = await waitFor('its event', () => {
    const events = eventsOf(answer.body.data.id as string);
    return events.length > 0 && events;
  });
  expect(JSON.stringify(event!.data.conversion.meta)).toBe(text);
});

test('meta may have at most 10,000 bytes', async () => {
  const metaOf = (bytes: number) => ({
    a: 'é'.repeat(2),
    b: 'x'.repeat(bytes - JSON.stringify({ a: '', b: '' }).length - 4),
  });
  expect((await record({ id: 'lnk_a', source: 'web', meta: metaOf(10_000) })).status).toBe(201);
  expect((await record({ id: 'lnk_a', source: 'web', meta: metaOf(10_001) })).status).toBe(422);
});

describe('a request', () => {
  const good = { id: 'lnk_a', source: 'web' };
  test.each([
    [{ source: 'web' }, ['id', 'short_code']],
    [{ source: 'web', id: null, short_code: null }, ['id', 'short_code']],
    [{ ...good, id: '' }, ['id']],
    [{ ...good, id: { $ne: null } }, ['id']],
    [{ source: 'web', short_code: 7 }, ['short_code']],
    [{ source: 'web', short_code: 'x'.repeat(65) }, ['short_code']],
    [{ id: 'lnk_a' }, ['source']],
    [{ ...good, source: ' ' }, ['source']],
    [{ ...good, source: 'x'.repeat(101) }, ['source']],
    [{ ...good, source: { $gt: '' } }, ['source']],
    [{ ...good, meta: 'text' }, ['meta']],
    [{ ...good, meta: ['a'] }, ['meta']],
    [{ ...good, value: '12', currency: 'EUR' }, ['value']],
    [{ ...good, value: 2 ** 53, currency: 'EUR' }, ['value']],
    [{ ...good, value: -0.01, currency: 'EUR' }, ['value']],
    [{ ...good, value: 5 }, ['currency']],
    [{ ...good, value: 0, currency: null }, ['currency']],
    [{ ...good, occurred_at: '1999-12-31T23:59:59Z' }, ['occurred_at']],
    [{ ...good, occurred_at: new Date(Date.now() + 25 * 3_600_000).toISOString() }, ['occurred_at']],
    [{ ...good, meta: { order: [2 ** 53] } }, ['meta']],
    [{ ...good, currency: 'euro' }, ['currency']],
    [{ ...good, currency: 'eur' }, ['currency']],
    [{ ...good, external_id: '' }, ['external_id']],
    [{ ...good, external_id: 7 }, ['external_id']],
    [{ ...good, external_id: 'x'.repeat(256) }, ['external_id']],
    [{ ...good, occurred_at: 'yesterday' }, ['occurred_at']],
    [{ ...good, occurred_at: '2026-02-30T00:00:00Z' }, ['occurred_at']],
    [{ ...good, occurred_at: '9999-12-31T23:59:59-05:00' }, ['occurred_at']],
    [{ ...good, occurred_at: '0001-01-01T00:00:00Z' }, ['occurred_at']],
    [{ meta: 1, value: true, currency: 1, occurred_at: 1 }, ['currency', 'id', 'meta', 'occurred_at', 'short_code', 'source', 'value']], // prettier-ignore
    [[], ['body']],
    ['text', ['body']],
    [{ ...good, meta: { order: { id: 2 ** 53 } } }, ['meta']],
  ])('a request with %j returns 422 on each wrong field', async (body, fields) => {
    const { status, body: answer } = await record(body);
    expect([status, answer.error.code]).toEqual([422, 'validation_failed']);
    expect(Object.keys(answer.error.details).sort()).toEqual(fields);
  });

  test('a request with a number that is too large returns 422', async () => {
    const { status, body } = await harness.caller.raw('POST', '/conversions', {
      headers: { 'content-type': 'application/json' },
      body: '{"id":"lnk_a","source":"web","value":1e400,"currency":"EUR","meta":{"v":1e400}}',
    });
    expect([status, Object.keys(body.error.details).sort()]).toEqual([422, ['meta', 'value']]);
  });

  test('a request nested 20,000 levels deep returns 422', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const { status, body } = await harness.caller.raw('POST', '/conversions', {
      headers: { 'content-type': 'application/json' },
      body: `{"id":"lnk_a","source":"web","meta":{"a":${deep}}}`,
    });
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['body']]);
  });

  test('a request is allowed for every role with the write ability and for no other', async () => {
    for (const role of ['owner', 'admin', 'editor', 'analyst', 'viewer'] as const) {
      expect((await record(good, { access: { role } })).status).toBe(201);
      expect((await record(good, { access: { role, abilities: ['read'] } })).status).toBe(403);
    }
    expect((await record(good, { access: { slug: 'other' } })).status).toBe(403);
    expect((await record(good, { anonymous: true })).status).toBe(401);
  });

  test('a request with another method returns 405', async () => {
    expect((await harness.caller.call('PATCH', '/conversions')).status).toBe(405);
  });
});

test('a conversion counts once when clocks go back over midnight', async () => {
  const workspace = 'clocks';
  harness.owned.splice(0, Infinity, { workspace, link: linkSnapshot({ id: 'lnk_1' }) });
  // Local times: 00:00:30 on the 7th, 23:15 on the 6th since clocks went back at 00:01, and 00:01 on the 7th.
  for (const occurred_at of ['2010-11-07T02:30:30Z', '2010-11-07T02:45:00Z', '2010-11-07T03:31:00Z'])
    await record({ id: 'lnk_1', source: 'web', occurred_at }, { workspace });
  await harness.counted();
  const range = 'timezone=America/St_Johns&start_date=2010-11-06&end_date=2010-11-07';
  const { kpis, trend } = (await harness.get(`/summary?${range}`, { workspace })).body.data;
  expect([kpis.conversions, trend.map((day: { conversions: number }) => day.conversions)]).toEqual([3, [1, 2]]);
});

test('conversions are counted by local day and filtered by link and campaign', async () => {
  const workspace = 'counted';
  harness.owned.splice(0, Infinity, {
    workspace,
    link: linkSnapshot({ id: 'lnk_1', short_code: 'one', campaign_tag: 'x' }),
  });
  const recordAt = (occurredAt: string) =>
    record({ id: 'lnk_1', source: 'web', occurred_at: occurredAt }, { workspace });
  await recordAt('2026-03-01T10:00:00Z');
  await recordAt('2026-03-01T23:30:00Z');
  harness.owned.splice(0, Infinity, { workspace, link: linkSnapshot({ id: 'lnk_1', short_code: 'one', campaign_tag: 'y', revision: 2 }) }); // prettier-ignore
  await recordAt('2026-03-03T00:00:00Z');
  await harness.counted();
  const counts = async (query: Record<string, string>) => {
    const days = { start_date: '2026-03-01', end_date: '2026-03-03', ...query };
    const { body } = await harness.get(`/summary?${new URLSearchParams(days).toString()}`, { workspace });
    const trend = body.data.trend as { date: string; conversions: number }[];
    const counted = trend.filter(({ conversions }) => conversions > 0);
    expect(body.data.kpis.conversions).toBe(counted.reduce((sum, { conversions }) => sum + conversions, 0));
    return Object.fromEntries(counted.map(({ date, conversions }) => [Number(date.slice(-2)), conversions]));
  };
  expect(await counts({})).toEqual({ 1: 2, 3: 1 });
  expect(await counts({ timezone: 'Europe/Berlin' })).toEqual({ 1: 1, 2: 1, 3: 1 });
  expect(await counts({ end_date: '2026-03-01' })).toEqual({ 1: 2 });
  expect(await counts({ campaign: 'x' })).toEqual({ 1: 2 });
  expect(await counts({ campaign: 'y,z', link_id: 'lnk_1' })).toEqual({ 3: 1 });
  expect(await counts({ campaign: '!x,none' })).toEqual({ 3: 1 });
  expect(await counts({ link_id: 'lnk_2' })).toEqual({});
  const days = 'start_date=2026-03-01&end_date=2026-03-03&timezone=Asia/Kolkata';
  const pointsBy = async (interval: string) => {
    const { body } = await harness.get(`/summary?${days}&interval=${interval}`, { workspace });
    const trend = body.data.trend as { starts_at: string; conversions: number }[];
    return trend.filter(({ conversions }) => conversions > 0).map((point) => [point.starts_at, point.conversions]);
  };
  expect(await pointsBy('hour')).toEqual([
    ['2026-03-01T09:30:00.000Z', 1],
    ['2026-03-01T23:30:00.000Z', 1],
    ['2026-03-02T23:30:00.000Z', 1],
  ]);
  expect(await pointsBy('month')).toEqual([['2026-02-28T18:30:00.000Z', 3]]);
});

test('three lists of a workspace run at once, and further ones wait without delaying those of another workspace', async () => {
  const conversions = harness.database.collection('conversions');
  const list = (workspace: string) => harness.caller.call('GET', '/conversions', { workspace });
  const block = { command: 'aggregate', times: 3 };
  const { early, other, statuses } = await observeWhileBlocked(conversions, block, async () => {
    const statuses: number[] = [];
    const requests = Array.from({ length: 10 }, async () => statuses.push((await list('greedy')).status));
    // They have begun once this one is answered.
    await harness.get('/filters', { workspace: 'greedy' });
    const other = (await list('other')).status;
    return { early: [...statuses], other, statuses, rest: Promise.all(requests) };
  });
  // Seven of them are not held by the database.
  expect([other, early]).toEqual([200, []]);
  // On a slow machine some wait for longer than they may.
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(statuses).toContain(200);
});
