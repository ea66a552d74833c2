import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, type Credentials } from './account-system.js';

const EVENT = { workspace: null };
let system: AccountSystem;

beforeAll(async () => {
  system = await AccountSystem.start({}, 2);
});
afterAll(() => system.stop());

const command = (name: string, { email }: Credentials) => COMMANDS[name]!.run(adminTargets(system.env), { email });

/** A token of the user in a workspace of their own. */
async function createTokenOf({ email }: Credentials, slug: string): Promise<{ id: string; authorization: string }> {
  return system.onStore(async (ctx) => {
    const owner = (await ctx.users.findUserByEmail(email))!;
    await createWorkspace(ctx, EVENT, { slug, name: 'Acme', owner, plan: null });
    const grants = ['read' as const, 'write' as const];
    const input = { workspace: slug, userId: owner._id, name: 'T', grants, expiresAt: null };
    const { token, plaintext } = await createToken(ctx, { workspace: slug }, input);
    return { id: token._id, authorization: `Bearer ${plaintext}` };
  });
}

test('a disabled user is signed out and every token is refused, on both replicas, until enabled again', async () => {
  const user = await system.newUser();
  const browsers = [await system.signIn(user, { replica: 0 }), await system.signIn(user, { replica: 1 })];
  const { id, authorization } = await createTokenOf(user, 'acme');
  const statuses = async () =>
    Promise.all(
      [0, 1].flatMap((replica) => [
        ...browsers.map(async (browser) => (await system.call('GET', '/user', { browser, replica })).status),
        system.call('GET', '/user', { headers: { authorization }, replica }).then(({ status }) => status),
      ]),
    );
  expect(await statuses()).toEqual(Array(6).fill(200));

  await command('user disable', user);

  expect(await statuses()).toEqual(Array(6).fill(401));
  await waitFor('the report of the refused token', async () => {
    const [event] = await system.eventsOf('token.refused', user.id);
    return event?.data.token_id === id;
  });
  const options = { workspace: 'acme', email: user.email, name: 'T', ability: 'read' };
  await expect(COMMANDS['token create']!.run(adminTargets(system.env), options)).rejects.toMatchObject({
    details: { email: ['The user is disabled. Enable the user first.'] },
  });

  await command('user enable', user);

  expect(await statuses()).toEqual([401, 401, 200, 401, 401, 200]);
  expect((await system.trySignIn(user)).status).toBe(200);
  const changes = async (type: string) => (await system.eventsOf(type, user.id)).map(({ audit }) => audit.changes);
  expect(await changes('user.disabled')).toEqual([
    { disabled: { from: false, to: true }, sessions: { from: 2, to: 0 } },
  ]);
  expect(await changes('user.enabled')).toEqual([{ disabled: { from: true, to: false } }]);
});

test('the sign-in of a disabled user answers as for a wrong password', async () => {
  const user = await system.newUser();
  const wrong = await system.trySignIn({ ...user, password: 'a wrong password' });
  await command('user disable', user);

  const { status, body, headers } = await system.trySignIn(user);

  expect([status, body]).toEqual([wrong.status, wrong.body]);
  expect(headers.get('set-cookie')).toBeNull();
  await expect(command('user reset-password', user)).rejects.toMatchObject({
    details: { email: ['The user is disabled. Enable the user first.'] },
  });
});

test('no session begins at the moment when a user is disabled', async () => {
  for (let round = 0; round < 5; round += 1) {
    const user = await system.newUser();
    const attempts = Array.from({ length: 6 }, (_, index) => system.trySignIn(user, { replica: index % 2 }));
    const [, ...signIns] = await Promise.all([command('user disable', user), ...attempts]);

    const cookies = signIns.flatMap(({ headers }) => headers.get('set-cookie')?.split(';')[0] ?? []);
    const alive = await Promise.all(cookies.map((cookie) => system.isSignedIn({ cookie, csrf: '' })));
    expect(alive.filter(Boolean)).toEqual([]);
    expect(await system.database.collection('sessions').countDocuments({ userId: user.id })).toBe(0);
  }
});

test('disabling twice changes nothing more', async () => {
  const user = await system.newUser();
  await system.signIn(user);

  expect(await command('user disable', user)).toMatchObject({ disabled: true, ended_sessions: 1 });
  expect(await command('user disable', user)).toMatchObject({ disabled: true, ended_sessions: 0 });
  await command('user enable', user);
  expect(await command('user enable', user)).toMatchObject({ disabled: false });

  expect(await system.eventsOf('user.disabled', user.id)).toHaveLength(1);
  expect(await system.eventsOf('user.enabled', user.id)).toHaveLength(1);
});
