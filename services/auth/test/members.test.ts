import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import type { Role } from '@waymark/contract/roles';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { ADA, ServiceCaller } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const backing = freshBacking();
const caller = new ServiceCaller('auth', () => urlOf(server));
const parts = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
});
let server: Server;
let database: Connection;
const ids: Record<string, string> = {};

const admin = (name: string, options: Record<string, string>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);

beforeAll(async () => {
  server = await startAuth(parts);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => (await caller.call('GET', '/members')).status === 200);
  for (const name of ['ada', 'bob', 'cyd', 'dan', 'eve']) {
    ids[name] = (await admin('user create', { email: `${name}@example.com`, name, password: 'long enough' })).id;
  }
});
afterAll(async () => {
  await database.close();
  await parts.lifecycle.stop();
});

let workspace: string;
let count = 0;
beforeEach(async () => {
  workspace = `w${(count += 1)}`;
  await admin('workspace create', { slug: workspace, name: 'W', owner: 'ada@example.com' });
});

const callAs = (role: Role, method: string, path: string, body?: unknown) =>
  caller.call(method, path, { body, workspace, access: { role } });
const add = (name: string, role: Role) => admin('member set', { workspace, email: `${name}@example.com`, role });
const outbox = async (action: string) =>
  (await database.collection('outbox').find({ type: action }).toArray()).map((row) =>
    JSON.parse(row['body'] as string),
  );

test('the member routes list members newest first, change a role and remove a member', async () => {
  await add('bob', 'viewer');
  const list = await callAs('admin', 'GET', '/members');
  expect(list.body.data.map(({ user, role }: any) => [user.name, role])).toEqual([
    ['bob', 'viewer'],
    ['ada', 'owner'],
  ]);
  const changed = await callAs('admin', 'PATCH', `/members/${ids['bob']}`, { role: 'editor' });
  expect([changed.status, changed.body.data.role]).toEqual([200, 'editor']);
  expect((await callAs('admin', 'DELETE', `/members/${ids['bob']}`)).status).toBe(204);
  expect((await callAs('owner', 'GET', '/members?page=1')).body.meta.total).toBe(1);
});

test('each change of a member publishes one event with its audit record', async () => {
  await add('bob', 'viewer');
  await callAs('owner', 'PATCH', `/members/${ids['bob']}`, { role: 'editor' });
  await callAs('owner', 'PATCH', `/members/${ids['bob']}`, { role: 'editor' });
  await callAs('owner', 'DELETE', `/members/${ids['bob']}`);
  const changes = [];
  for (const action of ['member.added', 'member.role_changed', 'member.removed']) {
    const events = (await outbox(action)).filter((event) => event.workspace === workspace);
    changes.push(...events.filter(({ data }) => data.user_id === ids['bob']).map(({ audit }) => audit.changes.role));
  }
  expect(changes).toEqual([
    { from: null, to: 'viewer' },
    { from: 'viewer', to: 'editor' },
    { from: 'editor', to: null },
  ]);
});

test('PATCH and DELETE of a user who is not a member or does not exist answer 404', async () => {
  for (const id of [ids['bob']!, 'usr_nobody', '$ne']) {
    expect((await callAs('owner', 'PATCH', `/members/${id}`, { role: 'admin' })).status).toBe(404);
    expect((await callAs('owner', 'DELETE', `/members/${id}`)).status).toBe(404);
  }
});

describe('the owner role', () => {
  test('the owner role cannot be granted or removed by an admin', async () => {
    await add('cyd', 'viewer');
    expect((await callAs('admin', 'PATCH', `/members/${ids['cyd']}`, { role: 'owner' })).status).toBe(403);
    await add('dan', 'owner');
    expect((await callAs('admin', 'PATCH', `/members/${ids['dan']}`, { role: 'admin' })).status).toBe(403);
    expect((await callAs('admin', 'DELETE', `/members/${ids['dan']}`)).status).toBe(403);
  });

  test('the last owner can be neither demoted nor removed, not even by the operator', async () => {
    expect((await callAs('owner', 'PATCH', `/members/${ids['ada']}`, { role: 'admin' })).status).toBe(409);
    expect((await callAs('owner', 'DELETE', `/members/${ids['ada']}`)).status).toBe(409);
    const byOperator = admin('member set', { workspace, email: 'ada@example.com', role: 'viewer' });
    await expect(byOperator).rejects.toThrow('last owner');
  });

  test('owners who demote and remove each other concurrently leave one owner', async () => {
    for (const name of ['bob', 'cyd', 'dan', 'eve']) await add(name, 'owner');
    const everybody = Object.values(ids);
    const results = await Promise.all(
      everybody.map((id, index) =>
        index % 2 === 0
          ? callAs('owner', 'DELETE', `/members/${id}`)
          : callAs('owner', 'PATCH', `/members/${id}`, { role: 'viewer' }),
      ),
    );
    expect(results.filter(({ status }) => status < 300)).toHaveLength(4);
    expect(results.filter(({ status }) => status === 409)).toHaveLength(1);
    const { body } = await callAs('owner', 'GET', '/members?per_page=100');
    expect(body.data.filter(({ role }: any) => role === 'owner')).toHaveLength(1);
  });
});

test('adding a removed member again does not restore their tokens', async () => {
  await add('bob', 'editor');
  const { id } = await admin('token create', {
    workspace,
    email: 'bob@example.com',
    name: 'old',
    ability: 'read_write',
  });
  await callAs('owner', 'DELETE', `/members/${ids['bob']}`);
  await add('bob', 'editor');
  const { body } = await callAs('owner', 'GET', '/tokens');
  expect(body.data.map((token: any) => token.id as string)).not.toContain(id);
});

test('a token that is created while its user is removed does not outlive the membership', async () => {
  await add('bob', 'editor');
  await callAs('owner', 'DELETE', `/members/${ids['bob']}`);
  // The gateway let this request pass before the removal.
  const actor = { ...ADA, id: ids['bob']! };
  const late = await caller.call('POST', '/tokens', { body: { name: 'late' }, workspace, actor });
  expect([late.status, late.body.error.code]).toEqual([403, 'forbidden']);
  await add('bob', 'editor');
  expect((await callAs('owner', 'GET', '/tokens')).body.data).toEqual([]);
});

describe('the list of members', () => {
  const listed = async (query: string) => {
    const { body } = await callAs('owner', 'GET', `/members?page=1&${query}`);
    expect(body.meta.total).toBe(body.data.length);
    return body.data.map(({ user }: any) => user.name);
  };

  test('the member list sorts and filters by the last change of a role', async () => {
    for (const name of ['bob', 'cyd']) await add(name, 'viewer');
    const { body } = await callAs('owner', 'PATCH', `/members/${ids['bob']}`, { role: 'editor' });
    expect(body.data.updated_at > body.data.created_at).toBe(true);
    expect(await listed('')).toEqual(['cyd', 'bob', 'ada']);
    expect(await listed('sort=updated_at')).toEqual(['ada', 'cyd', 'bob']);
    expect(await listed('sort=-updated_at')).toEqual(['bob', 'cyd', 'ada']);
    expect(await listed(`updated_since=${body.data.updated_at}`)).toEqual(['bob']);
    const nothing = await callAs('owner', 'PATCH', `/members/${ids['bob']}`, { role: 'editor' });
    expect(nothing.body.data.updated_at).toBe(body.data.updated_at);
    expect((await callAs('owner', 'GET', '/members?updated_since=today')).status).toBe(422);
    expect(await listed(`updated_since=${body.data.updated_at.slice(0, 10)}`)).toContain('bob');
  });

  test('the migration sets updated_at of memberships stored without it to created_at', async () => {
    await add('bob', 'viewer');
    await database.collection('memberships').updateMany({ workspace }, { $unset: { updatedAt: '' } });
    const later = testProcess(authConfig, {
      ...backing,
      IDENTITY_KEY: caller.key,
      API_BASE_URL: 'http://api.test',
    });
    await startAuth(later);
    await waitFor('the upgrade', async () => (await listed('updated_since=2026-01-01T00:00:00Z')).length === 2);
    await later.lifecycle.stop();
    const { body } = await callAs('owner', 'GET', '/members');
    for (const { created_at, updated_at } of body.data) expect(updated_at).toBe(created_at);
  });

  test('the member list is complete by default, and has pages of 15 by default with page', async () => {
    const createdAt = new Date();
    const names = Array.from({ length: 16 }, (_, index) => `usr_more${index}`);
    await database
      .collection<{ _id: string }>('users')
      .insertMany(names.map((_id) => ({ _id, email: `${_id}@example.com`, emailKey: _id, name: 'more' })));
    await database
      .collection<{ _id: string }>('memberships')
      .insertMany(
        names.map((userId) => ({ _id: `${workspace}:${userId}`, workspace, userId, role: 'viewer', createdAt })),
      );
    const whole = (await callAs('owner', 'GET', '/members')).body;
    expect([whole.data.length, whole.meta]).toEqual([17, undefined]);
    const page = (await callAs('owner', 'GET', '/members?page=1')).body;
    expect([page.data.length, page.meta.per_page, page.meta.total]).toEqual([15, 15, 17]);
    expect((await callAs('owner', 'GET', '/members?per_page=2&page=2')).body.data).toHaveLength(2);
  });
});

test('the token list is complete by default, or has pages', async () => {
  for (const name of ['first', 'second', 'third']) {
    const actor = { ...ADA, id: ids['ada']! };
    await caller.call('POST', '/tokens', { body: { name }, workspace, actor });
  }
  const names = async (query: string) => {
    const { body } = await callAs('owner', 'GET', `/tokens${query}`);
    return [body.data.map(({ name }: any) => name), body.meta?.total];
  };
  expect(await names('')).toEqual([['third', 'second', 'first'], undefined]);
  expect(await names('?per_page=2')).toEqual([['third', 'second'], 3]);
  expect(await names('?page=2&per_page=2')).toEqual([['first'], 3]);
});
