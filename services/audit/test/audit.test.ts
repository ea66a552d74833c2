import type { Server } from 'node:http';
import mongoose from 'mongoose';
import type { Event } from '@waymark/shared/contract/event';
import {
  linkArchived,
  linkCreated,
  sessionCreated,
  tokenCreated,
  type LinkSnapshot,
} from '@waymark/shared/contract/events';
import type { Actor } from '@waymark/shared/contract/identity';
import { newId } from '@waymark/shared/contract/ids';
import type { Role } from '@waymark/shared/contract/roles';
import { Broker } from '@waymark/shared/kernel/broker/connection';
import { Publisher } from '@waymark/shared/kernel/broker/publisher';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { freshBacking } from '@waymark/shared/testing/backing';
import { testProcess } from '@waymark/shared/testing/process-parts';
import { ServiceCaller } from '@waymark/shared/testing/service-caller';
import { urlOf } from '@waymark/shared/testing/urls';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { startAudit } from '@waymark/audit/app';
import { auditConfig } from '@waymark/audit/config';

const caller = new ServiceCaller('audit', () => urlOf(server));
const backing = freshBacking();
const parts = testProcess(auditConfig, {
  ...backing,
  IDENTITY_PUBLIC_KEY: caller.keys.publicKey,
  API_BASE_URL: 'http://api.test',
});
const log = createLog('test', 'silent');
const publishing = new Lifecycle(log);
const broker = new Broker(backing.AMQP_URL, backing.AMQP_NAMESPACE, 'test', log, publishing);
const publisher = new Publisher(broker);
let server: Server;

beforeAll(async () => {
  server = await startAudit(parts);
  broker.start();
  await waitFor('the database', async () => (await list('acme')).status === 200);
  // Unroutable until the service has declared its queue.
  await waitFor('the queue', () => publish(linkEvent('warm-up')).then(() => true));
});
afterAll(async () => {
  await parts.lifecycle.stop();
  await publishing.stop();
  const database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await database.dropDatabase();
  await database.close();
});

const ada: Actor = { type: 'user', id: 'usr_ada', name: 'Ada', email: 'ada@example.com', token_id: null };
const bot: Actor = { type: 'token', id: 'usr_bob', name: 'Bob', email: 'bob@example.com', token_id: 'tok_1' };

function linkEvent(workspace: string, options: { actor?: Actor; at?: string; archived?: boolean } = {}): Event {
  const link = { id: newId('lnk'), short_code: 'spring', title: 'Spring' } as LinkSnapshot;
  const snapshot: LinkSnapshot = {
    ...link,
    revision: 1,
    hostname: null,
    short_url: 'http://go.test/spring',
    destination_url: 'https://example.com',
    campaign_tag: null,
    utm_defaults: { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null },
    status: 'active',
    created_at: new Date().toISOString(),
  };
  const context = { workspace, actor: options.actor ?? ada, ipAddress: '203.0.113.7', requestId: 'req-1' };
  const audit = {
    target: { type: 'link', id: link.id, label: 'Spring' },
    changes: { 'utm.$source': { from: null, to: { $set: 'a' } } },
  };
  const event = (options.archived ? linkArchived : linkCreated).create(context, { link: snapshot }, audit);
  return options.at ? { ...event, occurred_at: options.at } : event;
}

function publish(event: Event): Promise<void> {
  return publisher.publish(event.type, event.id, JSON.stringify(event));
}

const list = (workspace: string, query = '', role: Role = 'owner') =>
  caller.call('GET', `/audit-logs${query}`, { workspace, actor: ada, access: { role, abilities: ['read'] } });

/** The ids of the events whose entries the list has, once it has this many. */
async function listed(count: number, workspace: string, query = ''): Promise<string[]> {
  return waitFor(`${count} entries of ${workspace}${query}`, async () => {
    const { body } = await list(workspace, query);
    return body.data.length === count && body.data.map(({ id }: { id: string }) => id.replace('aud_', 'evt_'));
  });
}

describe('an audited event', () => {
  test('becomes one entry with who, what, where and when', async () => {
    const event = linkEvent('one');
    await publish(event);
    await listed(1, 'one');
    const { body } = await list('one');
    expect(body.data[0]).toEqual({
      id: event.id.replace('evt_', 'aud_'),
      action: 'link.created',
      actor: ada,
      target: event.audit!.target,
      changes: { 'utm.$source': { from: null, to: { $set: 'a' } } },
      ip_address: '203.0.113.7',
      request_id: 'req-1',
      created_at: event.occurred_at,
    });
    expect(body.meta).toMatchObject({ total: 1, per_page: 15, current_page: 1 });
  });

  test('that arrives again, in the same batch or later, makes no second entry', async () => {
    const event = linkEvent('again');
    await Promise.all([publish(event), publish(event)]);
    await listed(1, 'again');
    await publish(event);
    const next = linkEvent('again');
    await publish(next);
    expect(await listed(2, 'again')).toEqual([next.id, event.id]);
  });

  test('without an audit record makes no entry', async () => {
    await publish({ ...linkEvent('quiet'), audit: null });
    const next = linkEvent('quiet');
    await publish(next);
    expect(await listed(1, 'quiet')).toEqual([next.id]);
  });

  test('of a sign-in is entered in each workspace of the user', async () => {
    const data = { user_id: 'usr_ada', email: 'ada@example.com', workspaces: ['first', 'second'] };
    const audit = { target: { type: 'user', id: 'usr_ada', label: 'ada@example.com' }, changes: {} };
    const event = sessionCreated.create({ workspace: null, actor: ada }, data, audit);
    await publish(event);
    await publish(event);
    const [[first], [second]] = [await listed(1, 'first'), await listed(1, 'second')];
    expect(first).not.toBe(second);
    expect((await list('first')).body.data[0]).toMatchObject({ action: 'session.created', actor: ada });
  });

  test('of another workspace is not shown', async () => {
    await publish(linkEvent('ours'));
    await listed(1, 'ours');
    expect((await list('theirs')).body).toMatchObject({ data: [], meta: { total: 0, from: null } });
  });
});

describe('the list', () => {
  const at = (time: string) => `2026-01-${time}.000Z`;
  let created: Event, archived: Event, minted: Event;

  beforeAll(async () => {
    created = linkEvent('lists', { at: at('30T12:00:00') });
    archived = linkEvent('lists', { at: at('31T23:59:59'), archived: true, actor: bot });
    const token = { token_id: 'tok_1', name: 'CI', user_id: 'usr_bob' };
    const audit = { target: { type: 'token', id: 'tok_1', label: 'CI' }, changes: {} };
    minted = {
      ...tokenCreated.create({ workspace: 'lists', actor: bot }, token, audit),
      occurred_at: at('30T18:00:00'),
    };
    for (const event of [created, archived, minted]) await publish(event);
    await listed(3, 'lists');
  });

  test('is newest first and in pages that keep the filters', async () => {
    expect(await listed(3, 'lists')).toEqual([archived.id, minted.id, created.id]);
    const { body } = await list('lists', '?action=link.*&per_page=1&page=2');
    expect(body.data).toHaveLength(1);
    expect(body.meta).toMatchObject({ total: 2, last_page: 2, from: 2, to: 2 });
    expect(body.links.prev).toBe('http://api.test/api/v1/workspaces/lists/audit-logs?action=link.*&per_page=1&page=1');
  });

  test.each([
    ['?action=link.created', () => [created]],
    ['?action=link.*', () => [archived, created]],
    ['?action=token.*', () => [minted]],
    ['?action=session.*', () => []],
    ['?actor=usr_ada', () => [created]],
    ['?actor=bob@example.com', () => [archived, minted]],
    ['?actor=BOB@example.com', () => [archived, minted]],
    ['?actor=tok_1', () => [archived, minted]],
    ['?from=2026-01-31', () => [archived]],
    ['?to=2026-01-30', () => [minted, created]],
    ['?to=2026-01-31', () => [archived, minted, created]],
    ['?from=2026-01-30&to=2026-01-30', () => [minted, created]],
    ['?from=2026-01-30T12:00:00Z&to=2026-01-30T12:00:00Z', () => [created]],
    ['?from=2026-01-30T12:00:00.001Z', () => [archived, minted]],
    ['?to=2026-01-30T19:00:00%2B01:00', () => [minted, created]],
    ['?action=link.*&actor=usr_bob&from=2026-01-31', () => [archived]],
  ])('with %s has exactly what matches', async (query, expected) => {
    expect(await listed(expected().length, 'lists', query)).toEqual(expected().map(({ id }) => id));
  });

  test.each([
    ['?from=2026-02-01&to=2026-01-31', 'from'],
    ['?from=2026-01-31T00:00:00Z&to=2026-01-30T23:59:59Z', 'from'],
    ['?from=yesterday', 'from'],
    ['?to=2026-02-30', 'to'],
    ['?action=link', 'action'],
    ['?action=*', 'action'],
    ['?per_page=101', 'per_page'],
  ])('with %s answers 422 on %s', async (query, field) => {
    const { status, body } = await list('lists', query);
    expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
  });

  test('of operators in place of values finds nothing and breaks nothing', async () => {
    expect((await list('lists', '?actor[$ne]=x')).body.data).toHaveLength(3);
    expect((await list('lists', '?actor=%7B%22%24ne%22%3Anull%7D')).body.data).toEqual([]);
    expect((await list('lists', '?actor=a&actor=b')).status).toBe(422);
  });

  test.each<Role>(['editor', 'analyst', 'viewer'])('for a member with the role %s answers 403', async (role) => {
    expect((await list('lists', '', role)).status).toBe(403);
  });
});
