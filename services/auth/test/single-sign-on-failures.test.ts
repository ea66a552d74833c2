import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { SIGN_IN_FAILURES, signInFailureOf } from '@waymark/contract/sign-in-failures';
import { AccountSystem, type Reply } from './account-system.js';
import { OpenIdProvider } from '@waymark/testing/openid-provider';
import { personOf, REDIRECT_URI, SingleSignOn } from './single-sign-on-steps.js';

/** As browsers send it when they navigate. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CALLBACK = '/session/oidc/callback';
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

interface Visit {
  cookie?: string;
  replica?: number;
  address?: string;
}

const visit = (path: string, { cookie, replica = 0, address = '203.0.113.7' }: Visit = {}): Promise<Reply> =>
  system.call('GET', path, {
    replica,
    headers: { accept: ACCEPT, 'x-forwarded-for': address, ...(cookie && { cookie }) },
  });

/** The page that a browser is sent to. */
function pageOf({ status, headers }: Reply): { path: string; query: object } {
  expect(status).toBe(302);
  const location = headers.get('location')!;
  expect(location).toMatch(/^\/console\/sign-in\?/);
  expect(headers.has('x-waymark-return-to')).toBe(false);
  expect(headers.get('vary')).toMatch(/\baccept\b/i);
  const { pathname, searchParams } = new URL(location, 'https://go.example.com');
  return { path: pathname, query: Object.fromEntries(searchParams) };
}
const signInPage = (query: object) => ({ path: '/console/sign-in', query });

describe('a browser whose single sign-on fails is sent to the sign-in page', () => {
  test('when it has begun no sign-in', async () => {
    expect(pageOf(await visit(`${CALLBACK}?state=x&code=y`))).toEqual(signInPage({ error: 'failed' }));
  });

  test('when it has completed the sign-in before', async () => {
    const { location, cookie } = await steps.begin();
    const search = await provider.signIn(location, personOf(await system.newUser()));
    expect((await visit(CALLBACK + search, { cookie })).headers.get('location')).toBe('/console');

    const again = await visit(CALLBACK + search, { cookie });

    expect(pageOf(again)).toEqual(signInPage({ error: 'failed' }));
  });

  test.each([
    ['refuses at the provider', { refuses: true }, 'failed'],
    ['has no account', { email: 'stranger@example.com' }, 'no_account'],
    ['has no verified address', { email_verified: false }, 'no_account'],
  ])('when the person %s, with the requested page', async (_what, change, error) => {
    const { location, cookie } = await steps.begin('?return_to=/console/w/acme/links%3Fpage%3D2');
    const search = await provider.signIn(location, { ...personOf(await system.newUser()), ...change });

    const reply = await visit(CALLBACK + search, { cookie });

    expect(pageOf(reply)).toEqual(signInPage({ error, return_to: '/console/w/acme/links?page=2' }));
  });

  test('when the user is disabled, as without an account', async () => {
    const user = await system.newUser();
    await COMMANDS['user disable']!.run(adminTargets(system.env), { email: user.email });
    const { location, cookie } = await steps.begin();
    const search = await provider.signIn(location, personOf(user));

    const reply = await visit(CALLBACK + search, { cookie });

    expect(pageOf(reply)).toEqual(signInPage({ error: 'no_account', return_to: '/console' }));
    expect(await system.eventsOf('user.identity_linked', user.id)).toEqual([]);
  });

  test('when the provider is away', async () => {
    const replica = await system.startReplica({ OIDC_ISSUER: 'http://127.0.0.1:9' });
    const reply = await visit('/session/oidc?return_to=/console/w/acme/links', { replica });
    expect(pageOf(reply)).toEqual(signInPage({ error: 'unavailable', return_to: '/console/w/acme/links' }));
  });

  test('when the return address leads to another site', async () => {
    const reply = await visit('/session/oidc?return_to=//evil.example.com');
    expect(pageOf(reply)).toEqual(signInPage({ error: 'failed' }));
  });

  test('when there is no single sign-on', async () => {
    const replica = await system.startReplica({ OIDC_ISSUER: '' });
    expect(pageOf(await visit('/session/oidc', { replica }))).toEqual(
      signInPage({ error: 'not_configured', return_to: '/console' }),
    );
    expect((await system.call('GET', '/session/methods', { replica })).body.data).toEqual({ single_sign_on: false });
  });

  test('when a limit is reached, of auth or of the gateway', async () => {
    const replica = await system.startReplica({
      SIGN_INS_PER_ADDRESS: '2',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '20',
    });
    const errorsFor = async (path: string, address: string): Promise<unknown[]> => {
      const replies: Reply[] = [];
      for (let tried = 0; tried < 22; tried += 1) replies.push(await visit(path, { replica, address }));
      return replies.map((reply) => new URL(reply.headers.get('location')!, REDIRECT_URI).searchParams.get('error'));
    };

    const atAuth = await errorsFor(`${CALLBACK}?state=x`, '203.0.113.20');
    expect(atAuth.slice(0, 3)).toEqual(['failed', 'failed', 'too_many_attempts']);
    const atGateway = await errorsFor('/session/oidc', '203.0.113.21');
    expect([atGateway[0], atGateway.at(-1)]).toEqual([null, 'too_many_attempts']);
  });
});

describe('the error itself is the answer', () => {
  test.each(['application/json', '*/*', ''])('to a client that accepts %j', async (accept) => {
    const reply = await system.call('GET', `${CALLBACK}?state=x`, { headers: { accept } });
    expect([reply.status, reply.body.error.code]).toEqual([401, 'unauthenticated']);
    expect(reply.headers.has('location')).toBe(false);
  });

  test('where no console is served', async () => {
    const replica = await system.startReplica({ CONSOLE: 'off' });
    const { location, cookie } = await steps.begin('', replica);
    const search = await provider.signIn(location, { ...personOf(await system.newUser()), email_verified: false });

    const reply = await visit(CALLBACK + search, { replica, cookie });

    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
    expect(reply.headers.has('x-waymark-return-to')).toBe(false);
  });
});

test('a sign-in that succeeds shows no header of the inside', async () => {
  const { location, cookie } = await steps.begin();
  const search = await provider.signIn(location, personOf(await system.newUser()));
  const reply = await visit(CALLBACK + search, { cookie });
  expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console']);
  expect(reply.headers.has('x-waymark-return-to')).toBe(false);
});

test('a public answer, cached for a minute, tells whether there is single sign-on', async () => {
  const { status, body, headers } = await system.call('GET', '/session/methods');
  expect([status, body]).toEqual([200, { data: { single_sign_on: true } }]);
  expect(headers.get('cache-control')).toBe('public, max-age=60');
  const again = await system.call('GET', '/session/methods', { headers: { 'if-none-match': headers.get('etag')! } });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'public, max-age=60']);
});

test('every error has one of the reasons that the sign-in page knows', () => {
  for (let status = 400; status < 600; status += 1) expect(SIGN_IN_FAILURES).toContain(signInFailureOf(status));
});
