import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { SESSION_COOKIE, csrfTokenOf } from '@waymark/contract/sessions';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { usualSteps } from './steps.js';

const keys = new IdentityKeys();
const backing = freshBacking();
const LIMITS = {
  WORKSPACE_CREATION: 'everyone',
  WORKSPACES_PER_USER_AND_DAY: '3',
  SIGN_INS_PER_ADDRESS: '30',
};
const MAXIMA = { passwordGuessesOfAccountAtAddress: 5, passwordGuessesOfAccount: 12 };
const authParts = testProcess(authConfig, {
  ...backing,
  ...LIMITS,
  IDENTITY_KEY: keys.keyOf('auth'),
  API_BASE_URL: 'http://api.test',
});
let gatewayParts: ReturnType<typeof testProcess<typeof gatewayConfig>>;
let gateway: Server;
let database: Connection;

beforeAll(async () => {
  const auth = urlOf(await startAuth(authParts, { maxima: MAXIMA }));
  gatewayParts = testProcess(gatewayConfig, {
    IDENTITY_SECRET: keys.secret,
    AUTH_URL: auth,
    RESOURCE_URL: auth,
    ANALYTICS_URL: auth,
    WEBHOOK_URL: auth,
    DOMAIN_URL: auth,
    AUDIT_URL: auth,
  });
  gateway = await startGateway(gatewayParts);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => {
    const { status } = await fetch(`${urlOf(gateway)}/api/user`, { headers: { cookie: `${SESSION_COOKIE}=x` } });
    return status === 401;
  });
  for (const name of ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ivy', 'jan', 'kim', 'lia', 'mia']) {
    await COMMANDS['user create']!.run(adminTargets(backing), {
      email: `${name}@example.com`,
      name,
      password: `password of ${name}`,
    });
  }
});
afterAll(async () => {
  await database.close();
  await gatewayParts.lifecycle.stop();
  await authParts.lifecycle.stop();
});

let addresses = 0;
const newAddress = () => `198.51.100.${(addresses += 1)}`;

interface Attempt {
  email?: string;
  password?: string;
  from?: string;
  headers?: Record<string, string>;
}

async function signIn(name: string, { email, password, from = newAddress(), headers }: Attempt = {}) {
  const response = await fetch(`${urlOf(gateway)}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers },
    body: JSON.stringify({
      email: email ?? `${name}@example.com`,
      password: password ?? `password of ${name}`,
    }),
  });

  const body = (await response.json()) as any;
  return { status: response.status, headers: response.headers, body };
}

const cookieOf = ({ headers }: { headers: Headers }) => headers.get('set-cookie')!.split(';')[0]!;
const statusOf = async (cookie: string) => (await fetch(`${urlOf(gateway)}/api/user`, { headers: { cookie } })).status;

describe('guessing', () => {
  test('one account from one address: refused from the sixth on, the right password too, with Retry-After', async () => {
    const from = newAddress();
    for (let tried = 0; tried < 5; tried += 1) {
      expect((await signIn('ada', { from, password: 'wrong' })).status).toBe(401);
    }
    const refused = await signIn('ada', { from });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(800);
    expect(retryAfter).toBeLessThanOrEqual(900);
    expect((await signIn('ada')).status).toBe(200);
  });

  test('who signs in with the right password is not counted; wrong ones still are', async () => {
    const from = newAddress();
    for (let tried = 0; tried < 4; tried += 1)
      expect((await signIn('kim', { from, password: 'wrong' })).status).toBe(401);
    for (let tried = 0; tried < 8; tried += 1) expect((await signIn('kim', { from })).status).toBe(200);
    expect((await signIn('kim', { from, password: 'wrong' })).status).toBe(401);
    expect((await signIn('kim', { from })).status).toBe(429);
  });

  test('a hundred at once pass no more than one after the other would', async () => {
    const from = newAddress();
    const attempts = Array.from({ length: 100 }, () => signIn('bob', { from, password: 'wrong' }));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBe(5);
    expect(statuses.filter((status) => status === 429).length).toBe(95);
  });

  test('many accounts from one address: refused from the 31st on', async () => {
    const from = newAddress();
    const statuses: number[] = [];
    for (let tried = 0; tried < 31; tried += 1) {
      statuses.push((await signIn('', { from, email: `nobody-${tried}@example.com`, password: 'x' })).status);
    }
    expect(statuses).toEqual([...Array<number>(30).fill(401), 429]);
  });

  test('an IPv6 host has no more attempts than one address, for any of its addresses', async () => {
    for (let tried = 0; tried < 5; tried += 1) {
      expect((await signIn('fay', { from: `2001:db8:7:7::${tried + 1}`, password: 'wrong' })).status).toBe(401);
    }
    expect((await signIn('fay', { from: '2001:db8:7:7::99' })).status).toBe(429);
  });

  test('an IPv6 site has four times as many attempts as one address, over all of its networks', async () => {
    const statuses: number[] = [];
    for (let tried = 0; tried <= 4 * 30; tried += 1) {
      const from = `2001:db8:9:${(0x100 + (tried % 200)).toString(16)}::1`;
      statuses.push((await signIn('', { from, email: `nobody-${tried}@example.net`, password: 'x' })).status);
    }
    expect(statuses).toEqual([...Array<number>(120).fill(401), 429]);
  });

  test('one account from everywhere: refused, but its user goes on from where they signed in before', async () => {
    const home = newAddress();
    expect((await signIn('cyd', { from: home })).status).toBe(200);
    const statuses = new Set<number>();
    for (let tried = 0; tried < 14; tried += 1) statuses.add((await signIn('cyd', { password: 'wrong' })).status);
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await signIn('cyd')).status).toBe(429);
    expect((await signIn('cyd', { from: home })).status).toBe(200);
  });

  test('an unknown e-mail is refused after as many, in the same words', async () => {
    const from = newAddress();
    const tries: Awaited<ReturnType<typeof signIn>>[] = [];
    for (let tried = 0; tried < 6; tried += 1) {
      tries.push(await signIn('', { from, email: 'Nobody@Example.com', password: 'x' }));
    }
    const known = newAddress();
    const others: typeof tries = [];
    for (let tried = 0; tried < 6; tried += 1) others.push(await signIn('dan', { from: known, password: 'x' }));
    const answers = (of: typeof tries) => of.map(({ status, body }) => [status, body]);
    expect(answers(tries)).toEqual(answers(others));
  });

  test('an unknown e-mail takes the same steps as a wrong password, the hash included', async () => {
    const steps = (email: string) =>
      usualSteps(async (headers) => {
        expect((await signIn('gus', { email, password: 'wrong', headers })).status).toBe(401);
      });

    const [known, unknown] = [await steps('gus@example.com'), await steps('nobody-here@example.org')];

    expect(known).toContain('argon2.verify');
    expect(known).toEqual(unknown);
  });
});

describe('whose session it is', () => {
  test('a session that another site has planted in the browser is ignored', async () => {
    const planted = `${SESSION_COOKIE}=planted-by-an-attacker`;
    const signedIn = await signIn('eve', { headers: { cookie: planted } });
    expect(signedIn.status).toBe(200);
    expect(cookieOf(signedIn)).not.toBe(planted);
    expect(await statusOf(cookieOf(signedIn))).toBe(200);
    expect(await statusOf(planted)).toBe(401);
  });

  test('signing in with the session of another begins one of our own and leaves theirs as it was', async () => {
    const attacker = await signIn('dan');
    const victim = await signIn('eve', { headers: { cookie: cookieOf(attacker) } });
    expect(cookieOf(victim)).not.toBe(cookieOf(attacker));
    const userOf = async (cookie: string) => {
      const response = await fetch(`${urlOf(gateway)}/api/user`, { headers: { cookie } });
      return ((await response.json()) as { name: string }).name;
    };
    expect(await userOf(cookieOf(victim))).toBe('eve');
    expect(await userOf(cookieOf(attacker))).toBe('dan');
    expect(victim.body.meta.csrf_token).not.toBe(attacker.body.meta.csrf_token);
  });

  test('two sign-ins of one user are two sessions; the CSRF token of one does not serve the other', async () => {
    const [first, second] = [await signIn('eve'), await signIn('eve')];
    const signOut = (headers: Record<string, string>) =>
      fetch(`${urlOf(gateway)}/api/v1/session`, { method: 'DELETE', headers });
    const mixed = { cookie: cookieOf(first), 'x-csrf-token': second.body.meta.csrf_token as string };
    expect((await signOut(mixed)).status).toBe(403);
    expect((await signOut({ ...mixed, cookie: cookieOf(second) })).status).toBe(204);
    expect(await statusOf(cookieOf(second))).toBe(401);
    expect(await statusOf(cookieOf(first))).toBe(200);
  });

  test.each(['cross-site', 'same-site'])('a page of another site (%s) cannot sign a browser in', async (site) => {
    expect((await signIn('eve', { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    expect((await signIn('eve', { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  test('the database holds neither a session nor a CSRF token as the browser has it', async () => {
    const signedIn = await signIn('eve');
    const plaintext = cookieOf(signedIn).split('=')[1]!;
    const secrets = [plaintext, csrfTokenOf(plaintext), 'password of eve'];
    for (const { name } of await database.listCollections()) {
      const rows = JSON.stringify(await database.collection(name).find().toArray());
      for (const secret of secrets) expect([name, rows.includes(secret)]).toEqual([name, false]);
    }
  });
});

const call = (method: string, path: string, { headers, body }: Awaited<ReturnType<typeof signIn>>, fields?: object) =>
  fetch(`${urlOf(gateway)}/api/v1/workspaces${path}`, {
    method,
    headers: {
      cookie: cookieOf({ headers }),
      'x-csrf-token': body.meta.csrf_token as string,
      'content-type': 'application/json',
    },
    ...(fields && { body: JSON.stringify(fields) }),
  });

describe('who hears of a sign-in', () => {
  /** Each failed sign-in is reported by itself, as if a minute had passed since the one before. */
  const failSignIn = async () => {
    await database.collection('counted_events').deleteMany({ count: 0 });
    await signIn('ivy', { password: 'wrong' });
    await waitFor(
      'the report',
      async () => (await database.collection('counted_events').countDocuments({ count: { $gt: 0 } })) === 0,
    );
  };
  const heardOf = async (type: string) =>
    (await database.collection('outbox').find({ type }).sort({ createdAt: 1 }).toArray())
      .map((row) => JSON.parse(row['body'] as string))
      .filter(({ data }) => data.email === 'ivy@example.com')
      .map(({ data }) => data.workspaces as string[]);

  test('no workspace that another member has invited the user to, until the user accepts', async () => {
    const hal = await signIn('hal');
    expect((await call('POST', '', hal, { slug: 'trap', name: 'Trap' })).status).toBe(201);
    const invitation = await call('POST', '/trap/members', hal, { email: 'ivy@example.com', role: 'viewer' });
    const { data } = (await invitation.json()) as { data: { id: string } };
    const ivy = await signIn('ivy');
    expect((await call('POST', '', ivy, { slug: 'own', name: 'Own' })).status).toBe(201);
    expect((await call('GET', '/trap/tokens', ivy)).status).toBe(403);
    await failSignIn();
    expect(await heardOf('session.created')).toEqual([[]]);
    expect(await heardOf('session.failed')).toEqual([['own']]);

    expect((await call('POST', `/../user/invitations/${data.id}/accept`, ivy)).status).toBe(200);
    await failSignIn();
    expect(await heardOf('session.failed')).toEqual([['own'], ['own', 'trap']]);
  });

  test('a workspace that the operator has put the user into, at once', async () => {
    const admin = adminTargets(backing);
    await COMMANDS['workspace create']!.run(admin, { slug: 'office', name: 'Office', owner: 'hal@example.com' });
    const join = { workspace: 'office', email: 'ivy@example.com', role: 'viewer' };
    await COMMANDS['member set']!.run(admin, join);
    await failSignIn();
    expect((await heardOf('session.failed')).at(-1)).toContain('office');
  });
});

test('a user creates a limited number of workspaces a day, also concurrently', async () => {
  const jan = await signIn('jan');
  const make = (slug: string) => call('POST', '', jan, { slug, name: slug });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => make(`jan-${index}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  // A busy auth may refuse some of them earlier with 503.
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 429 || status === 503)).toHaveLength(9);
  const retryAfter = Number(refused[0]!.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(86_000);
  expect(retryAfter).toBeLessThanOrEqual(86_410);
});

test('a taken slug uses up an attempt, and beyond the limit a taken and a free one are answered alike', async () => {
  await COMMANDS['workspace create']!.run(adminTargets(backing), {
    slug: 'taken',
    name: 'Taken',
    owner: 'ada@example.com',
  });
  const lia = await signIn('lia');
  const make = async (slug: string) => {
    const response = await call('POST', '', lia, { slug, name: 'Lia' });
    const { error } = (await response.json()) as { error?: { message: string } };
    return [response.status, error?.message];
  };
  // A slug refused for its format reveals nothing about other workspaces.
  expect((await make('No slug'))[0]).toBe(422);
  expect((await make('taken'))[0]).toBe(422);
  expect((await make('lia-1'))[0]).toBe(201);
  expect((await make('taken'))[0]).toBe(422);
  const refusal = [429, 'Too many new workspaces in one day. Try again later.'];
  expect([await make('taken'), await make('lia-2')]).toEqual([refusal, refusal]);
});

test.each(['admin', 'api', 'www', 'support'])('a new workspace cannot have the reserved slug %s', async (slug) => {
  const mia = await signIn('mia');
  const response = await call('POST', '', mia, { slug, name: 'Mine' });
  const { error } = (await response.json()) as { error: { details: { slug: string[] } } };
  expect([response.status, error.details.slug]).toEqual([
    422,
    [expect.stringMatching(/^The slug must not be .* reserved\.$/)],
  ]);
  const input = { slug, name: 'Mine', owner: 'mia@example.com' };
  expect(COMMANDS['workspace create']!.options.safeParse(input).success).toBe(false);
});
