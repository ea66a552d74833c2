import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

const HOUR_MS = 3600_000;
const keys = new IdentityKeys();
const backing = freshBacking();
const MAXIMA = { passwordGuessesOfAccountAtAddress: 5, changesOfAccount: 3, startedSessions: 8 };
const auth = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: keys.keyOf('auth'),
  API_BASE_URL: 'http://api.test',
});
let gateway: ReturnType<typeof testProcess<typeof gatewayConfig>>;
let server: Server;
let database: Connection;
let users = 0;

beforeAll(async () => {
  const authUrl = urlOf(await startAuth(auth, { maxima: MAXIMA }));
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
  const isUp = async () =>
    (await call({ cookie: '__Host-waymark_session=x', csrf: '' }, 'GET', '/user')).status === 401;
  await waitFor('the database', isUp);
});
afterAll(async () => {
  await database.close();
  await gateway.lifecycle.stop();
  await auth.lifecycle.stop();
});

interface Browser {
  cookie: string;
  csrf: string;
}

async function newUser(): Promise<{ email: string; password: string }> {
  users += 1;
  const [email, password] = [`user-${users}@example.com`, `first password of ${users}`];
  await COMMANDS['user create']!.run(adminTargets(backing), { email, name: 'U', password });
  return { email, password };
}

async function trySignIn(credentials: { email: string; password: string }, agent = 'a browser') {
  const response = await fetch(`${urlOf(server)}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': agent },
    body: JSON.stringify(credentials),
  });
  const body = (await response.json()) as any;
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body, browser: { cookie, csrf: body.meta?.csrf_token } };
}

async function signIn(credentials: { email: string; password: string }, agent?: string): Promise<Browser> {
  const { status, browser } = await trySignIn(credentials, agent);
  expect(status).toBe(200);
  return browser;
}

async function call({ cookie, csrf }: Browser, method: string, path: string, body?: object) {
  const response = await fetch(`${urlOf(server)}/api/v1${path}`, {
    method,
    headers: { cookie, 'x-csrf-token': csrf, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

const sessionsOf = async (browser: Browser) => (await call(browser, 'GET', '/sessions')).body.data as any[];
const sessionRows = () => database.collection<{ _id: string; expiresAt: Date }>('sessions');
const events = async (type: string) =>
  (await database.collection('outbox').find({ type }).toArray()).map((row) => JSON.parse(row['body'] as string));

/** Returns what the events of ended sessions of a user say about the change. */
const endedOf = async ({ email }: { email: string }) =>
  (await events('session.deleted')).filter(({ data }) => data.email === email).map(({ audit }) => audit.changes);

describe('sessions', () => {
  test('are listed newest first, with the browser and the address of their sign-in', async () => {
    const user = await newUser();
    const phone = await signIn(user, 'a phone');
    const laptop = await signIn(user, `a laptop ${'x'.repeat(1000)}`);

    const [newest, oldest, ...rest] = await sessionsOf(phone);

    expect(rest).toEqual([]);
    expect(newest).toMatchObject({ user_agent: expect.stringMatching(/^a laptop x{503}$/), current: false });
    expect(oldest).toEqual({
      id: expect.stringMatching(/^ses_/),
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      ip_address: '127.0.0.1',
      user_agent: 'a phone',
      current: true,
    });
    expect((await sessionsOf(laptop)).map(({ current }) => current)).toEqual([true, false]);
  });

  test('end by their id, and only those of the caller', async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    const [first, second, other] = [await signIn(user), await signIn(user), await signIn(stranger)];
    const { id } = (await sessionsOf(first)).find(({ current }) => current);

    expect((await call(other, 'DELETE', `/sessions/${id}`)).status).toBe(404);
    expect((await call(first, 'GET', '/user')).status).toBe(200);
    expect((await call(second, 'DELETE', `/sessions/${id}`)).status).toBe(204);

    expect((await call(first, 'GET', '/user')).status).toBe(401);
    expect((await call(second, 'DELETE', `/sessions/${id}`)).status).toBe(404);
    expect(await sessionsOf(second)).toHaveLength(1);
  });

  test('all end but the one that asks for it', async () => {
    const user = await newUser();
    const [first, second, third] = [await signIn(user), await signIn(user), await signIn(user)];

    expect((await call(second, 'DELETE', '/sessions')).status).toBe(204);

    expect((await call(first, 'GET', '/user')).status).toBe(401);
    expect((await call(third, 'GET', '/user')).status).toBe(401);
    expect(await sessionsOf(second)).toEqual([expect.objectContaining({ current: true })]);
    // Each event is an entry in the log of every workspace of the user.
    expect(await endedOf(user)).toEqual([{ sessions: { from: 3, to: 1 } }]);
    expect((await call(second, 'DELETE', '/sessions')).status).toBe(204);
    expect(await endedOf(user)).toHaveLength(1);
  });

  test('end after three days without use', async () => {
    const user = await newUser();
    const [used, idle] = [await signIn(user), await signIn(user)];
    const [{ id: idleId }, { id: usedId }] = (await sessionsOf(used)) as [any, any];
    const hoursAgo = (hours: number) => ({ $set: { lastSeenAt: new Date(Date.now() - hours * HOUR_MS) } });
    await sessionRows().updateOne({ _id: idleId }, hoursAgo(72.1));
    await sessionRows().updateOne({ _id: usedId }, hoursAgo(71));

    expect((await call(idle, 'GET', '/user')).status).toBe(401);
    expect((await sessionsOf(used)).map(({ id }) => id)).toEqual([usedId]);
  });

  test('end after 14 days, however much they are used', async () => {
    const user = await newUser();
    const [browser, other] = [await signIn(user), await signIn(user)];
    const { id, created_at: createdAt } = (await sessionsOf(browser)).find(({ current }) => current);
    const row = (await sessionRows().findOne({ _id: id }))!;
    expect(row.expiresAt.getTime() - Date.parse(createdAt)).toBe(14 * 24 * HOUR_MS);

    await sessionRows().updateOne({ _id: id }, { $set: { expiresAt: new Date(0) } });

    expect((await call(browser, 'GET', '/user')).status).toBe(401);
    expect(await sessionsOf(other)).toHaveLength(1);
  });

  test('are seen by their use, within seconds', async () => {
    const browser = await signIn(await newUser());
    const [{ id }] = (await sessionsOf(browser)) as [any];
    await sessionRows().updateOne({ _id: id }, { $set: { lastSeenAt: new Date(Date.now() - HOUR_MS) } });

    await call(browser, 'GET', '/user');

    await waitFor('the last use', async () => {
      const [{ last_seen_at: seen }] = (await sessionsOf(browser)) as [any];
      return Date.now() - Date.parse(seen) < HOUR_MS / 2;
    });
  });
});

describe('a changed password', () => {
  const change = (browser: Browser, current: string, chosen: string) =>
    call(browser, 'POST', '/user/password', { current_password: current, new_password: chosen });

  test('replaces the old one, and ends every other session', async () => {
    const user = await newUser();
    const [asking, other] = [await signIn(user), await signIn(user)];

    expect(await change(asking, user.password, 'another good password')).toMatchObject({
      status: 200,
      body: { data: { ended_sessions: 1, revoked_tokens: 0 }, meta: { live_tokens: 0 } },
    });

    expect((await call(asking, 'GET', '/user')).status).toBe(200);
    expect((await call(other, 'GET', '/user')).status).toBe(401);
    expect((await trySignIn(user)).status).toBe(401);
    expect((await trySignIn({ ...user, password: 'another good password' })).status).toBe(200);
    expect(await events('user.password_changed')).toContainEqual(
      expect.objectContaining({ audit: expect.objectContaining({ changes: { sessions: { from: 2, to: 1 } } }) }),
    );
  });

  test.each([
    ['is too short', 'only nine', 'The new_password must have at least 10 characters.'],
    ['is too long', 'x'.repeat(129), 'The new_password must have at most 128 characters.'],
    ['is common', '1qaz2wsx3edc', 'The new_password is too common.'],
    ['is common in other case', 'Basketball', 'The new_password is too common.'],
  ])('is refused when it %s', async (_how, chosen, message) => {
    const user = await newUser();
    const browser = await signIn(user);

    const { status, body } = await change(browser, user.password, chosen);

    expect([status, body.error.details]).toEqual([422, { new_password: [message] }]);
    expect((await trySignIn(user)).status).toBe(200);
  });

  test('is refused when it is the e-mail address of the user in any case', async () => {
    const user = await newUser();
    const browser = await signIn(user);

    for (const chosen of [user.email, user.email.toUpperCase(), ` ${user.email} `]) {
      const { status, body } = await change(browser, user.password, chosen);
      expect([status, body.error.details]).toEqual([
        422,
        { new_password: ['The new_password must not be the e-mail address or its first part.'] },
      ]);
    }
    expect((await trySignIn(user)).status).toBe(200);
  });

  test('needs the current one, and wrong ones count as attempts to sign in', async () => {
    const user = await newUser();
    const browser = await signIn(user);
    for (let tried = 0; tried < 5; tried += 1) {
      const { status, body } = await change(browser, 'a wrong password', 'another good password');
      expect([status, body.error.details]).toEqual([422, { current_password: ['The current_password is wrong.'] }]);
    }

    expect((await change(browser, user.password, 'another good password')).status).toBe(429);
    expect((await trySignIn(user)).status).toBe(429);
  });

  test('leaves no session that began with the old one at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const user = await newUser();
      const asking = await signIn(user);
      const attempts = Array.from({ length: 4 }, () => trySignIn(user));
      const [changed, ...signIns] = await Promise.all([
        change(asking, user.password, 'another good password'),
        ...attempts,
      ]);

      // The attempts share their limit with the check of the current password.
      expect([200, 429]).toContain(changed.status);
      const statuses = await Promise.all(
        signIns.map(async ({ browser }) => (await call(browser, 'GET', '/user')).status),
      );
      if (changed.status === 200) expect(statuses).toEqual([401, 401, 401, 401]);
    }
  });
});

test('a user changes their name, and the event says from what to what', async () => {
  const browser = await signIn(await newUser());

  const { status, body } = await call(browser, 'PATCH', '/user', { name: ' Grace  Hopper ' });

  expect([status, body.data.name]).toEqual([200, (await call(browser, 'GET', '/user')).body.data.name]);
  expect(body.data.name).toMatch(/^Grace\s+Hopper$/);
  const renamed = (await events('user.updated')).find(({ data }) => data.user_id === body.data.id);
  expect(renamed.audit.changes).toEqual({ name: { from: 'U', to: body.data.name } });
  expect((await call(browser, 'PATCH', '/user', { name: '' })).body.error.details).toHaveProperty('name');
});

describe('limits per user and hour', () => {
  test('of renames refuse further ones, and no change of the password', async () => {
    const user = await newUser();
    const browser = await signIn(user);
    const rename = (name: string) => call(browser, 'PATCH', '/user', { name });
    const names = ['A', 'A', 'B', 'B', 'C'];
    for (const name of names) expect((await rename(name)).status).toBe(200);

    const { status, body } = await rename('D');

    expect([status, body.error.message]).toEqual([429, 'Too many changes of your account. Try again later.']);
    expect((await rename('C')).status).toBe(200);
    const renamed = (await events('user.updated')).filter(({ data }) => data.email === user.email);
    expect(renamed).toHaveLength(3);
    const passwords = { current_password: user.password, new_password: 'another good password' };
    expect((await call(browser, 'POST', '/user/password', passwords)).status).toBe(200);
  });

  test('of changes of the password refuse further ones; those that fail do not count', async () => {
    const user = await newUser();
    const browser = await signIn(user);
    const change = (chosen: string) =>
      call(browser, 'POST', '/user/password', { current_password: user.password, new_password: chosen });
    for (let count = 0; count < 4; count += 1) expect((await change('short')).status).toBe(422);
    for (let count = 0; count < 3; count += 1) expect((await change(user.password)).status).toBe(200);
    expect((await change(user.password)).status).toBe(429);
  });

  test('of new sessions refuse further ones, and no end of a session', async () => {
    const user = await newUser();
    const browsers: Browser[] = [];
    while (browsers.length < 8) browsers.push(await signIn(user));

    // More than there are attempts to sign in: the right password does not count as one.
    for (let count = 0; count < 6; count += 1) {
      const { status, retryAfter, body } = await trySignIn(user);
      expect([status, body.error.message]).toEqual([429, 'Too many new sessions. Try again later.']);
      expect(Number(retryAfter)).toBeGreaterThan(3000);
    }

    expect(await sessionsOf(browsers[0]!)).toHaveLength(8);
    for (const browser of browsers) expect((await call(browser, 'DELETE', '/session')).status).toBe(204);
    expect((await trySignIn(await newUser())).status).toBe(200);
  });
});

test('the operator sets a password, which ends every session of the user', async () => {
  const user = await newUser();
  const browser = await signIn(user);

  await COMMANDS['user password']!.run(adminTargets(backing), {
    email: user.email,
    password: 'chosen by the operator',
  });

  expect((await call(browser, 'GET', '/user')).status).toBe(401);
  expect((await trySignIn(user)).status).toBe(401);
  expect((await trySignIn({ ...user, password: 'chosen by the operator' })).status).toBe(200);
});
