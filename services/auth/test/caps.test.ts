import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { ANONYMOUS, type Actor } from '@waymark/contract/identity';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { freshBacking } from '@waymark/testing/backing';
import { parseKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const backing = freshBacking();
const caller = new ServiceCaller('auth', () => urlOf(server));
const CAPS = { tokens: 3, members: 4, memberships: 2, workspaces: 2, sessions: 3 };
const parts = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
  MAX_TOKENS_PER_WORKSPACE: String(CAPS.tokens),
  MAX_MEMBERS_PER_WORKSPACE: String(CAPS.members),
  WORKSPACE_CREATION: 'everyone',
});
let server: Server;
let database: Connection;
const ids: Record<string, string> = {};
const emailOf = (name: string) => `${name}@example.com`;
const passwordOf = (name: string) => `password of ${name}`;

const admin = (name: string, options: Record<string, string>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);
const actorOf = (name: string): Actor => ({
  type: 'user',
  id: ids[name]!,
  name,
  email: emailOf(name),
  token_id: null,
});

/** Calls a route without a workspace. */
function call(path: string, actor: Actor, body: object): Promise<Response> {
  const identity = { actor, workspace: null, session_id: 'ses_1', request_id: 'test', ip_address: '203.0.113.7' };
  const text = JSON.stringify(body);
  const request = { method: 'POST', url: `/api/v1${path}`, body: Buffer.from(text) };
  return fetch(urlOf(server) + request.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [IDENTITY_HEADER]: signIdentity(parseKey(caller.key), identity, { service: 'auth', request }),
    },
    body: text,
  });
}
const signIn = (name: string) => call('/session', ANONYMOUS, { email: emailOf(name), password: passwordOf(name) });

beforeAll(async () => {
  const { memberships, workspaces: ownWorkspaces, sessions } = CAPS;
  server = await startAuth(parts, { caps: { memberships, ownWorkspaces, sessions } });
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => (await caller.call('GET', '/members')).status === 200);
  for (const name of ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay']) {
    ids[name] = (await admin('user create', { email: emailOf(name), name, password: passwordOf(name) })).id;
  }
  await admin('workspace create', { slug: 'acme', name: 'Acme', owner: emailOf('ada') });
});
afterAll(async () => {
  await database.close();
  await parts.lifecycle.stop();
});

test('POST /tokens never exceeds the token limit of a workspace, also under concurrency', async () => {
  const mint = () => caller.call('POST', '/tokens', { actor: actorOf('ada'), body: { name: 'T' } });
  const answers = await Promise.all(Array.from({ length: 10 }, mint));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(CAPS.tokens);
  const rejected = answers.find(({ status }) => status !== 201)!;
  expect([rejected.status, rejected.body.error.details]).toEqual([
    422,
    {
      reason: 'quota_exceeded',
      quota: ['The limit of this workspace is 3 tokens.'],
      resource: 'tokens',
      limit: 3,
      current: 3,
    },
  ]);
  const created = answers.find(({ status }) => status === 201)!;
  expect((await caller.call('DELETE', `/tokens/${created.body.data.id}`, { actor: actorOf('ada') })).status).toBe(204);
  expect((await mint()).status).toBe(201);
});

test('accepted invitations never exceed the limits of members per workspace and memberships per user', async () => {
  const invite = async (workspace: string, by: string) => {
    const body = { role: 'viewer' };
    const { body: issued } = await caller.call('POST', '/invitations', { workspace, actor: actorOf(by), body });
    return (issued.meta.invite_url as string).split('#').at(-1)!;
  };
  const accept = async (token: string, name: string) => {
    const response = await call(`/invitations/${token}/accept`, actorOf(name), {});
    return { status: response.status, body: (await response.json()) as any };
  };
  const guests = ['bob', 'cyd', 'dan', 'eve', 'fay'];
  const tokens = await Promise.all(guests.map(() => invite('acme', 'ada')));
  const answers = await Promise.all(guests.map((name, index) => accept(tokens[index]!, name)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(CAPS.members - 1);
  for (const { body } of answers.filter(({ status }) => status !== 200)) {
    expect(body.error.details).toMatchObject({ resource: 'members', limit: CAPS.members });
  }
  for (const slug of ['one', 'two', 'three']) {
    await admin('workspace create', { slug, name: slug, owner: emailOf('cyd') });
  }
  const statuses: number[] = [];
  for (const slug of ['one', 'two', 'three']) statuses.push((await accept(await invite(slug, 'cyd'), 'eve')).status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(CAPS.memberships);
  const refused = await accept(await invite('three', 'cyd'), 'eve');
  expect(refused.body.error.details).toMatchObject({ resource: 'memberships' });
  await admin('member set', { workspace: 'three', email: emailOf('eve'), role: 'viewer' });
});

test('POST /workspaces answers 422 when the user owns the maximum number of workspaces', async () => {
  const createWorkspace = (slug: string) => call('/workspaces', actorOf('fay'), { slug, name: slug });
  const statuses: number[] = [];
  for (const slug of ['fay-1', 'fay-2', 'fay-3']) statuses.push((await createWorkspace(slug)).status);
  expect(statuses).toEqual([201, 201, 422]);
  const { error } = (await (await createWorkspace('fay-4')).json()) as { error: { details: object } };
  expect(error.details).toMatchObject({ resource: 'workspaces', limit: CAPS.workspaces });
});

test('a sign-in over the session limit ends the oldest session and publishes session.deleted', async () => {
  const sessions = () => database.collection('sessions').find({ userId: ids['bob']! }).sort({ createdAt: 1 }).toArray();
  for (let count = 0; count < CAPS.sessions; count += 1) expect((await signIn('bob')).status).toBe(200);
  const before = await sessions();
  expect((await signIn('bob')).status).toBe(200);
  const after = await sessions();
  expect(after).toHaveLength(CAPS.sessions);
  expect(after.slice(0, -1).map(({ _id }) => _id)).toEqual(before.slice(1).map(({ _id }) => _id));
  const eventCount = await database.collection('outbox').countDocuments({ type: 'session.deleted' });
  expect(eventCount).toBe(1);
});
