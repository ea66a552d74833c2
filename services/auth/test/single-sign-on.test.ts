import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { localPath } from '@waymark/auth/sign-in/single-sign-on/browser-binding';
import { SIGN_IN_COOKIE, SESSION_COOKIE } from '@waymark/contract/sessions';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, type Reply } from './account-system.js';
import { expectReclaimed, expectUntouched, makeForeignAccount } from './foreign-account.js';
import { OpenIdProvider, type Person } from '@waymark/testing/openid-provider';
import {
  cookieOf,
  FAILED,
  failureOf,
  NO_ACCOUNT,
  personOf,
  REDIRECT_URI,
  SingleSignOn,
} from './single-sign-on-steps.js';

let provider: OpenIdProvider;
let system: AccountSystem;
let steps: SingleSignOn;

beforeAll(async () => {
  provider = await OpenIdProvider.start(REDIRECT_URI);
  system = await AccountSystem.start(provider.env);
  steps = new SingleSignOn(system, provider);
});
afterAll(async () => {
  await system.stop();
  await provider.stop();
});

const begin = (query?: string, replica?: number) => steps.begin(query, replica);
const finish = (search: string, cookie: string, replica?: number) => steps.finish(search, cookie, replica);
const signIn = (person: Person, query?: string, replica?: number) => steps.signIn(person, query, replica);

/** Begins every sign-in first, so that their callbacks arrive at the same time. */
async function signInAtOnce(persons: Person[], ...replicas: number[]): Promise<Reply[]> {
  const callbacks = await Promise.all(
    persons.map(async (person, index) => {
      const replica = replicas[index % replicas.length]!;
      const { location, cookie } = await begin('', replica);
      return { search: await provider.signIn(location, person), cookie, replica };
    }),
  );
  return Promise.all(callbacks.map(({ search, cookie, replica }) => finish(search, cookie, replica)));
}

async function userOf(reply: Reply): Promise<{ id: string; name: string; email: string }> {
  const browser = { cookie: cookieOf(reply, SESSION_COOKIE)!, csrf: '' };
  return (await system.call('GET', '/user', { browser })).body.data;
}

describe('a sign-in with an identity provider', () => {
  test('sends the browser to the provider with PKCE, state and nonce, bound to the browser by a short-lived cookie', async () => {
    const reply = await system.call('GET', '/session/oidc');

    const url = new URL(reply.headers.get('location')!);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'waymark',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(
      new RegExp(`^${SIGN_IN_COOKIE}=[^;]+; Max-Age=600; Path=/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$`),
    );
    for (const name of ['state', 'nonce', 'code_challenge']) expect(cookie).not.toContain(url.searchParams.get(name));
    const [first, second] = [await begin(), await begin()];
    expect(new URL(first.location).searchParams.get('state')).not.toBe(
      new URL(second.location).searchParams.get('state'),
    );
  });

  test('starts a session of the account with the verified e-mail address, and sends the browser on', async () => {
    const user = await system.newUser();
    const person = personOf({ email: user.email.toUpperCase() });

    const reply = await signIn(person, '?return_to=/console/links%3Fpage%3D2%23top');

    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console/links?page=2#top']);
    const session = reply.headers.getSetCookie().find((line) => line.startsWith(SESSION_COOKIE))!;
    expect(session).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    const cookie = session.split(';')[0]!;
    const shown = await system.call('GET', '/user', { browser: { cookie, csrf: '' } });
    expect(shown.body.data).toMatchObject({ id: user.id, email: user.email });
    const csrf = shown.headers.get('x-csrf-token')!;
    expect((await system.call('PATCH', '/user', { browser: { cookie, csrf }, body: { name: 'Ada' } })).status).toBe(
      200,
    );
    expect(await system.eventsOf('user.identity_linked', user.id)).toHaveLength(1);
    expect((await system.eventsOf('session.created', user.id))[0].actor.id).toBe(user.id);
    expect(cookieOf(reply, SIGN_IN_COOKIE)).toBe(`${SIGN_IN_COOKIE}=`);
  });

  test('finds the account by issuer and subject after the first sign-in, even if the address has changed', async () => {
    const [user, other] = [await system.newUser(), await system.newUser()];
    const person = personOf(user);
    expect((await signIn(person)).status).toBe(302);

    const again = await signIn({ ...person, email: other.email });

    const browser = { cookie: cookieOf(again, SESSION_COOKIE)!, csrf: '' };
    expect((await system.call('GET', '/user', { browser })).body.data.id).toBe(user.id);
    expect(failureOf(await signIn(personOf(user)))).toEqual({ status: 403, message: NO_ACCOUNT, hasSession: false });
  });

  test.each([
    ['without an account', () => ({ email: 'stranger@example.com', email_verified: true })],
    ['whose address is not verified', (email: string) => ({ email, email_verified: false })],
    ['whose address is said to be verified by a text', (email: string) => ({ email, email_verified: 'true' as never })],
    ['without an address', () => ({})],
  ])('refuses a person %s', async (_who, claimsOf) => {
    const user = await system.newUser();
    const person = { sub: personOf(user).sub, ...claimsOf(user.email) };
    expect(failureOf(await signIn(person))).toEqual({ status: 403, message: NO_ACCOUNT, hasSession: false });
    expect(await system.eventsOf('user.identity_linked', user.id)).toEqual([]);
  });

  test('creates an account with OIDC_CREATE_USERS, once for concurrent sign-ins', async () => {
    const replica = await system.startReplica({ OIDC_CREATE_USERS: 'true' });
    const person = personOf({ email: `new-${process.pid}@example.com` });

    const replies = await signInAtOnce([person, person, person], replica);

    expect(replies.map(({ status }) => status)).toEqual([302, 302, 302]);
    const users = await Promise.all(replies.map(userOf));
    const { id, name, email } = users[0]!;
    expect(users.map((user) => user.id)).toEqual([id, id, id]);
    expect([name, email]).toEqual(['Ada Lovelace', person.email]);
    expect(await system.eventsOf('user.created', id)).toHaveLength(1);
    expect(await system.eventsOf('user.identity_linked', id)).toHaveLength(1);
    const unverified = { sub: 'unverified', email: 'unverified@example.com', email_verified: false };
    expect((await signIn(unverified, '', replica)).status).toBe(403);
    const longAddress = personOf({ email: `${'x'.repeat(243)}@example.com` });
    expect((await signIn(longAddress, '', replica)).status).toBe(403);
  });

  test('links an existing account once, for concurrent first sign-ins of one person on two replicas', async () => {
    const replica = await system.startReplica();
    for (let round = 0; round < 5; round += 1) {
      const user = await system.newUser();
      const person = personOf(user);

      const replies = await signInAtOnce([person, person, person, person], 0, replica);

      expect(replies.map(({ status }) => status)).toEqual([302, 302, 302, 302]);
      expect((await userOf(replies[3]!)).id).toBe(user.id);
      expect(await system.eventsOf('user.identity_linked', user.id)).toHaveLength(1);
    }
  });

  test('links no second identity of a provider, also of concurrent sign-ins with one address', async () => {
    const user = await system.newUser();

    const replies = await signInAtOnce([personOf(user), personOf(user), personOf(user)], 0);

    expect(replies.map(({ status }) => status).sort()).toEqual([302, 403, 403]);
    expect(await system.eventsOf('user.identity_linked', user.id)).toHaveLength(1);
  });

  test('leaves the maker of an account for a foreign address nothing once its owner signs in', async () => {
    const account = await makeForeignAccount(system);

    const reply = await signIn(personOf(account));

    expect(reply.status).toBe(302);
    expect((await userOf(reply)).id).toBe(account.id);
    await expectReclaimed(system, account, { email_confirmed: { from: false, to: true } });
    expect(await system.eventsOf('user.identity_linked', account.id)).toHaveLength(1);
  });

  test('proves no address that the provider does not call verified', async () => {
    const account = await makeForeignAccount(system);

    const refused = failureOf(await signIn({ ...personOf(account), email_verified: false }));

    expect(refused).toEqual({ status: 403, message: NO_ACCOUNT, hasSession: false });
    await expectUntouched(system, account);
  });

  test('refuses a disabled user, and asks no second factor of a user who has one', async () => {
    const user = await system.newUser();
    const browser = await system.signIn(user);
    await system.enableTotp(browser);
    const person = personOf(user);

    expect((await signIn(person)).status).toBe(302);

    await COMMANDS['user disable']!.run(adminTargets(system.env), { email: user.email });
    expect(failureOf(await signIn(person))).toEqual({ status: 403, message: NO_ACCOUNT, hasSession: false });
    await waitFor('the report', async () => (await system.eventsOf('session.failed', user.id)).length === 1);
  });
});

describe('the provider', () => {
  afterEach(() => provider.change({ clockOffsetSeconds: 0 }));

  test('may replace its key at any time: the old one is refused, the new one is accepted, without a pause', async () => {
    const user = await system.newUser();
    const person = personOf(user);
    for (let round = 0; round < 3; round += 1) {
      expect((await signIn(person)).status).toBe(302);
      await provider.change({ rotateKeys: true });
    }
  });

  // Its ID tokens are valid for an hour.
  test.each([
    [20, 302],
    [-20, 302],
    [-3600 - 10, 302],
    [-3600 - 90, 401],
  ])('may have a clock that differs by %d s: %d', async (clockOffsetSeconds, status) => {
    const person = personOf(await system.newUser());
    await provider.change({ clockOffsetSeconds });
    expect((await signIn(person)).status).toBe(status);
  });
});

describe('a callback is refused', () => {
  const refused = { status: 401, message: FAILED, hasSession: false };

  test('in another browser, which has begun no sign-in (login CSRF)', async () => {
    const person = personOf(await system.newUser());
    const attacker = await begin();
    const search = await provider.signIn(attacker.location, person);
    const victim = await begin();

    expect(failureOf(await finish(search, victim.cookie))).toEqual(refused);
    expect(failureOf(await finish(search, ''))).toEqual(refused);
    expect((await finish(search, attacker.cookie)).status).toBe(302);
  });

  test('the second time, on any replica', async () => {
    const replica = await system.startReplica();
    const { location, cookie } = await begin();
    const search = await provider.signIn(location, personOf(await system.newUser()));

    const replies = await Promise.all([0, replica, 0, replica].map((each) => finish(search, cookie, each)));

    expect(replies.map(({ status }) => status).sort()).toEqual([302, 401, 401, 401]);
    expect(failureOf(await finish(search, cookie, replica))).toEqual(refused);
  });

  test.each([
    ['with another state', (search: URLSearchParams) => search.set('state', 'x'.repeat(43))],
    ['without a state', (search: URLSearchParams) => search.delete('state')],
    ['with two states', (search: URLSearchParams) => search.append('state', 'x')],
    ['with another code', (search: URLSearchParams) => search.set('code', 'x'.repeat(43))],
    ['without a code', (search: URLSearchParams) => search.delete('code')],
    ['of another issuer (mix-up)', (search: URLSearchParams) => search.set('iss', 'https://evil.example.com')],
    ['without an issuer', (search: URLSearchParams) => search.delete('iss')],
  ])('%s', async (_how, change) => {
    const { location, cookie } = await begin();
    const search = new URLSearchParams(await provider.signIn(location, personOf(await system.newUser())));
    change(search);

    expect(failureOf(await finish(`?${search.toString()}`, cookie))).toEqual(refused);
  });

  test('with a code of another sign-in of the same browser, whose nonce and verifier differ', async () => {
    const [first, second] = [await begin(), await begin()];
    const person = personOf(await system.newUser());
    const stolen = new URLSearchParams(await provider.signIn(first.location, person)).get('code')!;
    const search = new URLSearchParams(await provider.signIn(second.location, person));
    search.set('code', stolen);

    expect(failureOf(await finish(`?${search.toString()}`, second.cookie))).toEqual(refused);
  });

  test('with a cookie whose time or return address was changed, or that is too old', async () => {
    const { location, cookie } = await begin('?return_to=/console');
    const search = await provider.signIn(location, personOf(await system.newUser()));
    const [secret, time] = cookie.split('=')[1]!.split('.') as [string, string];
    const changed = [
      `${secret}.${Number(time) + 1}.${Buffer.from('/console').toString('base64url')}`,
      `${secret}.${time}.${Buffer.from('//evil.example.com').toString('base64url')}`,
      `${secret}.${Number(time) - 601_000}.${Buffer.from('/console').toString('base64url')}`,
      'x',
      '',
    ];

    for (const value of changed) expect(failureOf(await finish(search, `${SIGN_IN_COOKIE}=${value}`))).toEqual(refused);
    expect((await finish(search, cookie)).status).toBe(302);
  });

  test('when the person refuses at the provider', async () => {
    const { location, cookie } = await begin();
    const search = await provider.signIn(location, { sub: 'refusing', refuses: true });

    expect(search).toContain('error=access_denied');
    expect(failureOf(await finish(search, cookie))).toEqual(refused);
  });
});

test('a session cookie that was planted before is replaced, and not used', async () => {
  const user = await system.newUser();
  const { location, cookie } = await begin();
  const planted = `${SESSION_COOKIE}=${'x'.repeat(43)}`;

  const reply = await finish(await provider.signIn(location, personOf(user)), `${planted}; ${cookie}`);

  const own = cookieOf(reply, SESSION_COOKIE)!;
  expect(own).not.toBe(planted);
  expect([
    await system.isSignedIn({ cookie: planted, csrf: '' }),
    await system.isSignedIn({ cookie: own, csrf: '' }),
  ]).toEqual([false, true]);
});

const FOREIGN = [
  'https://evil.example.com/',
  '//evil.example.com',
  '/\\evil.example.com',
  '/./\\evil.example.com',
  '/.//evil.example.com',
  '/x/..//evil.example.com',
  '\\\\evil.example.com',
  '/\t/evil.example.com',
  '/\n/evil.example.com',
  'javascript:alert(1)',
  'console',
  ' //evil.example.com',
  // Too long for the cookie once it is normalized.
  `/${'語'.repeat(100)}`,
];

test.each(FOREIGN)('the return address %j is refused', async (address) => {
  expect(localPath(address)).toBeNull();
  const { status, body } = await system.call('GET', `/session/oidc?return_to=${encodeURIComponent(address)}`);
  expect([status, body.error.details]).toEqual([422, { return_to: [expect.any(String)] }]);
});

test.each(['/', '/console', '/console/links?search=a%2Fb#x', '/console/%2F%2Fevil'])(
  'the return address %j is kept',
  (path) => {
    expect(localPath(path)).toBe(path);
  },
);

test('attempts to sign in are limited per address', async () => {
  const replica = await system.startReplica({ SIGN_INS_PER_ADDRESS: '3' });
  const headers = { 'x-forwarded-for': '203.0.113.99' };
  const statuses: number[] = [];
  for (let tried = 0; tried < 4; tried += 1)
    statuses.push((await system.call('GET', '/session/oidc/callback?state=x', { replica, headers })).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
});

test('without single sign-on both routes are a 404', async () => {
  const replica = await system.startReplica({ OIDC_ISSUER: '' });
  const statuses = ['/session/oidc', '/session/oidc/callback'].map(
    async (path) => (await system.call('GET', path, { replica })).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404]);
});

describe('a provider', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  let requestCount = 0;
  beforeAll(async () => {
    silent = createServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => (requestCount += 1));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => silent.close(resolve));
  });

  test('that does not answer is a 503 with Retry-After, and gets one request for many sign-ins', async () => {
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const replica = await system.startReplica({ OIDC_ISSUER: issuer });

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => system.call('GET', '/session/oidc', { replica })),
    );

    expect(replies.map(({ status, headers }) => [status, headers.has('retry-after')])).toEqual(
      Array(20).fill([503, true]),
    );
    expect(requestCount).toBe(1);
  });

  test('that is gone is a 503 at the callback', async () => {
    const own = await OpenIdProvider.start(REDIRECT_URI);
    const replica = await system.startReplica(own.env);
    const { location, cookie } = await begin('', replica);
    const search = await own.signIn(location, personOf(await system.newUser()));
    await own.stop();

    const reply = await finish(search, cookie, replica);

    expect([reply.status, reply.headers.has('retry-after')]).toEqual([503, true]);
  });
});

test('single sign-on counts as a second factor, and as a recent sign-in of a user without a known password', async () => {
  const user = await system.newUser();
  const person = personOf(user);
  const browserOf = async (reply: Reply) => {
    const cookie = cookieOf(reply, SESSION_COOKIE)!;
    const { headers } = await system.call('GET', '/user', { browser: { cookie, csrf: '' } });
    return { cookie, csrf: headers.get('x-csrf-token')! };
  };
  const browser = await browserOf(await signIn(person));
  const slug = 'signed-in-once';
  await system.call('POST', '/workspaces', { browser, body: { slug, name: 'Once' } });
  const required = { browser, body: { require_two_factor: true } };
  expect((await system.call('PATCH', `/workspaces/${slug}`, required)).status).toBe(200);

  const byPassword = await system.signIn(user);
  const statuses = [browser, byPassword].map(
    async (each) => (await system.call('GET', `/workspaces/${slug}`, { browser: each })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 403]);

  const old = { $set: { createdAt: new Date(Date.now() - 15 * 60_000) } };
  await system.database.collection('sessions').updateMany({ userId: user.id }, old);
  const deleteIn = async (signedIn: typeof browser) =>
    (await system.call('DELETE', `/workspaces/${slug}`, { browser: signedIn, body: { confirm: slug } })).status;
  expect(await deleteIn(browser)).toBe(403);
  expect(await deleteIn(await browserOf(await signIn(person)))).toBe(204);
});
