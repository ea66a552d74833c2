import { randomBytes } from 'node:crypto';
import { totpCode } from '@waymark/testing/totp';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, newAddress, type Browser, type Credentials, type Totp } from './account-system.js';

const REPLICAS = 2;
let system: AccountSystem;

beforeAll(async () => {
  // Concurrent right codes count until they are checked.
  const maxima = { codeGuessesInHour: 1000, codeGuessesInDay: 1000 };
  system = await AccountSystem.start({ PASSWORD_CHECKS_AT_ONCE: '4' }, REPLICAS, maxima);
});
afterAll(() => system.stop());

interface Enrolled extends Totp {
  user: Credentials & { id: string };
  browser: Browser;
}

const start = (browser: Browser) => system.call('POST', '/user/totp', { browser });
const confirm = (browser: Browser, code: string) =>
  system.call('POST', '/user/totp/confirm', { browser, body: { code } });
const disable = (browser: Browser, password: string) =>
  system.call('DELETE', '/user/totp', { browser, body: { password } });
const isEnabled = async (browser: Browser) =>
  (await system.call('GET', '/user', { browser })).body.data.totp_enabled as boolean;
/** As an East Asian keyboard types digits. */
const fullWidth = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
const wrongCode = (secret: string) => {
  const valid = [-2, -1, 0, 1, 2].map((steps) => totpCode(secret, steps));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.includes(code))!;
};

async function enrol(): Promise<Enrolled> {
  const user = await system.newUser();
  const browser = await system.signIn(user);
  return { user, browser, ...(await system.enableTotp(browser)) };
}

describe('enabling two-factor sign-in', () => {
  test('returns a secret once, and takes effect with its first code', async () => {
    const user = await system.newUser();
    const [browser, other] = [await system.signIn(user), await system.signIn(user)];

    const { status, body } = await start(browser);

    expect([status, await isEnabled(browser)]).toEqual([200, false]);
    const { secret, otpauth_url: url } = body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const parsed = new URL(url);
    expect([parsed.protocol, parsed.host, decodeURIComponent(parsed.pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/Waymark (go.example.com):${user.email}`,
    ]);
    expect(parsed.searchParams.get('secret')).toBe(secret);
    expect((await system.trySignIn(user)).status).toBe(200);

    const confirmed = await confirm(browser, totpCode(secret));

    expect(confirmed.status).toBe(200);
    const codes = confirmed.body.data.recovery_codes as string[];
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect([await isEnabled(browser), await isEnabled(other)]).toEqual([true, true]);
    expect((await system.eventsOf('user.totp_enabled', user.id))[0].audit.changes).toEqual({
      totp_enabled: { from: false, to: true },
    });
  });

  test('needs a code of the newest secret', async () => {
    const browser = await system.signIn(await system.newUser());
    expect((await confirm(browser, '123456')).status).toBe(409);
    const { secret: replaced } = (await start(browser)).body.data;
    const { secret } = (await start(browser)).body.data;

    for (const code of [totpCode(replaced), wrongCode(secret), 'x'.repeat(64), 'ééabcd', '😀😀😀']) {
      const { status, body } = await confirm(browser, code);
      expect([status, body.error.details]).toEqual([422, { code: ['The code is wrong.'] }]);
    }
    expect(await isEnabled(browser)).toBe(false);
    expect((await confirm(browser, totpCode(secret))).status).toBe(200);
  });

  test('is refused when the secret is older than an hour, and when it is enabled already', async () => {
    const user = await system.newUser();
    const browser = await system.signIn(user);
    const { secret } = (await start(browser)).body.data;
    const users = system.database.collection<{ _id: string }>('users');
    const anHourAgo = new Date(Date.now() - 3_601_000);
    await users.updateOne({ _id: user.id }, { $set: { 'totpSetup.createdAt': anHourAgo } });
    expect((await confirm(browser, totpCode(secret))).status).toBe(409);

    const enrolled = await enrol();
    expect((await start(enrolled.browser)).status).toBe(409);
    expect((await confirm(enrolled.browser, totpCode(enrolled.secret))).status).toBe(409);
  });

  test('stores neither the secret nor a recovery code in plain text', async () => {
    const { user, secret, recoveryCodes } = await enrol();

    const stored = JSON.stringify(await system.database.collection<{ _id: string }>('users').findOne({ _id: user.id }));

    expect(stored).toContain('lastStep');
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      expect(stored).not.toContain(text);
  });

  test('answers 404 without a key, and then a code is a 503 while recovery codes still work', async () => {
    const { user, secret, recoveryCodes } = await enrol();
    const replica = await system.startReplica({ TOTP_SECRET_KEY: '' });
    const browser = await system.signIn(await system.newUser());

    expect((await system.call('POST', '/user/totp', { browser, replica })).status).toBe(404);
    expect((await system.trySignIn({ ...user, totp_code: totpCode(secret) } as Credentials, { replica })).status).toBe(
      503,
    );
    const recovered = { ...user, recovery_code: recoveryCodes[0] } as Credentials;
    expect((await system.trySignIn(recovered, { replica })).status).toBe(200);
  });

  test('works with an old key behind a new one', async () => {
    const { user, secret } = await enrol();
    const both = `${randomBytes(32).toString('base64')},${system.env['TOTP_SECRET_KEY']}`;
    const replica = await system.startReplica({ TOTP_SECRET_KEY: both });

    const credentials = { ...user, totp_code: totpCode(secret) } as Credentials;
    expect((await system.trySignIn(credentials, { replica })).status).toBe(200);
  });
});

describe('a sign-in with a second factor', () => {
  const attempt = ({ user }: Enrolled, factor: object, ask = {}) => system.trySignIn({ ...user, ...factor }, ask);

  test('is requested only after the right password', async () => {
    const enrolled = await enrol();
    const unknown = { email: 'nobody@example.com', password: 'a wrong password' };
    const wrong = { ...enrolled.user, password: 'a wrong password' };
    const bodies = await Promise.all(
      [unknown, wrong, { ...wrong, totp_code: totpCode(enrolled.secret) }].map(async (credentials) => {
        const { status, body } = await system.trySignIn(credentials);
        return [status, body];
      }),
    );
    const refused = { code: 'unauthenticated', message: 'The e-mail address or the password is wrong.' };
    expect(bodies).toEqual(Array(3).fill([401, { error: refused }]));

    const { status, body, headers } = await attempt(enrolled, {});

    expect([status, body.error.details]).toEqual([401, { totp_required: true }]);
    expect(headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ['the current code', (secret: string) => totpCode(secret)],
    ['the current code in groups', (secret: string) => totpCode(secret).replace(/(...)/, '$1 ')],
    ['the current code in full-width digits', (secret: string) => fullWidth(totpCode(secret))],
    ['the code of the next step', (secret: string) => totpCode(secret, 1)],
  ])('succeeds with %s', async (_which, codeOf) => {
    const enrolled = await enrol();
    expect((await attempt(enrolled, { totp_code: codeOf(enrolled.secret) })).status).toBe(200);
  });

  test.each([
    ['another code', ({ secret }: Totp) => wrongCode(secret)],
    ['the code of three steps ago', ({ secret }: Totp) => totpCode(secret, -3)],
    ['the code of three steps ahead', ({ secret }: Totp) => totpCode(secret, 3)],
    ['the code that enabled it', ({ code }: Totp) => code],
    ['six letters of which some have an accent', () => 'ééabcd'],
    ['six digits of another script', () => '١٢٣٤٥٦'],
  ])('fails with %s', async (_which, codeOf) => {
    const enrolled = await enrol();
    const { status, body } = await attempt(enrolled, { totp_code: codeOf(enrolled) });
    expect([status, body.error.details]).toEqual([401, { totp_required: true }]);
    await waitFor('the report', async () => (await system.eventsOf('session.failed', enrolled.user.id)).length === 1);
  });

  test('accepts a code once, in 100 simultaneous attempts on two replicas', async () => {
    const enrolled = await enrol();
    const factor = { totp_code: totpCode(enrolled.secret, 1) };

    const attempts = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        attempt(enrolled, factor, { replica: index % REPLICAS, headers: newAddress() }),
      ),
    );

    const statuses = attempts.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(10);
    expect((await attempt(enrolled, factor)).status).toBe(401);
    // An earlier step is refused as well, although its code was never used.
    expect((await attempt(enrolled, { totp_code: totpCode(enrolled.secret) })).status).toBe(401);
  });

  test('accepts each recovery code once, however it is typed', async () => {
    const enrolled = await enrol();
    const [first, second] = enrolled.recoveryCodes as [string, string];
    const typed = { recovery_code: ` ${first.toUpperCase().replaceAll('-', ' ')} ` };

    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        attempt(enrolled, typed, { replica: index % REPLICAS, headers: newAddress() }),
      ),
    );

    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await attempt(enrolled, { recovery_code: first })).status).toBe(401);
    expect((await attempt(enrolled, { recovery_code: second })).status).toBe(200);
    expect((await attempt(enrolled, { recovery_code: 'none of them' })).status).toBe(401);
    const changes = (await system.eventsOf('session.created', enrolled.user.id)).map(({ audit }) => audit.changes);
    expect(changes).toContainEqual({ recovery_codes: { from: 10, to: 9 } });
    expect(changes).toContainEqual({ recovery_codes: { from: 9, to: 8 } });
  });

  test('counts wrong codes as attempts, and neither missing nor right ones', async () => {
    const replica = await system.startReplica({}, { passwordGuessesOfAccountAtAddress: 3 });
    const enrolled = await enrol();
    const ask = { replica, headers: newAddress() };
    for (let tried = 0; tried < 5; tried += 1) expect((await attempt(enrolled, {}, ask)).status).toBe(401);
    expect((await attempt(enrolled, { totp_code: totpCode(enrolled.secret) }, ask)).status).toBe(200);

    for (let tried = 0; tried < 3; tried += 1) {
      expect((await attempt(enrolled, { totp_code: wrongCode(enrolled.secret) }, ask)).status).toBe(401);
    }

    expect((await attempt(enrolled, { totp_code: totpCode(enrolled.secret, 1) }, ask)).status).toBe(429);
  });

  test('ignores the codes of a user without two-factor sign-in', async () => {
    const user = await system.newUser();
    expect((await system.trySignIn({ ...user, totp_code: '123456' } as Credentials)).status).toBe(200);
  });
});

describe('guessing second factors with the right password', () => {
  const MAXIMA = { codeGuessesInHour: 3, codeGuessesInDay: 5 };
  const replicas: number[] = [];
  beforeAll(async () => {
    replicas.push(await system.startReplica({}, MAXIMA), await system.startReplica({}, MAXIMA));
  });

  /** Each attempt comes from another address, by the next replica. */
  let attempts = 0;
  const attempt = ({ user }: Enrolled, factor: object, headers = newAddress()) =>
    system.trySignIn({ ...user, ...factor }, { headers, replica: replicas[(attempts += 1) % 2]! });
  const guess = (enrolled: Enrolled) => attempt(enrolled, { totp_code: wrongCode(enrolled.secret) });
  /** Ends the window of an hour, as if it had passed. */
  const passHour = ({ user }: Enrolled) =>
    system.database
      .collection('limit_counts')
      .updateMany({ _id: { $regex: `^${user.id}.* codeGuessesInHour$` } as never }, { $set: { endsAt: new Date(0) } });

  test('is refused after a few codes, from any address and with any code', async () => {
    const enrolled = await enrol();
    const statuses: number[] = [];
    for (let tried = 0; tried < 3; tried += 1) statuses.push((await guess(enrolled)).status);
    expect(statuses).toEqual([401, 401, 401]);

    const right = await attempt(enrolled, { totp_code: totpCode(enrolled.secret) });
    const recovery = await attempt(enrolled, { recovery_code: enrolled.recoveryCodes[0] });

    expect([right.status, recovery.status]).toEqual([429, 429]);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(3500);
    await passHour(enrolled);
    expect((await attempt(enrolled, { recovery_code: enrolled.recoveryCodes[0] })).status).toBe(200);
  });

  test('counts wrong recovery codes', async () => {
    const enrolled = await enrol();
    for (let tried = 0; tried < 3; tried += 1) {
      expect((await attempt(enrolled, { recovery_code: `wrong-${tried}` })).status).toBe(401);
    }
    expect((await attempt(enrolled, { recovery_code: enrolled.recoveryCodes[0] })).status).toBe(429);
  });

  test('is refused for longer when it goes on', async () => {
    const enrolled = await enrol();
    for (let tried = 0; tried < 3; tried += 1) await guess(enrolled);
    await passHour(enrolled);
    for (let tried = 0; tried < 2; tried += 1) expect((await guess(enrolled)).status).toBe(401);

    const { status, headers } = await guess(enrolled);

    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
  });

  test('has no more attempts when they are simultaneous', async () => {
    const enrolled = await enrol();

    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(enrolled)));

    const checked = answers.filter(({ status }) => status === 401);
    expect(checked.length).toBeGreaterThan(0);
    expect(checked.length).toBeLessThanOrEqual(3);
    // A busy auth may refuse some with 503.
    expect(answers.filter(({ status }) => ![401, 429, 503].includes(status))).toEqual([]);
  });

  test('does not lock the user out of a network from which they have signed in before', async () => {
    const enrolled = await enrol();
    const home = newAddress();
    expect((await attempt(enrolled, { totp_code: totpCode(enrolled.secret) }, home)).status).toBe(200);
    for (let tried = 0; tried < 4; tried += 1) await guess(enrolled);

    const atHome = await attempt(enrolled, { totp_code: totpCode(enrolled.secret, 1) }, home);

    expect(atHome.status).toBe(200);
    expect((await guess(enrolled)).status).toBe(429);
  });

  test('is not what a stranger without the password does: their attempts use up nothing', async () => {
    const enrolled = await enrol();
    const stranger = { ...enrolled, user: { ...enrolled.user, password: 'not the right password' } };
    for (let tried = 0; tried < 6; tried += 1) expect((await guess(stranger)).status).toBe(401);

    expect((await attempt(enrolled, { totp_code: totpCode(enrolled.secret) })).status).toBe(200);
  });

  test('is not what sign-ins without a code or with the right one are', async () => {
    const enrolled = await enrol();
    for (let tried = 0; tried < 6; tried += 1) expect((await attempt(enrolled, {})).status).toBe(401);
    for (const code of enrolled.recoveryCodes.slice(0, 6)) {
      expect((await attempt(enrolled, { recovery_code: code })).status).toBe(200);
    }
  });
});

describe('disabling two-factor sign-in', () => {
  test('needs the password, and ends no session', async () => {
    const { user, browser } = await enrol();

    const refused = await disable(browser, 'a wrong password');
    expect([refused.status, refused.body.error.details]).toEqual([422, { password: ['The password is wrong.'] }]);
    expect(await isEnabled(browser)).toBe(true);

    expect((await disable(browser, user.password)).status).toBe(204);
    expect(await isEnabled(browser)).toBe(false);
    expect((await system.trySignIn(user)).status).toBe(200);
    expect(await system.eventsOf('user.totp_disabled', user.id)).toHaveLength(1);
    expect((await disable(browser, user.password)).status).toBe(409);
  });

  test('makes the old codes worthless when it is enabled again', async () => {
    const { user, browser, secret: old, recoveryCodes } = await enrol();
    await disable(browser, user.password);
    const { secret } = await system.enableTotp(browser);
    expect(secret).not.toBe(old);

    for (const factor of [{ totp_code: totpCode(old) }, { recovery_code: recoveryCodes[0] }]) {
      expect((await system.trySignIn({ ...user, ...factor })).status).toBe(401);
    }
    expect((await system.trySignIn({ ...user, totp_code: totpCode(secret) } as Credentials)).status).toBe(200);
  });
});

/** Lets the sign-ins of a user be a quarter of an hour old. */
const ageSignIns = (user: { id: string }) =>
  system.database
    .collection('sessions')
    .updateMany({ userId: user.id }, { $set: { createdAt: new Date(Date.now() - 15 * 60_000) } });
const reauthenticate = (browser: Browser, password: string) =>
  system.call('POST', '/session/reauthenticate', { browser, body: { password } });
let workspaceCount = 0;
async function newWorkspace(browser: Browser): Promise<string> {
  const slug = `two-factor-${(workspaceCount += 1)}`;
  const { status } = await system.call('POST', '/workspaces', { browser, body: { slug, name: 'Two factors' } });
  expect(status).toBe(201);
  return slug;
}

describe('an old sign-in', () => {
  test('must be confirmed with the password for what an unattended browser must not do', async () => {
    const user = await system.newUser();
    const browser = await system.signIn(user);
    const slug = await newWorkspace(browser);
    const { secret } = (await start(browser)).body.data;
    const protectedCalls = [
      () => start(browser),
      () => confirm(browser, totpCode(secret)),
      () => system.call('DELETE', '/sessions', { browser }),
      () => system.call('DELETE', `/workspaces/${slug}`, { browser, body: { confirm: slug } }),
    ];
    await ageSignIns(user);

    for (const call of protectedCalls) {
      const { status, body } = await call();
      expect([status, body.error.code, body.error.details]).toEqual([403, 'forbidden', { reauthenticate: true }]);
    }
    const wrong = await reauthenticate(browser, 'not the password');
    expect([wrong.status, wrong.body.error.details]).toEqual([422, { password: ['The password is wrong.'] }]);
    expect((await protectedCalls[0]!()).status).toBe(403);

    expect((await reauthenticate(browser, user.password)).status).toBe(204);

    const { secret: next } = (await start(browser)).body.data;
    expect((await confirm(browser, totpCode(next))).status).toBe(200);
    expect((await protectedCalls[2]!()).status).toBe(204);
    expect((await protectedCalls[3]!()).status).toBe(204);
  });

  test('is confirmed for its own session alone, and a new sign-in needs no confirmation', async () => {
    const user = await system.newUser();
    const [browser, other] = [await system.signIn(user), await system.signIn(user)];
    await ageSignIns(user);
    expect((await reauthenticate(browser, user.password)).status).toBe(204);

    expect([(await start(other)).status, (await start(browser)).status]).toEqual([403, 200]);
    expect((await start(await system.signIn(user))).status).toBe(200);
  });

  test('does not last for ever once it is confirmed', async () => {
    const user = await system.newUser();
    const browser = await system.signIn(user);
    await reauthenticate(browser, user.password);
    const elevenMinutesAgo = new Date(Date.now() - 11 * 60_000);
    await system.database
      .collection('sessions')
      .updateMany({ userId: user.id }, { $set: { reauthenticatedAt: elevenMinutesAgo } });

    expect((await start(browser)).status).toBe(403);
  });
});

test('wrong codes that confirm the secret are limited like those of sign-ins; right ones do not count', async () => {
  const replica = await system.startReplica({}, { codeGuessesInHour: 3 });
  const browser = await system.signIn(await system.newUser());
  const { secret } = (await start(browser)).body.data;
  const tryCode = (code: string) => system.call('POST', '/user/totp/confirm', { browser, body: { code }, replica });

  for (let attempt = 1; attempt <= 3; attempt += 1) expect((await tryCode(wrongCode(secret))).status).toBe(422);
  const { status, headers } = await tryCode(totpCode(secret));

  expect([status, headers.has('retry-after')]).toEqual([429, true]);
  expect(await isEnabled(browser)).toBe(false);
});

describe('a workspace that requires a second factor', () => {
  const requireFactor = (browser: Browser, slug: string, isRequired = true) =>
    system.call('PATCH', `/workspaces/${slug}`, { browser, body: { require_two_factor: isRequired } });
  const show = (slug: string, ask: { browser: Browser } | { headers: Record<string, string> }) =>
    system.call('GET', `/workspaces/${slug}`, ask);

  test('admits no member without one, nor their tokens, until they enable it', async () => {
    const owner = await enrol();
    const slug = await newWorkspace(owner.browser);
    const member = await system.newUser();
    await system.onStore((ctx) =>
      ctx.workspaces.addMember(
        { workspace: slug, userId: member.id, role: 'admin', enteredAt: new Date(), createdAt: new Date() },
        undefined as never,
      ),
    );
    const browser = await system.signIn(member);
    const created = await system.call('POST', `/workspaces/${slug}/tokens`, {
      browser,
      body: { name: 'CI' },
    });
    expect(created).toMatchObject({ status: 201 });
    const token = { headers: { authorization: `Bearer ${created.body.meta.plaintext_token}` } };
    expect((await show(slug, token)).body.data.require_two_factor).toBe(false);

    const { status, body } = await requireFactor(owner.browser, slug);

    expect([status, body.data.require_two_factor]).toEqual([200, true]);
    for (const ask of [{ browser }, token]) {
      const refused = await show(slug, ask);
      expect([refused.status, refused.body.error.details]).toEqual([403, { two_factor_required: true }]);
    }
    expect((await show(slug, { browser: owner.browser })).status).toBe(200);
    expect((await system.call('GET', '/user', { browser })).status).toBe(200);
    const outsider = await show(slug, { browser: await system.signIn(await system.newUser()) });
    expect([outsider.status, outsider.body.error.details]).toEqual([403, undefined]);

    await system.enableTotp(browser);
    expect([(await show(slug, { browser })).status, (await show(slug, token)).status]).toEqual([200, 200]);
  });

  test('leaves an audit entry of the setting, once for each change', async () => {
    const { browser } = await enrol();
    const slug = await newWorkspace(browser);
    await requireFactor(browser, slug);
    await requireFactor(browser, slug);
    await requireFactor(browser, slug, false);

    const rows = await system.database.collection('outbox').find({ type: 'workspace.updated' }).toArray();
    const events = rows.map((row) => JSON.parse(row['body'] as string)).filter(({ workspace }) => workspace === slug);
    expect(events.map(({ audit }) => audit.changes)).toEqual([
      { require_two_factor: { from: false, to: true } },
      { require_two_factor: { from: true, to: false } },
    ]);
  });

  test('can be made so only by somebody who has one', async () => {
    const browser = await system.signIn(await system.newUser());
    const slug = await newWorkspace(browser);

    const { status, body } = await requireFactor(browser, slug);

    expect([status, Object.keys(body.error.details)]).toEqual([422, ['require_two_factor']]);
    expect((await requireFactor(browser, slug, false)).status).toBe(200);
  });
});

test('signing out empties the browser cache of earlier pages, and no cookies of other sites', async () => {
  const browser = await system.signIn(await system.newUser());
  const { status, headers } = await system.call('DELETE', '/session', { browser });
  expect([status, headers.get('clear-site-data')]).toEqual([204, '"cache"']);
});
