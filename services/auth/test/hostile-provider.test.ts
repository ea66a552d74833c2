import { generateKeyPairSync } from 'node:crypto';
import { SIGN_IN_COOKIE } from '@waymark/contract/sessions';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, type Reply } from './account-system.js';
import { HOSTILE_ANSWERS, HostileProvider, sendJson } from './hostile-provider.js';
import { cookieOf, FAILED, failureOf } from './single-sign-on-steps.js';

let provider: HostileProvider;
let system: AccountSystem;

beforeAll(async () => {
  provider = await HostileProvider.start();
  system = await AccountSystem.start(provider.env);
});
afterAll(async () => {
  await system.stop();
  await provider.stop();
});
beforeEach(() => void (provider.answers = {}));

async function begin(): Promise<{ location: string; finish: (headers?: Record<string, string>) => Promise<Reply> }> {
  const reply = await system.call('GET', '/session/oidc');
  expect(reply.status).toBe(302);
  const location = reply.headers.get('location')!;
  const state = new URL(location).searchParams.get('state')!;
  const path = `/session/oidc/callback?state=${state}&code=code`;
  return {
    location,
    finish: (headers) =>
      system.call('GET', path, { headers: { ...headers, cookie: cookieOf(reply, SIGN_IN_COOKIE)! } }),
  };
}

const refused = { status: 401, message: FAILED, hasSession: false };
const isUnavailable = ({ status, headers }: Reply): boolean => status === 503 && headers.has('retry-after');

describe.each(Object.keys(HOSTILE_ANSWERS))('a provider that answers with %s', (what) => {
  test.each(['token', 'keys', 'userinfo'] as const)(
    'is a 503 at the callback, from its endpoint %s',
    async (endpoint) => {
      const { location, finish } = await begin();
      const { email, email_verified: _verified, ...claims } = provider.claimsFor(location, 'ada@example.com');
      expect(email).toBeDefined();
      provider.issueToken(provider.signToken(claims));
      provider.answers[endpoint] = HOSTILE_ANSWERS[what]!;
      expect(isUnavailable(await finish())).toBe(true);
    },
  );

  test('is a 503 where a sign-in begins, from its discovery', async () => {
    const replica = await system.startReplica({ OIDC_ISSUER: `${provider.issuer}` });
    provider.answers.discovery = HOSTILE_ANSWERS[what]!;
    expect(isUnavailable(await system.call('GET', '/session/oidc', { replica }))).toBe(true);
  });
});

describe('an ID token', () => {
  test('of the provider signs in, as a test of the tests', async () => {
    const { email } = await system.newUser();
    const { location, finish } = await begin();
    provider.issueToken(provider.signToken(provider.claimsFor(location, email)));
    expect((await finish()).status).toBe(302);
  });

  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  test.each<[string, object, { alg?: string; key?: typeof foreign }]>([
    ['without a signature', {}, { alg: 'none' }],
    ['signed by another key', {}, { key: foreign }],
    ['for another client', { aud: 'another client' }, {}],
    ['for several clients, and authorized for another', { aud: ['waymark', 'another'], azp: 'another' }, {}],
    ['of another issuer', { iss: 'https://evil.example.com' }, {}],
    ['of another sign-in', { nonce: 'another' }, {}],
    ['without a nonce', { nonce: undefined }, {}],
    ['that has expired', { exp: 1 }, {}],
    ['without a subject', { sub: undefined }, {}],
  ])('%s is refused', async (_what, change, signing) => {
    const { email } = await system.newUser();
    const { location, finish } = await begin();
    provider.issueToken(provider.signToken({ ...provider.claimsFor(location, email), ...change }, signing));
    expect(failureOf(await finish())).toEqual(refused);
  });
});

test('user information of another person is refused', async () => {
  const { email } = await system.newUser();
  const { location, finish } = await begin();
  const { email: _email, ...claims } = provider.claimsFor(location, email);
  provider.issueToken(provider.signToken(claims));
  provider.answers.userinfo = (_request, response) =>
    sendJson(response, { sub: 'another', email, email_verified: true });
  expect(failureOf(await finish())).toEqual(refused);
});

test('a redirect of the token endpoint is not followed', async () => {
  const { finish } = await begin();
  let isFollowed = false;
  provider.answers.token = (_request, response) => void response.writeHead(307, { location: '/keys' }).end();
  provider.answers.keys = (_request, response) => {
    isFollowed = true;
    sendJson(response, {});
  };
  expect(failureOf(await finish())).toEqual(refused);
  expect(isFollowed).toBe(false);
});

test('callbacks of one IPv6 /64 that wait for the provider leave room for others', async () => {
  const { email } = await system.newUser();
  let [waiting, waitingMax] = [0, 0];
  provider.answers.token = (_request, response) => {
    waitingMax = Math.max(waitingMax, (waiting += 1));
    response.once('close', () => (waiting -= 1));
  };
  const started = await Promise.all(Array.from({ length: 20 }, begin));
  const crowded = Promise.all(
    started.map(({ finish }, index) => finish({ 'x-forwarded-for': `2001:db8:7:1::${index + 1}` })),
  );
  await waitFor('callbacks that wait', () => waiting > 0);

  const { location, finish } = await begin();
  provider.issueToken(provider.signToken(provider.claimsFor(location, email)));
  expect((await finish({ 'x-forwarded-for': '2001:db8:7:2::1' })).status).toBe(302);
  const statuses = (await crowded).map(({ status }) => status);
  expect(statuses).not.toContain(302);
  expect(statuses).toContain(503);
  expect(waitingMax).toBeLessThanOrEqual(4);
});
