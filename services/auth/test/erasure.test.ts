import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { mailedInvitationKey } from '@waymark/auth/workspaces/invitations/invitation-mail';
import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { ERASURE_REPORTS } from '@waymark/contract/erasures';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { findCollectionsWith } from '@waymark/testing/leftovers';
import { testProcess } from '@waymark/testing/process-parts';
import { publishEvent } from '@waymark/testing/publish-event';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const keys = new IdentityKeys();
const backing = freshBacking();
const auth = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: keys.keyOf('auth'),
  API_BASE_URL: 'http://api.test',
  WORKSPACE_CREATION: 'everyone',
});
const log = createLog('test', 'silent');
const others = new Lifecycle(log);
const broker = new Broker(
  { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
  { log, lifecycle: others },
);
const publisher = openPublisher(broker);
let gateway: ReturnType<typeof testProcess<typeof gatewayConfig>>;
let server: Server;
let database: Connection;

beforeAll(async () => {
  const url = urlOf(await startAuth(auth));
  const names = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'].map((name) => [`${name}_URL`, url]);
  gateway = testProcess(gatewayConfig, { IDENTITY_SECRET: keys.secret, ...Object.fromEntries(names) });
  server = await startGateway(gateway);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  broker.start();
  await waitFor('the broker', () => publisher.isUp);
  await waitFor('the database', async () => (await call({}, 'GET', '/user')).status === 401);
});
afterAll(async () => {
  await database.close();
  await others.stop();
  await gateway.lifecycle.stop();
  await auth.lifecycle.stop();
});

const admin = (name: string, options: Record<string, unknown>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);

async function call(headers: Record<string, string>, method: string, path: string, body?: unknown) {
  const response = await fetch(`${urlOf(server)}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0];
  return { status: response.status, body: text === '' ? null : JSON.parse(text), cookie };
}

let made = 0;
const unique = (prefix: string) => `${prefix}-${(made += 1)}`;

interface Person {
  id: string;
  email: string;
  /** The headers of a signed-in browser. */
  browser: Record<string, string>;
}

async function newPerson(): Promise<Person> {
  const email = `${unique('person')}@example.com`;
  const password = 'a long enough one';
  const { id } = await admin('user create', { email, name: `Name of ${email}`, password });
  // A busy machine may answer 503.
  const { body, cookie } = await waitFor('the session', async () => {
    const answer = await call({}, 'POST', '/session', { email, password });
    return answer.status !== 503 && answer;
  });
  return { id, email, browser: { cookie: cookie!, 'x-csrf-token': body.meta.csrf_token } };
}

async function newWorkspace(owner: Person): Promise<string> {
  const slug = unique('space');
  await admin('workspace create', { slug, name: `Called ${slug}`, owner: owner.email });
  return slug;
}

async function newToken(slug: string, person: Person): Promise<Record<string, string>> {
  const options = { workspace: slug, email: person.email, name: `Token for ${slug}`, ability: 'read_write' };
  return { authorization: `Bearer ${(await admin('token create', options)).plaintext_token}` };
}

/** Returns the collections that have the text, but for events that wait for services which do not run here. */
async function collectionsWith(text: string): Promise<string[]> {
  return (await findCollectionsWith(database, [text])).filter((name) => name !== 'outbox');
}

/** Stores an invitation with its link and its mail, each of which expires on its own. */
async function storeInvitation(fields: { workspace: string; email: string; invitedBy: string }): Promise<string> {
  const id = unique('inv');
  const own = { kind: 'invitation', subject: id, expiresAt: new Date(Date.now() + 3600_000) };
  const insert = (collection: string, document: object) => database.collection(collection).insertOne(document);
  await insert('invitations', { _id: id, ...fields, emailKey: fields.email.toLowerCase(), expiresAt: own.expiresAt });
  await insert('one_time_links', { _id: `link of ${id}`, ...own });
  await insert('mails', { _id: `mail of ${id}`, ...own, attempts: 9, dueAt: own.expiresAt });
  return id;
}

/** Stores what is counted of the user and the address. */
async function storeCounts({ id, email }: Person): Promise<void> {
  const soon = new Date(Date.now() + 3600_000);
  const store = (collection: string, rows: { _id: string }[]) =>
    database.collection<{ _id: string }>(collection).insertMany(rows);
  const ids = [
    `${id} codeGuessesInDay`,
    `${id} known codeGuessesInDay`,
    `${mailedInvitationKey(email)} mailedInvitations`,
  ];
  await store(
    'limit_counts',
    ids.map((_id) => ({ _id, count: 1, endsAt: soon })),
  );
  await store('counted_events', [
    { _id: `${id} session.failed`, subject: id, count: 0, dueAt: soon } as { _id: string },
  ]);
}

const erase = (slug: string) => admin('workspace erase', { slug, wait: 0 });

describe('the deletion of a workspace', () => {
  test('ends the access of every member and token at once, and retires the slug', async () => {
    const [owner, member] = [await newPerson(), await newPerson()];
    const slug = await newWorkspace(owner);
    await admin('member set', { workspace: slug, email: member.email, role: 'admin' });
    const token = await newToken(slug, owner);
    expect((await call(token, 'GET', `/workspaces/${slug}/members`)).status).toBe(200);

    expect((await call(owner.browser, 'DELETE', `/workspaces/${slug}`, { confirm: slug })).status).toBe(204);
    const answers = await Promise.all([
      call(token, 'GET', `/workspaces/${slug}/members`),
      call(owner.browser, 'GET', `/workspaces/${slug}/members`),
      call(member.browser, 'GET', `/workspaces/${slug}/members`),
      call(owner.browser, 'DELETE', `/workspaces/${slug}`, { confirm: slug }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 403]);
    expect((await call(owner.browser, 'GET', '/workspaces')).body.data).toEqual([]);
    const again = await call(owner.browser, 'POST', '/workspaces', { slug, name: 'Again' });
    expect([again.status, again.body.error.details]).toEqual([422, { slug: ['The slug is already taken.'] }]);
  });

  test.each([
    ['by a token', 'token', (slug: string) => slug, 403],
    ['by an admin', 'admin', (slug: string) => slug, 403],
    ['with another slug', 'owner', () => 'another', 422],
    ['without a body', 'owner', () => undefined, 422],
  ] as const)('is refused %s', async (_case, by, confirm, status) => {
    const [owner, member] = [await newPerson(), await newPerson()];
    const slug = await newWorkspace(owner);
    await admin('member set', { workspace: slug, email: member.email, role: 'admin' });
    const callers = { token: await newToken(slug, owner), admin: member.browser, owner: owner.browser };
    const body = confirm(slug) === undefined ? undefined : { confirm: confirm(slug) };
    const answer = await call(callers[by], 'DELETE', `/workspaces/${slug}`, body);
    expect(answer.status).toBe(status);
    if (status === 422) expect(Object.keys(answer.body.error.details)).toEqual(['confirm']);
    expect((await call(owner.browser, 'GET', `/workspaces/${slug}/members`)).status).toBe(200);
  });

  test('leaves nothing of the workspace but the operator’s record and the tombstone', async () => {
    const owner = await newPerson();
    const slug = await newWorkspace(owner);
    await newToken(slug, owner);
    const invitation = await storeInvitation({ workspace: slug, email: 'eve@example.com', invitedBy: owner.id });
    await erase(slug);
    const report = await waitFor('the report of auth', async () => {
      const { services } = await erase(slug);
      return services.auth.is_complete && services.auth;
    });
    expect(report.removed).toMatchObject({ memberships: 1, tokens: 1, invitations: 1, outbox: expect.any(Number) });
    const waiting = await database
      .collection('outbox')
      .find({ body: { $regex: slug } })
      .toArray();
    expect(waiting.map(({ type }) => type)).toEqual(['workspace.deleted']);
    expect(await collectionsWith(slug)).toEqual(['erasure_orders', 'erasures']);
    expect(await collectionsWith(invitation)).toEqual([]);
  });
});

test('a change that was admitted before the deletion adds nothing to the workspace', async () => {
  const [owner, guest] = [await newPerson(), await newPerson()];
  const slug = await newWorkspace(owner);
  await erase(slug);
  await adminTargets(backing).database(async (ctx) => {
    const user = (await ctx.users.findUser(guest.id))!;
    const member = { workspace: slug, user, role: 'viewer', changedBy: 'operator', mode: 'set' } as const;
    await expect(setMember(ctx, { workspace: null }, member)).rejects.toMatchObject({ code: 'not_found' });
  });
  expect(await database.collection('memberships').countDocuments({ workspace: slug })).toBe(0);
});

test('workspace erase shows what each service has reported, and is complete with the last report', async () => {
  const slug = await newWorkspace(await newPerson());
  expect(await erase(slug)).toMatchObject({ workspace: slug, is_complete: false });
  for (const [service, definition] of Object.entries(ERASURE_REPORTS)) {
    if (service === 'auth') continue;
    const data = { kind: 'workspace' as const, subject: slug, removed: { things: 3 }, is_complete: true };
    const event = definition.create({ workspace: null }, data);
    await publishEvent(publisher, event);
  }
  const report = await admin('workspace erase', { slug, wait: 60 });
  expect(report.is_complete).toBe(true);
  expect(report.services.webhook).toEqual({ is_complete: true, removed: { things: 3 } });
});

test('workspace erase --dry-run says what would end, and changes nothing; of an ordered erasure it shows the report', async () => {
  const owner = await newPerson();
  const slug = await newWorkspace(owner);
  const token = await newToken(slug, owner);
  await storeInvitation({ workspace: slug, email: 'eve@example.com', invitedBy: owner.id });
  const preview = () => admin('workspace erase', { slug, wait: 0, dryRun: true });

  const ends = { members: 1, tokens: 1, invitations: 1 };
  expect(await preview()).toMatchObject({ dry_run: true, workspace: slug, name: `Called ${slug}`, ...ends });
  expect((await call(token, 'GET', `/workspaces/${slug}/members`)).status).toBe(200);
  expect(await database.collection('erasure_orders').countDocuments({ subject: slug })).toBe(0);

  await erase(slug);
  expect(await preview()).toMatchObject({ dry_run: true, workspace: slug, ordered_at: expect.any(String) });
  const unknown = { details: { slug: ['The workspace does not exist.'] } };
  await expect(admin('workspace erase', { slug: 'nothing-here', dryRun: true })).rejects.toMatchObject(unknown);
});

test('workspace erase refuses an unknown workspace', async () => {
  await expect(erase('nothing-here')).rejects.toMatchObject({ details: { slug: ['The workspace does not exist.'] } });
});

test('members of a suspended workspace get 403 with the reason until it is resumed', async () => {
  const [owner, outsider] = [await newPerson(), await newPerson()];
  const slug = await newWorkspace(owner);
  const token = await newToken(slug, owner);
  const path = `/workspaces/${slug}/members`;
  await admin('workspace suspend', { slug, reason: 'Unpaid since May.', links: 'keep' });
  for (const credential of [owner.browser, token]) {
    const { status, body } = await call(credential, 'GET', path);
    expect([status, body.error.message]).toEqual([403, 'The workspace is suspended: Unpaid since May.']);
  }
  expect((await call(outsider.browser, 'GET', path)).body.error.message).not.toContain('suspended');
  await admin('workspace resume', { slug });
  expect((await call(token, 'GET', path)).status).toBe(200);
});

describe('the erasure of a user', () => {
  const eraseUser = ({ email }: Person) => admin('user erase', { email, wait: 0 });

  test('is refused while the user is the last owner of a workspace, which the error names', async () => {
    const owner = await newPerson();
    const slug = await newWorkspace(owner);
    await expect(eraseUser(owner)).rejects.toThrow(`The user is the last owner of ${slug}.`);
    expect((await call(owner.browser, 'GET', '/user')).status).toBe(200);
  });

  test('ends sessions and tokens, and leaves neither the name nor the e-mail address', async () => {
    const [owner, user] = [await newPerson(), await newPerson()];
    const slug = await newWorkspace(owner);
    await admin('member set', { workspace: slug, email: user.email, role: 'editor' });
    const token = await newToken(slug, user);
    const invitations = [
      await storeInvitation({ workspace: slug, email: user.email.toUpperCase(), invitedBy: owner.id }),
      await storeInvitation({ workspace: slug, email: 'eve@example.com', invitedBy: user.id }),
    ];
    await storeCounts(user);
    await eraseUser(user);
    const answers = [await call(user.browser, 'GET', '/user'), await call(token, 'GET', '/user')];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    const members = (await call(owner.browser, 'GET', `/workspaces/${slug}/members`)).body.data;
    expect(members.map((member: any) => member.user.email)).toEqual([owner.email]);

    await waitFor('a pass', () =>
      database.collection('erasures').findOne({ _id: `user:${user.id}`, passCount: 1 } as never),
    );
    const pass = await database.collection('erasures').findOne({ _id: `user:${user.id}` } as never);
    expect(pass!['removed']).toMatchObject({ memberships: 1, tokens: 1, sessions: 1, invitations: 2 });
    expect(await collectionsWith(user.email)).toEqual(['erasures']);
    expect(await collectionsWith(mailedInvitationKey(user.email))).toEqual([]);
    expect(await collectionsWith(user.id)).toEqual(['erasure_orders', 'erasures']);
    for (const id of invitations) expect(await collectionsWith(id)).toEqual([]);
    expect(await admin('user erase', { id: user.id, wait: 0 })).toMatchObject({ user: user.id, is_complete: false });
  });

  test('with --dry-run says what would end, or why it would be refused, and changes nothing', async () => {
    const [owner, user] = [await newPerson(), await newPerson()];
    const slug = await newWorkspace(owner);
    await admin('member set', { workspace: slug, email: user.email, role: 'editor' });
    const token = await newToken(slug, user);
    const preview = (id: string) => admin('user erase', { id, wait: 0, dryRun: true });

    const ends = { email: user.email, workspaces: [slug], sessions: 1, tokens: 1 };
    expect(await preview(user.id)).toMatchObject({ dry_run: true, user: user.id, ...ends });
    expect((await call(token, 'GET', '/user')).status).toBe(200);
    expect((await call(user.browser, 'GET', '/user')).status).toBe(200);
    await expect(preview(owner.id)).rejects.toThrow(`The user is the last owner of ${slug}.`);

    await eraseUser(user);
    expect(await preview(user.id)).toMatchObject({ dry_run: true, ordered_at: expect.any(String) });
    await expect(preview('usr_unknown')).rejects.toMatchObject({ details: { id: ['The user does not exist.'] } });
  });

  test('leaves no membership and no workspace of a request that was admitted before', async () => {
    const [owner, user] = [await newPerson(), await newPerson()];
    const [slug, newSlug] = [await newWorkspace(owner), unique('space')];
    await adminTargets(backing).database(async (ctx) => {
      const admitted = (await ctx.users.findUser(user.id))!;
      await eraseUser(user);
      const member = { workspace: slug, user: admitted, role: 'viewer', changedBy: 'operator', mode: 'set' } as const;
      const workspace = { slug: newSlug, name: 'Orphan', owner: admitted, plan: null };
      const erased = { code: 'not_found', message: 'The user does not exist.' };
      await expect(setMember(ctx, { workspace: null }, member)).rejects.toMatchObject(erased);
      await expect(createWorkspace(ctx, { workspace: null }, workspace)).rejects.toMatchObject(erased);
      expect(await ctx.workspaces.findWorkspace(newSlug)).toBeNull();
    });
    expect((await call(owner.browser, 'GET', `/workspaces/${slug}/members`)).body.data).toHaveLength(1);
  });

  test('is refused for an unknown user', async () => {
    const unknown = { details: { id: ['The user does not exist.'] } };
    await expect(admin('user erase', { id: 'usr_unknown', wait: 0 })).rejects.toMatchObject(unknown);
  });

  test('frees the e-mail address for a new account', async () => {
    const user = await newPerson();
    await eraseUser(user);
    const options = { email: user.email, name: 'Another', password: 'a long enough one' };
    expect((await admin('user create', options)).id).not.toBe(user.id);
  });
});
