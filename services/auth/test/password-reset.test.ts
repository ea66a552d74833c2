import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { totpCode } from '@waymark/testing/totp';
import { AccountSystem, newAddress, type Credentials } from './account-system.js';

const REPLICAS = 2;
const CHOSEN = 'a password that the user chose';
let system: AccountSystem;

beforeAll(async () => {
  system = await AccountSystem.start({}, REPLICAS);
});
afterAll(() => system.stop());

async function issueLink({ email }: Credentials): Promise<{ url: string; token: string }> {
  const printed = await COMMANDS['user reset-password']!.run(adminTargets(system.env), { email });
  const url = (printed as { reset_url: string }).reset_url;
  return { url, token: url.split('#').at(-1)! };
}

const reset = (token: string, password = CHOSEN, ask = {}) =>
  system.call('POST', '/password-reset', { ...ask, body: { token, new_password: password } });

const INVALID = { token: ['The link is invalid, has expired or has been used.'] };

test("the operator's link sets a new password, and ends every session of the user", async () => {
  const user = await system.newUser();
  const browsers = [await system.signIn(user), await system.signIn(user)];
  const { url, token } = await issueLink(user);
  expect(url).toBe(`https://go.example.com/console/reset#${token}`);

  expect((await reset(token)).status).toBe(200);

  expect(await Promise.all(browsers.map((browser) => system.isSignedIn(browser)))).toEqual([false, false]);
  expect((await system.trySignIn(user)).status).toBe(401);
  expect((await system.trySignIn({ ...user, password: CHOSEN })).status).toBe(200);
  expect(await system.eventsOf('user.password_reset_requested', user.id)).toHaveLength(1);
  const [changed] = await system.eventsOf('user.password_changed', user.id);
  expect([changed.actor.id, changed.audit.changes]).toEqual([user.id, { sessions: { from: 2, to: 0 } }]);
});

test('a link works once, in 100 simultaneous attempts on two replicas', async () => {
  const user = await system.newUser();
  const { token } = await issueLink(user);

  const attempts = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const password = `chosen in attempt ${index}`;
      const { status } = await reset(token, password, { replica: index % REPLICAS, headers: newAddress() });
      return { status, password };
    }),
  );

  const successes = attempts.filter(({ status }) => status === 200);
  expect(successes).toHaveLength(1);
  // A busy auth may refuse some earlier with 503.
  expect(attempts.filter(({ status }) => status === 422 || status === 503)).toHaveLength(99);
  expect((await system.trySignIn({ ...user, password: successes[0]!.password })).status).toBe(200);
});

test.each([
  ['that does not exist', () => Promise.resolve('x'.repeat(43))],
  ['that was used', async (user: Credentials) => used(await issueLink(user))],
  ['of a password that was changed since', (user: Credentials) => outdated(user)],
  ['that has expired', (user: Credentials & { id: string }) => expired(user)],
  ['of a user who was disabled since', (user: Credentials) => disabled(user)],
])('a link %s is refused in the same words', async (_which, tokenOf) => {
  const user = await system.newUser();

  const { status, body } = await reset(await tokenOf(user));

  expect([status, body.error.details]).toEqual([422, INVALID]);
});

async function used({ token }: { token: string }): Promise<string> {
  expect((await reset(token)).status).toBe(200);
  return token;
}

async function outdated(user: Credentials): Promise<string> {
  const { token } = await issueLink(user);
  const body = { current_password: user.password, new_password: CHOSEN };
  const browser = await system.signIn(user);
  expect((await system.call('POST', '/user/password', { browser, body })).status).toBe(200);
  return token;
}

async function expired(user: Credentials & { id: string }): Promise<string> {
  const { token } = await issueLink(user);
  const links = system.database.collection('one_time_links');
  await links.updateOne({ subject: user.id }, { $set: { expiresAt: new Date(0) } });
  return token;
}

async function disabled(user: Credentials): Promise<string> {
  const { token } = await issueLink(user);
  await COMMANDS['user disable']!.run(adminTargets(system.env), { email: user.email });
  return token;
}

test('a password that is refused leaves the link usable', async () => {
  const user = await system.newUser();
  const { token } = await issueLink(user);

  const short = await reset(token, 'only nine');
  const common = await reset(token, '1qaz2wsx3edc');
  const own = await reset(token, user.email);

  expect(short.body.error.details).toEqual({ new_password: ['The new_password must have at least 10 characters.'] });
  expect(common.body.error.details).toEqual({ new_password: ['The new_password is too common.'] });
  expect(own.body.error.details).toEqual({
    new_password: ['The new_password must not be the e-mail address or its first part.'],
  });
  expect((await reset(token)).status).toBe(200);
});

test('two-factor sign-in stays enabled', async () => {
  const user = await system.newUser();
  const browser = await system.signIn(user);
  const { secret } = await system.enableTotp(browser);

  expect((await reset((await issueLink(user)).token)).status).toBe(200);

  const again = { ...user, password: CHOSEN };
  expect((await system.trySignIn(again)).body.error.details).toEqual({ totp_required: true });
  expect((await system.trySignIn({ ...again, totp_code: totpCode(secret) } as Credentials)).status).toBe(200);
});

test.each([false, true])('names the live tokens of the user; with revoke_tokens %s', async (revokes) => {
  const user = await system.newUser();
  const slug = `reset-${revokes}`;
  const tokens = await system.onStore(async (ctx) => {
    const owner = (await ctx.users.findUser(user.id))!;
    await createWorkspace(ctx, { workspace: null }, { slug, name: 'Reset', owner, plan: null });
    const mint = async (name: string, expiresAt: Date | null) =>
      (
        await createToken(
          ctx,
          { workspace: slug },
          { workspace: slug, userId: user.id, name, grants: ['read'], expiresAt },
        )
      ).plaintext;
    return [await mint('a', null), await mint('b', null), await mint('expired', new Date(0))];
  });
  const body = { token: (await issueLink(user)).token, new_password: CHOSEN, revoke_tokens: revokes };

  const { status, body: answer } = await system.call('POST', '/password-reset', { body });

  expect([status, answer.meta, answer.data.revoked_tokens]).toEqual(
    revokes ? [200, { live_tokens: 0 }, 3] : [200, { live_tokens: 2 }, 0],
  );
  const headers = { authorization: `Bearer ${tokens[0]}` };
  expect((await system.call('GET', '/user', { headers })).status).toBe(revokes ? 401 : 200);
  const revoked = await system.eventsOf('token.revoked', user.id);
  expect(revoked.map(({ workspace, actor, data }) => [workspace, actor.id, data.name]).sort()).toEqual(
    revokes ? ['a', 'b', 'expired'].map((name) => [slug, user.id, name]) : [],
  );
  const [changed] = await system.eventsOf('user.password_changed', user.id);
  expect(changed.audit.changes).toEqual(revokes ? { tokens: { from: 3, to: 0 } } : {});
});

test('a body of more than 4 kB is refused', async () => {
  expect((await reset('x', 'x'.repeat(5000))).status).toBe(413);
});

test('a page of another site cannot reset a password', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  expect((await reset('x', CHOSEN, { headers })).status).toBe(403);
});
