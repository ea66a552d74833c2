import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import type { Actor } from '@waymark/contract/identity';
import { findContentUsage, findWebhookUsage } from '@waymark/contract/requests';
import type { Role } from '@waymark/contract/roles';
import { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller } from '@waymark/testing/service-caller';
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
const actorOf = (name: string): Actor => ({
  type: 'user',
  id: ids[name]!,
  name,
  email: `${name}@example.com`,
  token_id: null,
});

beforeAll(async () => {
  server = await startAuth(parts);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => (await caller.call('GET', '/members')).status === 200);
  for (const name of ['ada', 'bob', 'cyd']) {
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
  await admin('workspace create', { slug: workspace, name: 'First', owner: 'ada@example.com' });
});

interface Options {
  role?: Role;
  body?: object;
  headers?: Record<string, string>;
}
const callAs = (name: string, method: string, path: string, { role = 'owner', body, headers }: Options = {}) =>
  caller.call(method, path, { actor: actorOf(name), workspace, access: { role }, body, headers });
const events = async (type: string) =>
  (await database.collection('outbox').find({ type }).toArray())
    .map((row) => JSON.parse(row['body'] as string))
    .filter((event) => event.workspace === workspace);

describe('a workspace', () => {
  test('is shown with the role of the caller, its plan and its own counts', async () => {
    await admin('member set', { workspace, email: 'bob@example.com', role: 'viewer' });
    await admin('token create', { workspace, email: 'bob@example.com', name: 'T', ability: 'read' });

    const { status, body } = await callAs('bob', 'GET', '', { role: 'viewer' });

    expect([status, body.data]).toMatchObject([
      200,
      { slug: workspace, name: 'First', role: 'viewer', plan: 'enterprise', created_at: expect.any(String) },
    ]);
    expect(body.data.usage).toMatchObject({ members: { used: 2, limit: 500 }, tokens: { used: 1, limit: 200 } });
  });

  test('shows the counts of the services that answer, and null for those that do not', async () => {
    const peer = new Broker(
      { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'webhook' },
      { log: createLog('test', 'fatal'), lifecycle: parts.lifecycle },
    );
    serveRequests(peer, findWebhookUsage, ({ workspace: slug }) =>
      Promise.resolve({ usage: { webhooks: { used: slug === workspace ? 3 : 0, limit: 20 } } }),
    );
    serveRequests(peer, findContentUsage, ({ plan }) =>
      Promise.resolve({
        usage: { active_links: { used: 7, limit: plan.activeLinks }, unknown: { used: 1, limit: 1 } },
      }),
    );
    peer.start();
    const usage = async () => (await callAs('ada', 'GET', '')).body.data.usage;
    await waitFor('the answers', async () => (await usage()).active_links !== null);

    expect(await usage()).toEqual({
      active_links: { used: 7, limit: null },
      links: null,
      folders: null,
      tags: null,
      utm_templates: null,
      domains: null,
      webhooks: { used: 3, limit: 20 },
      members: { used: 1, limit: 500 },
      tokens: { used: 0, limit: 200 },
    });
  });

  test('is renamed once per change, and the event names the old and the new name', async () => {
    const { status, body } = await callAs('ada', 'PATCH', '', { body: { name: ' Second ' } });
    expect([status, body.data.name]).toEqual([200, 'Second']);
    expect((await callAs('ada', 'PATCH', '', { body: { name: 'Second' } })).status).toBe(200);
    expect((await callAs('ada', 'PATCH', '', { body: {} })).body.data.name).toBe('Second');

    const renamed = await events('workspace.updated');
    expect(renamed.map(({ data, audit }) => [data, audit])).toEqual([
      [
        { name: 'Second' },
        {
          target: { type: 'workspace', id: workspace, label: 'Second' },
          changes: { name: { from: 'First', to: 'Second' } },
        },
      ],
    ]);
    const refused = await callAs('ada', 'PATCH', '', { body: { name: '' } });
    expect([refused.status, Object.keys(refused.body.error.details)]).toEqual([422, ['name']]);
  });

  test('is not renamed over a change that the client has not seen', async () => {
    const { headers } = await callAs('ada', 'GET', '');
    const rename = (name: string) =>
      callAs('ada', 'PATCH', '', { body: { name }, headers: { 'if-match': headers.get('etag')! } });
    await admin('token create', { workspace, email: 'ada@example.com', name: 'T', ability: 'read' });

    const statuses = await Promise.all(
      [rename('Second'), rename('Third')].map(async (answer) => (await answer).status),
    );

    expect(statuses.sort()).toEqual([200, 412]);
  });
});

describe('a member who leaves', () => {
  const leave = (name: string, role: Role) => callAs(name, 'DELETE', '/members/me', { role });

  test.each<Role>(['admin', 'viewer', 'owner'])(
    'is no member any more, as %s, and loses their tokens',
    async (role) => {
      await admin('member set', { workspace, email: 'bob@example.com', role });
      await admin('token create', { workspace, email: 'bob@example.com', name: 'T', ability: 'read' });

      expect((await leave('bob', role)).status).toBe(204);

      const { body } = await callAs('ada', 'GET', '/members');
      expect(body.data.map(({ user }: any) => user.id)).toEqual([ids['ada']]);
      expect((await callAs('ada', 'GET', '/tokens')).body.data).toEqual([]);
      const [left] = await events('member.removed');
      expect([left.actor.id, left.audit.changes]).toEqual([
        ids['bob'],
        { role: { from: role, to: null }, tokens: { from: 1, to: 0 } },
      ]);
      expect((await leave('bob', role)).status).toBe(404);
    },
  );

  test('cannot be the last owner, also when the last two owners leave at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      await admin('member set', { workspace, email: 'ada@example.com', role: 'owner' });
      await admin('member set', { workspace, email: 'bob@example.com', role: 'owner' });

      const answers = await Promise.all([leave('ada', 'owner'), leave('bob', 'owner')]);

      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      expect((await callAs('ada', 'GET', '/members')).body.data).toHaveLength(1);
    }
  });
});
