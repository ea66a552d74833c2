import { execFile } from 'node:child_process';
import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { entryOf } from '@waymark/launcher/process-table';
import { freshBacking } from '@waymark/testing/backing';
import { withoutNotice } from '@waymark/testing/command-output';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const keys = new IdentityKeys();
const backing = freshBacking();
const auth = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: keys.keyOf('auth'),
  API_BASE_URL: 'http://api.test',
});
const PASSWORD = 'a password of a test';
let gateway: ReturnType<typeof testProcess<typeof gatewayConfig>>;
let server: Server;
let database: Connection;

beforeAll(async () => {
  const authUrl = urlOf(await startAuth(auth));
  gateway = testProcess(gatewayConfig, {
    IDENTITY_SECRET: keys.secret,
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
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr: withoutNotice(stderr) }),
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

/** Has a token mint another one. */
async function mint(token: string): Promise<{ id: string; plaintext_token: string }> {
  const response = await fetch(`${urlOf(server)}/api/v1/workspaces/acme/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'minted', scope: 'read_write' }),
  });
  const { data, meta } = (await response.json()) as { data: { id: string }; meta: { plaintext_token: string } };
  return { ...data, ...meta };
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
    const short = await admin('user password --email eve@example.com --password-stdin', 'short\n');
    expect([short.status, short.stderr]).toEqual([
      2,
      expect.stringContaining('--password-stdin: The password must have'),
    ]);
    const own = await admin('user password --email eve@example.com --password-stdin', 'Eve@example.com\n');
    expect([own.status, own.stderr]).toEqual([
      1,
      expect.stringContaining('--password-stdin: The password must not be the e-mail'),
    ]);
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
  expect(await result(`token revoke --id ${ofBob.id} --yes`)).toMatchObject({ workspace: 'acme', revoked: 1 });

  expect(await call('GET', '/user', ofBob.plaintext_token)).toBe(401);
  expect(await call('GET', '/user', ofAda.plaintext_token)).toBe(200);
  const again = await admin(`token revoke --id ${ofBob.id} --yes`);
  expect([again.status, again.stderr]).toEqual([1, 'error: --id: The token is revoked already.\n']);
  const revocations = (await events('token.revoked')).filter(({ data }) => data.token_id === ofBob.id);
  expect(revocations).toEqual([
    expect.objectContaining({ workspace: 'acme', actor: expect.objectContaining({ type: 'system' }) }),
  ]);
});

test('token revoke --cascade also ends every token that the token minted, and a dry run counts them', async () => {
  const root = await createToken('acme', 'ada');
  const child = await mint(root.plaintext_token);
  const grandchild = await mint(child.plaintext_token);
  const apart = await createToken('acme', 'ada');
  const statuses = () =>
    Promise.all([root, child, grandchild, apart].map((token) => call('GET', '/user', token.plaintext_token)));
  const revoke = `token revoke --id ${root.id} --cascade`;

  expect(await result(`${revoke} --dry-run`)).toMatchObject({ id: root.id, dry_run: true, revoked: 3 });
  expect((await admin(revoke)).stderr).toContain('and every token that it minted');
  expect(await statuses()).toEqual([200, 200, 200, 200]);

  expect(await result(`token revoke --id ${root.id} --yes`)).toMatchObject({ revoked: 1 });
  expect(await statuses()).toEqual([401, 200, 200, 200]);

  expect(await result(`${revoke} --yes`)).toMatchObject({ dry_run: false, revoked: 2 });
  expect(await statuses()).toEqual([401, 401, 401, 200]);
  const again = await admin(`${revoke} --yes`);
  const problem = 'error: --id: The token and every token that it minted are revoked already.\n';
  expect([again.status, again.stderr]).toEqual([1, problem]);
  const minted = [child.id, grandchild.id];
  const revocations = (await events('token.revoked')).filter(({ data }) => minted.includes(data.token_id));
  expect(revocations.map(({ actor, audit }) => [actor.type, audit.changes])).toEqual(
    [child, grandchild].map(() => ['system', { revoked_with: { from: null, to: root.id } }]),
  );
});

describe('a command that names nothing that exists says so, and changes nothing:', () => {
  const NOBODY = 'nobody@example.com';
  const ADA = 'ada@example.com';
  const noUser = { email: ['The user does not exist.'] };
  const noUserId = { id: ['The user does not exist.'] };
  const noSlug = { slug: ['The workspace does not exist.'] };
  const noWorkspace = { workspace: ['The workspace does not exist.'] };
  const noToken = { id: ['The token does not exist.'] };
  const noSession = { id: ['The user has no such session.'] };
  const NOTHING = { workspace: 'nothing' };

  /** Leaves out what changes in the background: expired requests are removed, and refused tokens are reported late. */
  const countRows = async () => {
    const collections = (await database.listCollections()).filter(({ name }) => name !== 'accepted_requests');
    const chosen = { type: { $ne: 'token.refused' } };
    const counts = collections.map(async ({ name }) => [name, await database.collection(name).countDocuments(chosen)]);
    return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
  };

  test.each<[string, object, object]>([
    ['user show', { email: NOBODY }, noUser],
    ['user password', { email: NOBODY }, noUser],
    ['user reset-password', { email: NOBODY }, noUser],
    ['user disable', { email: NOBODY }, noUser],
    ['user enable', { email: NOBODY }, noUser],
    ['user confirm-email', { email: NOBODY }, noUser],
    ['user disable-totp', { email: NOBODY }, noUser],
    ['user erase', { email: NOBODY }, noUser],
    ['user erase', { id: 'usr_nobody' }, noUserId],
    ['user erase', { id: 'usr_nobody', dryRun: true }, noUserId],
    ['workspace show', { slug: 'nothing' }, noSlug],
    ['workspace create', { slug: 'new', name: 'New', owner: NOBODY }, { owner: noUser.email }],
    ['workspace plan', { slug: 'nothing', plan: 'pro' }, noSlug],
    ['workspace suspend', { slug: 'nothing', reason: 'why', links: 'keep' }, noSlug],
    ['workspace resume', { slug: 'nothing' }, noSlug],
    ['workspace erase', { slug: 'nothing' }, noSlug],
    ['workspace erase', { slug: 'nothing', dryRun: true }, noSlug],
    ['member list', NOTHING, noWorkspace],
    ['member set', { ...NOTHING, email: ADA, role: 'viewer' }, noWorkspace],
    ['member set', { workspace: 'acme', email: NOBODY, role: 'viewer' }, noUser],
    ['member remove', { ...NOTHING, email: ADA }, noWorkspace],
    ['member remove', { workspace: 'acme', email: NOBODY }, noUser],
    ['token list', NOTHING, noWorkspace],
    ['token list', { email: NOBODY }, noUser],
    ['token create', { ...NOTHING, email: ADA, name: 'ci', ability: 'read' }, noWorkspace],
    ['token create', { workspace: 'acme', email: NOBODY, name: 'ci', ability: 'read' }, noUser],
    ['token revoke', { id: 'tok_nothing' }, noToken],
    ['token revoke', { id: 'tok_nothing', cascade: true, dryRun: true }, noToken],
    ['session list', { email: NOBODY }, noUser],
    ['session revoke', { email: NOBODY }, noUser],
    ['session revoke', { email: ADA, id: 'ses_nothing' }, noSession],
    ['session revoke', { email: ADA, id: 'ses_nothing', dryRun: true }, noSession],
  ])('%s %j', async (name, options, details) => {
    const { options: schema, run } = COMMANDS[name]!;
    const before = await countRows();
    const call = run(adminTargets({ ...backing, API_BASE_URL: 'http://api.test' }), schema.parse(options));
    await expect(call).rejects.toMatchObject({ code: 'validation_failed', details });
    expect(await countRows()).toEqual(before);
  });
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
  expect(ended.map(({ audit }) => audit.changes)).toEqual([{}, { sessions: { from: 2, to: 0 } }]);
  for (const { actor, data } of ended) {
    expect(actor.type).toBe('system');
    expect(data.workspaces).toEqual(['acme', 'other']);
  }
});
