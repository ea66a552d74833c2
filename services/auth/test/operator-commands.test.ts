import { execFile } from 'node:child_process';
import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { entryOf } from '@waymark/launcher/process-table';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const keys = identityKeys();
const backing = freshBacking();
const auth = testProcess(authConfig, {
  ...backing,
  IDENTITY_PUBLIC_KEY: keys.publicKey,
  API_BASE_URL: 'http://api.test',
});
const PASSWORD = 'a password of a test';
let gateway: ReturnType<typeof testProcess<typeof gatewayConfig>>;
let server: Server;
let database: Connection;

beforeAll(async () => {
  const authUrl = urlOf(await startAuth(auth));
  gateway = testProcess(gatewayConfig, {
    IDENTITY_PRIVATE_KEY: keys.privateKey,
    AUTH_URL: authUrl,
    RESOURCE_URL: authUrl,
    ANALYTICS_URL: authUrl,
    WEBHOOK_URL: authUrl,
    DOMAIN_URL: authUrl,
    AUDIT_URL: authUrl,
  });
  server = await startGateway(gateway);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => (await call('GET', '/user', 'x')) === 401);
  for (const name of ['ada', 'bob', 'eve']) await createUser(name);
  await result('workspace create --slug acme --name Acme --owner ada@example.com --plan pro');
  await result('workspace create --slug other --name Other --owner ada@example.com');
  await result('member set --workspace acme --email bob@example.com --role editor');
});
afterAll(async () => {
  await database.close();
  await gateway.lifecycle.stop();
  await auth.lifecycle.stop();
});

/** Runs the operator's program; `input` is its standard input. */
function admin(line: string, input = ''): Promise<{ status: number; stdout: string; stderr: string }> {
  const { PATH } = process.env;
  const env = { PATH, ...backing };
  return new Promise((resolve) => {
    const args = [entryOf('auth', 'admin/main.js'), ...line.split(' ')];
    const child = execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin!.end(input);
  });
}

/** Returns the result of a command that succeeds. */
async function result(line: string): Promise<any> {
  const { status, stdout, stderr } = await admin(`${line} --json`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function createUser(name: string): Promise<void> {
  const line = `user create --email ${name}@example.com --name ${name} --password-stdin --json`;
  const { status, stdout } = await admin(line, `${PASSWORD}\n`);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).not.toHaveProperty('password');
}

async function createToken(workspace: string, name: string): Promise<{ id: string; plaintext_token: string }> {
  return result(`token create --workspace ${workspace} --email ${name}@example.com --name ci --ability read_write`);
}

async function call(method: string, path: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${urlOf(server)}/api/v1${path}`, { method, headers })).status;
}

async function signIn(name: string): Promise<() => Promise<number>> {
  const response = await fetch(`${urlOf(server)}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: PASSWORD }),
  });
  expect(response.status).toBe(200);
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!;
  return async () => (await fetch(`${urlOf(server)}/api/v1/user`, { headers: { cookie } })).status;
}

const events = async (type: string) =>
  (await database.collection('outbox').find({ type }).toArray()).map((row) => JSON.parse(row['body'] as string));

describe('user', () => {
  test('list pages through the accounts by e-mail address, as text and as JSON', async () => {
    const first = await result('user list --limit 2');
    expect(first.data.map(({ email }: any) => email)).toEqual(['ada@example.com', 'bob@example.com']);
    expect(first.meta).toEqual({ page: 1, last_page: 2, total: 3 });
    const { stdout } = await admin('user list --limit 2 --page 2');
    expect(stdout).toMatch(/^ID +EMAIL +NAME .*\nusr_\S+ +eve@example\.com +eve .*\n\n3 in all, page 2 of 2\n$/);
    expect((await result('user list --starts-with BO')).data).toEqual([
      expect.objectContaining({ email: 'bob@example.com' }),
    ]);
  });

  test('show tells of the workspaces and sessions of an account', async () => {
    await signIn('bob');
    expect(await result('user show --email bob@example.com')).toMatchObject({
      email: 'bob@example.com',
      last_signed_in_at: expect.any(String),
      sessions: 1,
      workspaces: [{ slug: 'acme', role: 'editor', plan: 'pro' }],
    });
    const unknown = await admin('user show --email nobody@example.com');
    expect(unknown).toEqual({ status: 1, stdout: '', stderr: 'error: --email: The user does not exist.\n' });
  });

  test('password from the standard input replaces the old one', async () => {
    const isSignedIn = await signIn('eve');
    expect((await admin('user password --email eve@example.com --password-stdin', 'short\n')).status).toBe(2);
    expect((await admin('user password --email eve@example.com --password-stdin', `${PASSWORD}\r\n`)).status).toBe(0);
    expect(await isSignedIn()).toBe(401);
    await signIn('eve');
  });
});

test('workspace list and show tell of plans, owners and members', async () => {
  expect((await result('workspace list')).data.map(({ slug }: any) => slug)).toEqual(['acme', 'other']);
  expect((await result('workspace list --starts-with ot')).data).toHaveLength(1);
  expect(await result('workspace show --slug acme')).toMatchObject({
    name: 'Acme',
    plan: 'pro',
    owners: ['ada@example.com'],
    members: 2,
  });
  const { status, stderr } = await admin('workspace show --slug nothing');
  expect([status, stderr]).toEqual([1, 'error: --slug: The workspace does not exist.\n']);
});

test('member remove takes a member out of the workspace, with the tokens, as the system', async () => {
  await result('member set --workspace other --email bob@example.com --role admin');
  const { plaintext_token: token } = await createToken('other', 'bob');
  expect(await call('GET', '/workspaces/other/members', token)).toBe(200);
  expect((await result('member list --workspace other')).data.map(({ email, role }: any) => [email, role])).toEqual([
    ['ada@example.com', 'owner'],
    ['bob@example.com', 'admin'],
  ]);
  const remove = 'member remove --workspace other --email bob@example.com';

  expect((await admin(remove)).status).toBe(2);
  expect(await call('GET', '/workspaces/other/members', token)).toBe(200);
  await result(`${remove} --yes`);

  expect(await call('GET', '/workspaces/other/members', token)).toBe(401);
  expect((await result('member list --workspace other')).meta.total).toBe(1);
  const again = await admin(`${remove} --yes`);
  expect(again).toMatchObject({ status: 1, stderr: 'error: --email: The user is not a member of this workspace.\n' });
  const last = await admin('member remove --workspace other --email ada@example.com --yes');
  expect([last.status, last.stderr]).toEqual([1, expect.stringContaining('The last owner of a workspace')]);
  expect(await events('member.removed')).toEqual([
    expect.objectContaining({
      workspace: 'other',
      actor: expect.objectContaining({ type: 'system' }),
      audit: expect.objectContaining({ changes: { role: { from: 'admin', to: null }, tokens: { from: 1, to: 0 } } }),
    }),
  ]);
});

test('token list finds the tokens of a workspace and of a user, and token revoke ends one', async () => {
  const [ofAda, ofBob] = [await createToken('acme', 'ada'), await createToken('acme', 'bob')];
  const idsOf = async (line: string) => (await result(line)).data.map(({ id }: any) => id);
  expect(await idsOf('token list --workspace acme')).toEqual([ofBob.id, ofAda.id]);
  expect(await idsOf('token list --email bob@example.com')).toEqual([ofBob.id]);
  expect(await idsOf('token list --workspace other --email bob@example.com')).toEqual([]);
  expect((await admin('token list')).stderr).toContain('--workspace: Name a workspace, or a user by --email.');
  expect((await admin('token list --workspace acme')).stdout).not.toContain(ofBob.plaintext_token);

  expect(await call('GET', '/user', ofBob.plaintext_token)).toBe(200);
  expect(await result(`token revoke --id ${ofBob.id} --yes`)).toMatchObject({ workspace: 'acme', revoked: true });

  expect(await call('GET', '/user', ofBob.plaintext_token)).toBe(401);
  expect(await call('GET', '/user', ofAda.plaintext_token)).toBe(200);
  expect((await admin(`token revoke --id ${ofBob.id} --yes`)).status).toBe(1);
  const told = (await events('token.revoked')).filter(({ data }) => data.token_id === ofBob.id);
  expect(told).toEqual([
    expect.objectContaining({ workspace: 'acme', actor: expect.objectContaining({ type: 'system' }) }),
  ]);
});

test('session list shows sessions, and session revoke ends one or all of them', async () => {
  const [first, second, third] = [await signIn('ada'), await signIn('ada'), await signIn('ada')];
  const sessions = await result('session list --email ada@example.com');
  expect(sessions).toHaveLength(3);

  const [{ id: newest }] = sessions;
  const planned = { email: 'ada@example.com', dry_run: true };
  expect(await result(`session revoke --email ada@example.com --id ${newest} --dry-run`)).toEqual({
    ...planned,
    revoked: 1,
  });
  expect(await result('session revoke --email ada@example.com --dry-run')).toEqual({ ...planned, revoked: 3 });
  expect([await first(), await second(), await third()]).toEqual([200, 200, 200]);

  expect(await result(`session revoke --email ada@example.com --id ${newest}`)).toMatchObject({ revoked: 1 });
  expect([await first(), await second(), await third()]).toEqual([200, 200, 401]);
  expect((await admin(`session revoke --email bob@example.com --id ${sessions[1].id}`)).stderr).toBe(
    'error: --id: The user has no such session.\n',
  );
  expect(await result('session revoke --email ada@example.com')).toMatchObject({ revoked: 2 });

  expect([await first(), await second()]).toEqual([401, 401]);
  const ended = (await events('session.deleted')).filter(({ data }) => data.email === 'ada@example.com');
  expect(ended).toHaveLength(3);
  for (const { actor, data } of ended) {
    expect(actor.type).toBe('system');
    expect(data.workspaces).toEqual(['acme', 'other']);
  }
});
