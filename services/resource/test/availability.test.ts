import { waitFor } from '@waymark/testing/wait-for';
import { refused, Stack } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

const HOUR_MS = 3600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const patch = (id: string, body: object) => stack.call('PATCH', `/links/${id}`, { body });
const show = async (id: string) => (await stack.call('GET', `/links/${id}`)).body.data;
const eventsOf = (id: string, type: string) => stack.toldOf(id).filter((event) => event.type === type);

async function scanned(link: { id: string; short_code: string }, count: number): Promise<void> {
  const { scans_count: before } = await show(link.id);
  for (let scan = 0; scan < count; scan += 1) await stack.scan(link);
  await waitFor('the scans', async () => (await show(link.id)).scans_count === before + count);
}

const NOTHING_SET = {
  starts_at: null,
  expires_at: null,
  expired_url: null,
  max_scans: null,
  redirect_status: 302,
  forward_path: false,
  availability: 'available',
};

test('a link without any of the fields is open as before, and each of them can be set, shown and cleared', async () => {
  const link = await stack.create();
  expect(link).toMatchObject(NOTHING_SET);
  const fields = {
    starts_at: inHours(-1),
    expires_at: inHours(1),
    expired_url: 'https://example.com/over',
    max_scans: 500,
    redirect_status: 308,
    forward_path: true,
  };
  expect((await patch(link.id, fields)).body.data).toMatchObject(fields);
  const cleared = { ...NOTHING_SET, availability: undefined };
  expect((await patch(link.id, { ...cleared })).body.data).toMatchObject(NOTHING_SET);
  await waitFor('the events', () => Promise.resolve(eventsOf(link.id, 'link.updated').length === 2));
  const [first] = eventsOf(link.id, 'link.updated');
  expect(first!.data.link).toMatchObject(fields);
  expect(first!.audit!.changes).toMatchObject({ max_scans: { from: null, to: 500 }, forward_path: { to: true } });
  expect(first!.audit!.changes['expires_at']!.to).toBe(fields.expires_at);
});

test('a link that an earlier version stored is open, and a request that changes nothing leaves it as it is', async () => {
  const link = await stack.create();
  const later = ['queryPolicy', 'startsAt', 'expiresAt', 'expiredUrl', 'maxScans', 'redirectStatus', 'forwardPath'];
  const $unset = Object.fromEntries([...later, 'isUsedUp', 'endDueAt', 'isEndAnnounced'].map((field) => [field, 1]));
  await stack.database.collection('links').updateOne({ _id: link.id }, { $unset });
  expect(await show(link.id)).toEqual(link);
  const listed = await stack.list(`availability=available&search=${link.short_code}`);
  expect(listed.data).toEqual([link]);
  expect((await patch(link.id, {})).body.data).toEqual(link);
  expect((await patch(link.id, { redirect_status: 302, starts_at: null })).body.data).toEqual(link);
  await scanned(link, 1);
  expect((await patch(link.id, { max_scans: 1 })).body.data.availability).toBe('used_up');
});

test('times with an offset are shown in UTC, and `null` takes the defaults of a new link', async () => {
  const link = await stack.create({
    starts_at: '2030-01-01T09:00:00+02:00',
    redirect_status: null,
    forward_path: null,
  });
  expect(link).toMatchObject({ ...NOTHING_SET, starts_at: '2030-01-01T07:00:00.000Z', availability: 'scheduled' });
});

test.each([
  [{ starts_at: 'tomorrow' }, 'starts_at'],
  [{ starts_at: '2026-01-01' }, 'starts_at'],
  [{ expires_at: '1999-12-31T23:59:59Z' }, 'expires_at'],
  [{ expires_at: '+010000-01-01T00:00:00Z' }, 'expires_at'],
  [{ starts_at: inHours(2), expires_at: inHours(1) }, 'expires_at'],
  [{ starts_at: '2030-01-01T00:00:00Z', expires_at: '2030-01-01T00:00:00Z' }, 'expires_at'],
  [{ max_scans: 0 }, 'max_scans'],
  [{ max_scans: 1_000_000_001 }, 'max_scans'],
  [{ max_scans: 1.5 }, 'max_scans'],
  [{ max_scans: '5' }, 'max_scans'],
  [{ redirect_status: 303 }, 'redirect_status'],
  [{ redirect_status: '301' }, 'redirect_status'],
  [{ forward_path: 'yes' }, 'forward_path'],
  [{ expired_url: 'javascript:alert(1)' }, 'expired_url'],
  [{ expired_url: 'https://go.test/loop' }, 'expired_url'],
  [{ expired_url: 'http://192.168.0.1/' }, 'expired_url'],
])('refuses %j on its field', async (fields, field) => {
  const body = { destination_url: 'https://example.com/', ...fields };
  const answer = await stack.call('POST', '/links', { body });
  expect([answer.status, refused(answer)]).toEqual([422, [field]]);
});

test('a change compares the new end with the stored start', async () => {
  const link = await stack.create({ starts_at: '2030-01-01T00:00:00Z' });
  const answer = await patch(link.id, { expires_at: '2029-01-01T00:00:00Z' });
  expect([answer.status, refused(answer)]).toEqual([422, ['expires_at']]);
});

test('the list filters by availability, together with other filters', async () => {
  const campaign_tag = 'availability';
  const scheduled = await stack.create({ campaign_tag, starts_at: inHours(1) });
  const expired = await stack.create({ campaign_tag, expires_at: inHours(-1) });
  const available = await stack.create({ campaign_tag, starts_at: inHours(-1), expires_at: inHours(1), max_scans: 2 });
  const archived = await stack.create({ campaign_tag, status: 'archived', expires_at: inHours(-1) });
  const usedUp = await stack.create({ campaign_tag, max_scans: 1 });
  await scanned(usedUp, 1);
  const listed = async (query: string) => (await stack.list(query)).data.map(({ id }: { id: string }) => id);
  for (const [availability, link] of Object.entries({ scheduled, expired, available, archived, used_up: usedUp })) {
    expect((await show(link.id)).availability).toBe(availability);
    expect(await listed(`availability=${availability}&campaign=${campaign_tag}`)).toEqual([link.id]);
  }
  expect(await listed(`availability=used_up&sort=title&campaign=${campaign_tag}`)).toEqual([usedUp.id]);
  const blocked = { at: new Date(), reason: 'Phishing', by: 'operator' };
  await stack.database.collection('links').updateOne({ _id: scheduled.id }, { $set: { blocked } });
  expect((await show(scheduled.id)).availability).toBe('blocked');
  expect(await listed(`availability=blocked&campaign=${campaign_tag}`)).toEqual([scheduled.id]);
  expect(await listed(`availability=scheduled&campaign=${campaign_tag}`)).toEqual([]);
  expect((await listed(`availability=all&campaign=${campaign_tag}`)).length).toBe(5);
  expect((await stack.call('GET', '/links?availability=open')).status).toBe(422);
});

test('one event says that a link has expired, and a later end makes another', async () => {
  const link = await stack.create({ expires_at: inHours(-1), max_scans: 1 });
  const announced = (count: number) => () => Promise.resolve(eventsOf(link.id, 'link.expired').length === count);
  await waitFor('the event', announced(1));
  await scanned(link, 1);
  const [event] = eventsOf(link.id, 'link.expired');
  expect(event!.data.link).toMatchObject({ id: link.id, availability: 'expired' });
  expect(event!.audit).toMatchObject({
    target: { type: 'link', id: link.id },
    changes: { availability: { from: 'available', to: 'expired' } },
  });
  expect(event!.actor).toMatchObject({ type: 'system' });
  expect((await show(link.id)).updated_at).toBe(link.updated_at);

  expect((await patch(link.id, { expires_at: inHours(1), max_scans: 5 })).body.data.availability).toBe('available');
  await patch(link.id, { expires_at: inHours(-1) });
  await waitFor('the second event', announced(2));
});

test('the scan that reaches max_scans makes the event, and raising it opens the link again', async () => {
  const link = await stack.create({ max_scans: 2 });
  await scanned(link, 1);
  expect((await show(link.id)).availability).toBe('available');
  await scanned(link, 2);
  expect(await show(link.id)).toMatchObject({ scans_count: 3, availability: 'used_up' });
  await waitFor('the event', () => Promise.resolve(eventsOf(link.id, 'link.expired').length === 1));
  expect(eventsOf(link.id, 'link.expired')[0]!.data.link).toMatchObject({ availability: 'used_up', scans_count: 3 });
  expect((await patch(link.id, { max_scans: 4 })).body.data.availability).toBe('available');
  await scanned(link, 1);
  expect((await show(link.id)).availability).toBe('used_up');
  await waitFor('the second event', () => Promise.resolve(eventsOf(link.id, 'link.expired').length === 2));
});

test('an expired link counts toward the quota until it is archived, and makes no event while it is archived', async () => {
  const workspace = 'quota';
  const link = await stack.create({ expires_at: inHours(-1) }, { workspace, activeLinks: 1 });
  const body = { destination_url: 'https://example.com/' };
  expect((await stack.call('POST', '/links', { workspace, activeLinks: 1, body })).status).toBe(422);
  await stack.call('PATCH', `/links/${link.id}`, { workspace, body: { status: 'archived' } });
  expect((await stack.call('POST', '/links', { workspace, activeLinks: 1, body })).status).toBe(201);
  const archived = await stack.create({ expires_at: inHours(-1), status: 'archived' });
  expect(await stack.stored('links', archived.id)).toMatchObject({ endDueAt: null, isEndAnnounced: false });
});
