import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { resumeWorkspace, suspendWorkspace } from '@waymark/auth/workspaces/suspend-workspace';
import { disableUser } from '@waymark/auth/admin/disable-user';
import type { Role } from '@waymark/contract/roles';
import { AccountSystem, newAddress, type Browser, type Credentials } from './account-system.js';
import { usualSteps } from './steps.js';

type Person = Credentials & { id: string; browser: Browser };

let system: AccountSystem;
let count = 0;
let slug: string;
let owner: Person;

beforeAll(async () => {
  system = await AccountSystem.start({ MAX_INVITATIONS_PER_WORKSPACE: '4' }, 2, {
    sentInvitations: 12,
    takenEmails: 2,
  });
});
afterAll(() => system.stop());

async function newPerson(): Promise<Person> {
  const user = await system.newUser();
  return { ...user, browser: await system.signIn(user, { headers: newAddress() }) };
}
const putInto = (person: Person, role: Role, workspace = slug) =>
  system.onStore(async (ctx) => {
    const user = (await ctx.users.findUser(person.id))!;
    await setMember(ctx, { workspace }, { workspace, user, role, changedBy: 'operator', mode: 'set' });
  });

beforeEach(async () => {
  slug = `w${(count += 1)}`;
  owner = await newPerson();
  await system.onStore(async (ctx) => {
    const user = (await ctx.users.findUser(owner.id))!;
    await createWorkspace(ctx, { workspace: null }, { slug, name: 'Acme', owner: user, plan: null });
  });
});

const call = (person: Person | null, method: string, path: string, body?: object) =>
  system.call(method, path, { ...(person && { browser: person.browser }), body, headers: newAddress() });
const invite = (by: Person, body: object, path = 'invitations') =>
  call(by, 'POST', `/workspaces/${slug}/${path}`, body);
const tokenIn = (url: string) => url.split('#').at(-1)!;
async function invited(body: object, by = owner): Promise<{ id: string; token: string }> {
  const answer = await invite(by, body);
  expect(answer.status).toBe(201);
  return { id: answer.body.data.id, token: tokenIn(answer.body.meta.invite_url) };
}
const accept = (person: Person | null, token: string, body?: object) =>
  call(person, 'POST', `/invitations/${token}/accept`, body);
const signInAs = ({ email, password }: Credentials) => system.signIn({ email, password }, { headers: newAddress() });
const rolesOf = async () => {
  const { body } = await call(owner, 'GET', `/workspaces/${slug}/members`);
  return Object.fromEntries(body.data.map(({ user, role }: any) => [user.email, role]));
};
const events = async (type: string) =>
  (await system.database.collection('outbox').find({ type }).toArray())
    .map((row) => JSON.parse(row['body'] as string))
    .filter(({ workspace }) => workspace === slug);
const newAccount = () => ({
  name: 'Grace',
  email: `new-${(count += 1)}@example.com`,
  password: 'a password of her own',
});

test('the list of invitations is complete by default, or has pages', async () => {
  for (const role of ['viewer', 'editor', 'viewer']) await invited({ role });
  const list = async (query: string) => (await call(owner, 'GET', `/workspaces/${slug}/invitations${query}`)).body;
  const whole = await list('');
  expect([Object.keys(whole), whole.data.length]).toEqual([['data'], 3]);
  const first = await list('?per_page=2');
  expect(first.data).toEqual(whole.data.slice(0, 2));
  expect(first.meta).toMatchObject({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
  expect((await list('?page=2&per_page=2')).data).toEqual(whole.data.slice(2));
  expect((await list('?page=1')).meta).toMatchObject({ per_page: 15, total: 3 });
  for (const query of ['page=0', 'per_page=101', 'page=x']) {
    expect((await call(owner, 'GET', `/workspaces/${slug}/invitations?${query}`)).status).toBe(422);
  }
});

describe('an invitation', () => {
  test('is listed, and its link is shown once and stored hashed', async () => {
    const answer = await invite(owner, { role: 'editor', email: 'Grace@example.com' });
    const { data, meta } = answer.body;
    expect(meta.mailed).toBe(false);

    expect(data).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: 'Grace@example.com',
      role: 'editor',
      invited_by: { id: owner.id, name: expect.any(String) },
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBeGreaterThan(6.9 * 24 * 3600_000);
    expect(meta.invite_url).toMatch(/^https:\/\/go\.example\.com\/console\/invitations#[\w-]{43}$/);
    expect((await call(owner, 'GET', `/workspaces/${slug}/invitations`)).body).toEqual({ data: [data] });
    const stored = await Promise.all(
      (await system.database.listCollections()).map(({ name }) => system.database.collection(name).find().toArray()),
    );
    expect(JSON.stringify(stored)).not.toContain(tokenIn(meta.invite_url));
    const [created] = await events('invitation.created');
    expect([created.audit.target, created.audit.changes.role]).toEqual([
      { type: 'invitation', id: data.id, label: 'Grace@example.com' },
      { from: null, to: 'editor' },
    ]);
  });

  test('shows the holder of its link where it leads, but not for which address', async () => {
    const { token } = await invited({ role: 'viewer', email: 'grace@example.com' });

    const { status, body } = await call(null, 'GET', `/invitations/${token}`);

    expect([status, body.data]).toEqual([
      200,
      {
        workspace: { name: 'Acme' },
        role: 'viewer',
        invited_by: { name: expect.any(String) },
        is_for_one_email: true,
        email: null,
        allows_new_account: true,
        expires_at: expect.any(String),
      },
    ]);
  });

  test.each(['x', 'x'.repeat(43), '$ne'])('is a 404 for the unknown token %s', async (token) => {
    expect((await call(null, 'GET', `/invitations/${token}`)).status).toBe(404);
    expect((await accept(owner, token)).status).toBe(404);
    expect((await accept(null, token, newAccount())).status).toBe(404);
  });

  test('to the owner role comes from an owner alone', async () => {
    const admin = await newPerson();
    await putInto(admin, 'admin');

    expect((await invite(admin, { role: 'owner' })).status).toBe(403);
    expect((await invite(owner, { role: 'owner' })).status).toBe(201);
  });

  test.each([
    ['email', { role: 'viewer', email: 'no address' }],
    ['role', { role: 'king' }],
    ['role', {}],
  ])('is a 422 that names the %s of %j', async (field, body) => {
    const answer = await invite(owner, body);
    expect([answer.status, Object.keys(answer.body.error.details)]).toEqual([422, [field]]);
  });

  const LOCAL_PART = 'x'.repeat(64);
  const addressOf = (length: number) => `${LOCAL_PART}@${'.example'.padStart(length - 65, 'a.'.padStart(60, 'b'))}`;
  test.each(['invitations', 'members'])(
    'for an e-mail address has at most 254 characters of it: POST %s',
    async (path) => {
      const answer = await invite(owner, { role: 'viewer', email: addressOf(255) }, path);
      expect([answer.status, answer.body.error?.details]).toEqual([
        422,
        { email: ['The email must be at most 254 characters.'] },
      ]);
      expect((await invite(owner, { role: 'viewer', email: addressOf(254) }, path)).status).toBe(201);
    },
  );

  test('for an address with spaces around it and a domain beyond ASCII is for the address in ASCII', async () => {
    const answer = await invite(owner, { role: 'viewer', email: ' New@münchen-field.example\n' });
    expect([answer.status, answer.body.data?.email]).toEqual([201, 'New@xn--mnchen-field-dlb.example']);
    const [name, password] = ['New', 'a fine long password'];
    const accepted = await accept(null, tokenIn(answer.body.meta.invite_url), {
      ...{ name, password, email: 'new@MÜNCHEN-field.example' },
    });
    expect(accepted.status).toBe(200);
    await signInAs({ email: 'new@münchen-field.example', password });
  });

  test('stops working when it is withdrawn or has expired', async () => {
    const [withdrawn, expired] = [await invited({ role: 'viewer' }), await invited({ role: 'viewer' })];
    const rows = system.database.collection<{ _id: string }>('invitations');

    expect((await call(owner, 'DELETE', `/workspaces/${slug}/invitations/${withdrawn.id}`)).status).toBe(204);
    await rows.updateOne({ _id: expired.id }, { $set: { expiresAt: new Date(Date.now() - 1000) } });

    const guest = await newPerson();
    for (const { token } of [withdrawn, expired]) expect((await accept(guest, token)).status).toBe(404);
    expect((await call(owner, 'DELETE', `/workspaces/${slug}/invitations/${withdrawn.id}`)).status).toBe(404);
    expect((await call(owner, 'GET', `/workspaces/${slug}/invitations`)).body.data).toEqual([]);
    expect(await events('invitation.deleted')).toHaveLength(1);
  });

  test('is limited in number for each workspace and for each user', async () => {
    const invitations = await Promise.all(Array.from({ length: 8 }, () => invite(owner, { role: 'viewer' })));

    expect(invitations.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = invitations.find(({ status }) => status !== 201)!;
    expect([refused.status, refused.body.error.details]).toMatchObject([422, { resource: 'invitations', limit: 4 }]);
    const further = await Promise.all(Array.from({ length: 6 }, () => invite(owner, { role: 'viewer' })));
    expect(further.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

describe('accepting an invitation', () => {
  test('makes a signed-in user a member', async () => {
    const { token } = await invited({ role: 'editor' });
    const guest = await newPerson();

    const { status, body } = await accept(guest, token);

    expect([status, body.data]).toMatchObject([
      200,
      { workspace: { slug, name: 'Acme' }, role: 'editor', user: { id: guest.id } },
    ]);
    expect(await rolesOf()).toMatchObject({ [guest.email]: 'editor' });
    const [added] = (await events('member.added')).filter(({ data }) => data.user_id === guest.id);
    expect([added.actor.id, added.audit.changes.invited_by]).toEqual([guest.id, { from: null, to: owner.id }]);
    expect(await events('invitation.accepted')).toHaveLength(1);
  });

  test('works once, also for 100 simultaneous users over two replicas', async () => {
    const { token } = await invited({ role: 'viewer' });
    const guests = await Promise.all(Array.from({ length: 4 }, newPerson));

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        system.call('POST', `/invitations/${token}/accept`, {
          browser: guests[index % 4]!.browser,
          headers: newAddress(),
          replica: index % 2,
        }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // A busy auth may refuse some with 503.
    expect(answers.filter(({ status }) => ![200, 404, 503].includes(status))).toEqual([]);
    expect(Object.keys(await rolesOf())).toHaveLength(2);
  });

  test('creates an account for a new user, who can sign in then', async () => {
    const { token } = await invited({ role: 'viewer' });
    const account = newAccount();

    expect((await accept(null, token, account)).status).toBe(200);

    const browser = await signInAs(account);
    const { body } = await system.call('GET', '/user', { browser });
    expect(body.data).toMatchObject({ name: 'Grace', email: account.email, workspaces: [{ slug, role: 'viewer' }] });
    expect((await accept(null, token, newAccount())).status).toBe(404);
  });

  test('needs a session or every field of an account, and not both', async () => {
    const { token } = await invited({ role: 'viewer' });
    const guest = await newPerson();
    const { name, email, password } = newAccount();

    expect((await accept(null, token)).status).toBe(401);
    const partial = await accept(null, token, { name });
    expect([partial.status, Object.keys(partial.body.error.details)]).toEqual([422, ['email', 'password']]);
    const common = await accept(null, token, { name, email, password: '1qaz2wsx3edc' });
    expect(common.body.error.details).toEqual({ password: ['The password is too common.'] });
    const own = { name, email: 'grace.hopper.9@example.com', password: 'Grace.Hopper.9' };
    expect((await accept(null, token, own)).body.error.details).toEqual({
      password: ['The password must not be the e-mail address or its first part.'],
    });
    const long = await accept(null, token, { name, email: email.padStart(255, 'x'), password });
    expect(long.body.error.details).toEqual({ email: ['The email must be at most 254 characters.'] });
    expect((await accept(guest, token, { name, email, password })).status).toBe(422);
    expect(await rolesOf()).toEqual({ [owner.email]: 'owner' });
  });

  test('needs the CSRF token of a session', async () => {
    const { token } = await invited({ role: 'viewer' });
    const { browser } = await newPerson();
    expect(
      (await system.call('POST', `/invitations/${token}/accept`, { browser: { ...browser, csrf: '' } })).status,
    ).toBe(403);
  });

  test('is refused for a page of another site, with and without a session', async () => {
    const { token } = await invited({ role: 'viewer' });
    const { browser } = await newPerson();
    const foreign = { ...newAddress(), 'sec-fetch-site': 'cross-site' };
    const path = `/invitations/${token}/accept`;

    const answers = [
      await system.call('POST', path, { headers: foreign, body: newAccount() }),
      await system.call('POST', path, { headers: foreign, browser }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(await rolesOf()).toEqual({ [owner.email]: 'owner' });
  });

  test('starts no session, and makes none of a cookie that another site has planted', async () => {
    const { token } = await invited({ role: 'viewer' });
    const browser = { cookie: '__Host-waymark_session=planted-by-an-attacker', csrf: 'x' };
    const ask = { browser, headers: newAddress() };

    const { status, headers } = await system.call('POST', `/invitations/${token}/accept`, {
      ...ask,
      body: newAccount(),
    });

    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    expect((await system.call('GET', '/user', ask)).status).toBe(401);
  });

  test('is refused as a role that the inviter loses at the same moment, or comes before that', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [admin, guest] = [await newPerson(), await newPerson()];
      await putInto(admin, 'admin');
      const { id, token } = await invited({ role: 'viewer' }, admin);

      const [accepted] = await Promise.all([accept(guest, token), putInto(admin, 'viewer')]);

      const demoted = (await events('member.role_changed')).find(({ data }) => data.user_id === admin.id);
      const added = (await events('member.added')).find(({ data }) => data.user_id === guest.id);
      expect([200, 409]).toContain(accepted.status);
      expect(added === undefined).toBe(accepted.status === 409);
      if (added) expect(added.id < demoted.id).toBe(true);
      // A refused invitation stays open, and a workspace may have four.
      await call(owner, 'DELETE', `/workspaces/${slug}/invitations/${id}`);
    }
  });

  test('is for the bound address alone, in any case', async () => {
    const [guest, other] = [await newPerson(), await newPerson()];
    const { token } = await invited({ role: 'viewer', email: guest.email.toUpperCase() });

    expect((await accept(other, token)).status).toBe(403);
    expect((await accept(null, token, newAccount())).body.error.details).toHaveProperty('email');
    expect((await accept(guest, token)).status).toBe(200);
  });

  test('tells a few times only that an address has an account', async () => {
    const { token } = await invited({ role: 'viewer' });
    const taken = { ...newAccount(), email: owner.email };

    const refused = await accept(null, token, taken);
    expect([refused.status, refused.body.error.details]).toEqual([
      422,
      { email: ['This e-mail address cannot be used for a new account. If it is yours, sign in first.'] },
    ]);
    expect((await accept(null, token, taken)).status).toBe(422);
    expect((await accept(null, token, taken)).status).toBe(429);
    expect((await accept(null, token, newAccount())).status).toBe(429);
  });

  test.each<[string, (admin: Person) => Promise<unknown>]>([
    ['was demoted', (admin) => putInto(admin, 'editor')],
    ['left', (admin) => call(admin, 'DELETE', `/workspaces/${slug}/members/me`)],
    [
      'was disabled',
      (admin) =>
        system.onStore(async (ctx) => disableUser(ctx, { workspace: null }, (await ctx.users.findUser(admin.id))!)),
    ],
  ])('is refused when the inviter %s', async (_what, change) => {
    const [admin, guest] = [await newPerson(), await newPerson()];
    await putInto(admin, 'admin');
    const { token } = await invited({ role: 'viewer' }, admin);

    await change(admin);

    const { status, body } = await accept(guest, token);
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('can no longer grant this role')]);
    expect(await rolesOf()).not.toHaveProperty([guest.email]);
  });

  test('as owner is refused when the inviter is an owner no more', async () => {
    const [second, guest] = [await newPerson(), await newPerson()];
    await putInto(second, 'owner');
    const { token } = await invited({ role: 'owner' }, second);
    await putInto(second, 'admin');

    expect((await accept(guest, token)).status).toBe(409);
  });

  test('is refused while the workspace is suspended, and works when it is resumed', async () => {
    const [guest, listed] = [await newPerson(), await newPerson()];
    const { token } = await invited({ role: 'viewer' });
    const { id } = await invited({ role: 'viewer', email: listed.email });
    await system.onStore((ctx) =>
      suspendWorkspace(ctx, { workspace: null }, { slug, reason: 'Unpaid.', links: 'keep' }),
    );
    const answers = [
      await accept(guest, token),
      await accept(null, token, newAccount()),
      await call(listed, 'POST', `/user/invitations/${id}/accept`),
    ];

    const message = 'The workspace is suspended. Accept the invitation when it is resumed.';
    expect(answers.map(({ status, body }) => [status, body.error.message])).toEqual(Array(3).fill([403, message]));
    await system.onStore((ctx) => resumeWorkspace(ctx, { workspace: null }, slug));
    expect(await rolesOf()).toEqual({ [owner.email]: 'owner' });
    expect((await accept(guest, token)).status).toBe(200);
  });

  test('changes nothing for a member, and leaves the link to others', async () => {
    const { token } = await invited({ role: 'viewer' });
    const guest = await newPerson();

    expect((await accept(owner, token)).status).toBe(409);
    expect((await rolesOf())[owner.email]).toBe('owner');
    expect((await accept(guest, token)).status).toBe(200);
  });
});

describe.each(['invitations', 'members'])('POST …/%s with an address', (path) => {
  const listed = async (person: Person) => (await call(person, 'GET', '/user')).body.data.invitations;

  test('answers alike with and without an account, and makes no one a member', async () => {
    const guest = await newPerson();
    const answers = [
      await invite(owner, { email: guest.email, role: 'viewer' }, path),
      await invite(owner, { email: 'nobody@example.com', role: 'viewer' }, path),
    ];

    const [known, unknown] = answers.map(({ status, body }) => [
      status,
      Object.keys(body.data),
      Object.keys(body.meta),
    ]);
    expect(known).toEqual(unknown);
    expect(known![0]).toBe(201);
    expect(await rolesOf()).toEqual({ [owner.email]: 'owner' });
    expect((await call(guest, 'GET', `/workspaces/${slug}/members`)).status).toBe(403);
  });

  test('lets the user accept what GET /user lists', async () => {
    const [guest, stranger] = [await newPerson(), await newPerson()];
    await invite(owner, { email: guest.email, role: 'analyst' }, path);
    const [own] = await listed(guest);
    expect(own).toMatchObject({ workspace: { slug, name: 'Acme' }, role: 'analyst' });
    expect(await listed(stranger)).toEqual([]);

    expect((await call(stranger, 'POST', `/user/invitations/${own.id}/accept`)).status).toBe(404);
    expect((await call(guest, 'POST', `/user/invitations/${own.id}/accept`)).status).toBe(200);

    expect(await rolesOf()).toMatchObject({ [guest.email]: 'analyst' });
    expect(await listed(guest)).toEqual([]);
    expect((await call(guest, 'POST', `/user/invitations/${own.id}/accept`)).status).toBe(404);
    const again = await invite(owner, { email: guest.email, role: 'viewer' }, path);
    expect(again.body.error.details).toEqual({ email: ['The user is already a member.'] });
  });

  test('lets the user decline, which ends the link too', async () => {
    const guest = await newPerson();
    const answer = await invite(owner, { email: guest.email, role: 'viewer' }, path);
    const twice = await invite(owner, { email: guest.email, role: 'viewer' }, path);
    expect([twice.status, Object.keys(twice.body.error.details)]).toEqual([422, ['email']]);
    const [own] = await listed(guest);

    expect((await call(guest, 'POST', `/user/invitations/${own.id}/decline`)).status).toBe(204);

    expect(await listed(guest)).toEqual([]);
    expect((await accept(guest, tokenIn(answer.body.meta.invite_url))).status).toBe(404);
    expect((await events('invitation.declined'))[0].actor.id).toBe(guest.id);
  });

  test('offers nothing to an account whose address an invitation link made up', async () => {
    const account = newAccount();
    const { token } = await invited({ role: 'viewer' });
    await accept(null, token, account);
    const browser = await signInAs(account);
    const other = await newPerson();
    const elsewhere = `${slug}-2`;
    await system.onStore(async (ctx) => {
      const user = (await ctx.users.findUser(other.id))!;
      await createWorkspace(ctx, { workspace: null }, { slug: elsewhere, name: 'Other', owner: user, plan: null });
    });

    const answer = await call(other, 'POST', `/workspaces/${elsewhere}/${path}`, {
      email: account.email,
      role: 'owner',
    });

    expect((await system.call('GET', '/user', { browser })).body.data.invitations).toEqual([]);
    const direct = `/user/invitations/${answer.body.data.id}/accept`;
    expect((await system.call('POST', direct, { browser, headers: newAddress() })).status).toBe(404);
  });
});

test('an invitation takes the same steps for a known address as for an unknown one', async () => {
  const replica = await system.startReplica({ MAX_INVITATIONS_PER_WORKSPACE: '1000' }, { sentInvitations: 1000 });
  const steps = (emailOf: () => Promise<string>) =>
    usualSteps(async (headers) => {
      const ask = { browser: owner.browser, body: { email: await emailOf(), role: 'viewer' }, replica, headers };
      expect((await system.call('POST', `/workspaces/${slug}/invitations`, ask)).status).toBe(201);
    });

  const known = await steps(async () => (await system.newUser()).email);
  const unknown = await steps(() => Promise.resolve(newAccount().email));

  expect(known).toContain('invitations.insertMany');
  expect(known).toEqual(unknown);
});

test('the workspaces that the user has joined are notified of a sign-in, and no others', async () => {
  const guest = await newPerson();
  const { token } = await invited({ role: 'viewer', email: guest.email });
  await signInAs(guest);
  await accept(guest, token);
  await signInAs(guest);

  const notified = (await system.eventsOf('session.created', guest.id)).map(({ data }) => data.workspaces);
  expect(notified.slice(-2)).toEqual([[], [slug]]);
});
