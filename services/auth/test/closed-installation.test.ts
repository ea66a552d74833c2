import { COMMANDS } from '@waymark/auth/admin/commands';
import type { AdminTargets } from '@waymark/auth/admin/context';
import { findCreationRefusal, type GrowthConfig } from '@waymark/auth/workspaces/growth';
import type { Membership, Workspace } from '@waymark/auth/workspaces/workspace-store';
import { AccountSystem, type Browser, type Credentials } from './account-system.js';
import { expectReclaimed, expectUntouched, makeForeignAccount } from './foreign-account.js';

/** A gateway whose auth keeps the default, and one of a closed installation. */
const [DEFAULT, CLOSED] = [0, 1];
let system: AccountSystem;
let count = 0;

beforeAll(async () => {
  system = await AccountSystem.start({ WORKSPACE_CREATION: 'members' });
  await system.startReplica({ WORKSPACE_CREATION: 'operator', INVITE_NEW_PEOPLE: 'off' });
});
afterAll(() => system.stop());

/** All commands share one connection. */
const targets: AdminTargets = { database: (work) => system.onStore(work) };
const admin = (name: string, options: Record<string, unknown>): Promise<any> => COMMANDS[name]!.run(targets, options);
const newSlug = () => `grown-${(count += 1)}`;

type Person = Credentials & { id: string; browser: Browser };
async function newPerson(): Promise<Person> {
  const user = await system.newUser();
  return { ...user, browser: await system.signIn(user) };
}
async function workspaceOf({ email }: Credentials): Promise<string> {
  const slug = newSlug();
  await admin('workspace create', { slug, name: 'Grown', owner: email });
  return slug;
}
const suspend = (slug: string) => admin('workspace suspend', { slug, reason: 'Phishing.', links: 'block' });

const create = ({ browser }: Person, replica = DEFAULT) =>
  system.call('POST', '/workspaces', { browser, replica, body: { slug: newSlug(), name: 'Grown' } });
/** What the account says, and what the request answers. */
async function mayCreate(person: Person, replica = DEFAULT): Promise<[boolean, number]> {
  const { body } = await system.call('GET', '/user', { browser: person.browser, replica });
  return [body.data.can_create_workspace, (await create(person, replica)).status];
}
const ALLOWED = [true, 201];
const REFUSED = [false, 403];

async function inviteLink({ browser }: Person, slug: string): Promise<string> {
  const body = { role: 'viewer' };
  const { body: issued } = await system.call('POST', `/workspaces/${slug}/invitations`, { browser, body });
  return new URL(issued.meta.invite_url as string).hash.slice(1);
}
const newAccount = () => ({
  name: 'Grace',
  email: `grown-${(count += 1)}@example.com`,
  password: 'a password of her own',
});
const accept = (token: string, replica: number, account: object = newAccount()) =>
  system.call('POST', '/invitations/accept', { replica, body: { token, ...account } });
const lookUp = async (token: string, replica: number) =>
  (await system.call('POST', '/invitations/look-up', { replica, body: { token } })).body.data;

describe('a workspace of their own', () => {
  test('is created by members of a workspace alone, with the default plan', async () => {
    const [member, stranger] = [await newPerson(), await newPerson()];
    await workspaceOf(member);
    const created = await create(member);
    expect([created.status, created.body.data.plan]).toEqual([201, 'enterprise']);
    expect(await mayCreate(stranger)).toEqual(REFUSED);
    expect((await create(stranger)).body.error.message).toMatch(/^Only members of a workspace/);
  });

  test('is refused to a member who was removed from the only one', async () => {
    const [owner, member] = [await newPerson(), await newPerson()];
    const slug = await workspaceOf(owner);
    await admin('member set', { workspace: slug, email: member.email, role: 'analyst' });
    expect(await mayCreate(member)).toEqual(ALLOWED);
    const left = (await system.call('GET', '/user', { browser: member.browser })).body.data.workspaces;
    for (const { slug: workspace } of left) {
      if (workspace !== slug) await admin('member set', { workspace, email: owner.email, role: 'owner' });
      await admin('member remove', { workspace, email: member.email });
    }
    expect(await mayCreate(member)).toEqual(REFUSED);
  });

  test('is refused to the owner of a suspended workspace, who is in another one as well, until it is resumed', async () => {
    const [owner, other] = [await newPerson(), await newPerson()];
    const [suspended, live] = [await workspaceOf(owner), await workspaceOf(other)];
    await admin('member set', { workspace: live, email: owner.email, role: 'admin' });
    await suspend(suspended);
    expect(await mayCreate(owner)).toEqual(REFUSED);
    expect(await lookUp(await inviteLink(owner, live), DEFAULT)).toMatchObject({ allows_new_account: false });
    expect((await accept(await inviteLink(owner, live), DEFAULT)).status).toBe(403);
    await admin('workspace resume', { slug: suspended });
    expect(await mayCreate(owner)).toEqual(ALLOWED);
  });

  test('is created by a member of a suspended workspace only if another one of theirs is not suspended', async () => {
    const [owner, member] = [await newPerson(), await newPerson()];
    const suspended = await workspaceOf(owner);
    await admin('member set', { workspace: suspended, email: member.email, role: 'editor' });
    await suspend(suspended);
    expect(await mayCreate(member)).toEqual(REFUSED);
    const live = await workspaceOf(await newPerson());
    await admin('member set', { workspace: live, email: member.email, role: 'viewer' });
    expect(await mayCreate(member)).toEqual(ALLOWED);
  });

  test('is created by the operator alone where the installation says so', async () => {
    const member = await newPerson();
    await workspaceOf(member);
    expect(await mayCreate(member, CLOSED)).toEqual(REFUSED);
  });

  test.each([
    ['everyone', 20, [], null],
    ['everyone', 0, ['owner in use'], /operator/],
    ['everyone', 20, ['owner suspended'], /suspended/],
    ['everyone', 20, ['editor suspended'], null],
    ['members', 20, [], /members/],
    ['members', 20, ['viewer in use'], null],
    ['members', 20, ['editor suspended'], /members/],
    ['members', 20, ['editor suspended', 'viewer in use'], null],
    ['members', 20, ['owner suspended', 'owner in use'], /suspended/],
    ['members', 0, ['owner in use'], /operator/],
    ['operator', 20, ['owner in use'], /operator/],
  ] as [GrowthConfig['WORKSPACE_CREATION'], number, string[], RegExp | null][])(
    'with %s and %i a day: a user who is %j',
    (creation, perDay, places, refusal) => {
      const config = { WORKSPACE_CREATION: creation, WORKSPACES_PER_USER_AND_DAY: perDay, INVITE_NEW_PEOPLE: true };
      const memberships = places.map((place, index) => ({ workspace: `w${index}`, role: place.split(' ')[0] }));
      const workspaces = places.map((place, index) => ({
        _id: `w${index}`,
        ...(place.endsWith('suspended') && { suspension: {} }),
      }));
      const found = findCreationRefusal(config, {
        memberships: memberships as Membership[],
        workspaces: workspaces as Workspace[],
      });
      if (refusal) expect(found).toMatch(refusal);
      else expect(found).toBeNull();
    },
  );
});

describe('an invitation where new people are not invited', () => {
  test('makes no account, and says so before, while a person with an account accepts it', async () => {
    const [owner, known] = [await newPerson(), await newPerson()];
    const token = await inviteLink(owner, await workspaceOf(owner));
    expect(await lookUp(token, CLOSED)).toMatchObject({ allows_new_account: false });
    expect(await lookUp(token, DEFAULT)).toMatchObject({ allows_new_account: true });
    const refused = await accept(token, CLOSED);
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('have an account')]);
    const { browser } = known;
    expect(
      (await system.call('POST', '/invitations/accept', { browser, replica: CLOSED, body: { token } })).status,
    ).toBe(200);
  });
});

test('user list shows who invited an account, and which accounts belong to no workspace', async () => {
  const [owner, lonely] = [await newPerson(), await newPerson()];
  const slug = await workspaceOf(owner);
  const account = newAccount();
  expect((await accept(await inviteLink(owner, slug), DEFAULT, account)).status).toBe(200);
  const rowOf = async (email: string) => (await admin('user list', { startsWith: email, page: 1, limit: 2 })).data[0];
  expect(await rowOf(account.email)).toMatchObject({ invited_by: owner.email, workspaces: 1 });
  expect(await rowOf(owner.email)).toMatchObject({ invited_by: null, workspaces: 1 });
  expect(await rowOf(lonely.email)).toMatchObject({ invited_by: null, workspaces: 0 });
});

describe('an account that an inviter made for a foreign address', () => {
  const CONFIRMED = { email_confirmed: { from: false, to: true } };
  const genuine = async (account: Credentials, fields = {}): Promise<number> => {
    const owner = await newPerson();
    const { browser } = owner;
    const body = { role: 'viewer', email: account.email, ...fields };
    const slug = await workspaceOf(owner);
    const { body: issued } = await system.call('POST', `/workspaces/${slug}/invitations`, { browser, body });
    const token = new URL(issued.meta.invite_url as string).hash.slice(1);
    return (await accept(token, DEFAULT, { name: 'Real', email: account.email, password: 'chosen by its owner' }))
      .status;
  };

  test('leaves its maker nothing once the operator confirms the address, and the command says so', async () => {
    const account = await makeForeignAccount(system);
    const { email } = account;
    const command = COMMANDS['user confirm-email']!;
    const question = await command.confirm!({ email }, targets);
    expect(question).toContain(`by an invitation of ${account.inviter.email}`);
    expect(question).toContain('sessions (1), revokes its tokens (1), removes its second factor and its password');
    const ending = { ended_sessions: 1, revoked_tokens: 1, totp_disabled: true, password_removed: true };
    const facts = { created_at: expect.any(String) as string, invited_by: account.inviter.email };
    expect(await admin('user confirm-email', { email, dryRun: true })).toMatchObject({
      ...facts,
      ...ending,
      email_confirmed: false,
    });
    await expectUntouched(system, account);

    expect(await admin('user confirm-email', { email, dryRun: false })).toMatchObject({
      ...facts,
      ...ending,
      email_confirmed: true,
    });

    await expectReclaimed(system, account, CONFIRMED);
    expect(await command.needsConfirmation!(targets, { email })).toBe(false);
    expect(await admin('user confirm-email', { email, dryRun: false })).toMatchObject({
      email_confirmed: true,
      ended_sessions: 0,
      password_removed: false,
    });
  });

  test('is not taken over by a link that its inviter has too, while it is in a workspace or was in another', async () => {
    const account = await makeForeignAccount(system);
    expect(await genuine(account)).toBe(422);
    const other = await workspaceOf(await newPerson());
    await admin('member set', { workspace: other, email: account.email, role: 'viewer' });
    for (const workspace of [other, account.slug]) await admin('member remove', { workspace, email: account.email });
    expect(await genuine(account)).toBe(422);
    expect(await system.isSignedIn(account.browser)).toBe(true);
  });

  test('is taken over by an invitation to its address, and no other, after it has left its first workspace', async () => {
    const account = await makeForeignAccount(system);
    await admin('workspace erase', { slug: account.slug, wait: 0 });
    expect(await genuine(account, { email: null })).toBe(422);
    expect(await genuine(account)).toBe(200);
    expect(await system.isSignedIn(account.browser)).toBe(false);
    expect((await system.trySignIn({ email: account.email, password: account.password })).status).toBe(401);
    const { status } = await system.trySignIn({ email: account.email, password: 'chosen by its owner' });
    expect(status).toBe(200);
    // Once: the next inviter does not get it.
    expect(await genuine(account)).toBe(422);
  });

  test('keeps its second factor and tokens when a link that was not mailed resets the password', async () => {
    const account = await makeForeignAccount(system);
    const { reset_url: url } = await admin('user reset-password', { email: account.email });
    const body = { token: new URL(url as string).hash.slice(1), new_password: 'chosen by its owner' };
    const reset = await system.call('POST', '/password-reset', { body });
    expect(reset.body).toEqual({
      data: { ended_sessions: 1, revoked_tokens: 0, totp_disabled: false, email_confirmed: false },
      meta: { live_tokens: 1 },
    });
    const signIn = await system.trySignIn({ email: account.email, password: body.new_password });
    expect(signIn.body.error.details).toEqual({ totp_required: true });
  });
});
