import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { MailServer, textOf, type ReceivedMail } from '@waymark/testing/mail-server';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, newAddress, type Browser, type Credentials } from './account-system.js';
import { expectReclaimed, expectUntouched, makeForeignAccount } from './foreign-account.js';

type Person = Credentials & { id: string; browser: Browser };

let mailServer: MailServer;
let system: AccountSystem;
let owner: Person;
let slug: string;
let count = 0;

beforeAll(async () => {
  mailServer = await MailServer.start();
  system = await AccountSystem.start({ SMTP_URL: mailServer.url }, 1, { mailedInvitations: 2 });
});
afterAll(async () => {
  await system.stop();
  await mailServer.stop();
});
beforeEach(async () => {
  mailServer.verdict = 'accept';
  owner = await newPerson();
  slug = `w${(count += 1)}`;
  await system.onStore(async (ctx) => {
    const user = (await ctx.users.findUser(owner.id))!;
    await createWorkspace(ctx, { workspace: null }, { slug, name: 'Acme', owner: user, plan: null });
  });
});

async function newPerson(): Promise<Person> {
  const user = await system.newUser();
  return { ...user, browser: await system.signIn(user, { headers: newAddress() }) };
}
const invite = (email: string | null, { browser }: Person = owner) =>
  system.call('POST', `/workspaces/${slug}/invitations`, { browser, body: { email, role: 'viewer' } });
const withdraw = (id: string) =>
  system.call('DELETE', `/workspaces/${slug}/invitations/${id}`, { browser: owner.browser });
const newEmail = () => `invited-${(count += 1)}@example.com`;
const mailTo = (email: string) => waitFor('the mail', () => mailServer.to(email)[0]);
const noneIsPending = () =>
  waitFor('an empty queue', async () => (await system.database.collection('mails').countDocuments()) === 0);
const tokenIn = (mail: ReceivedMail) =>
  /https:\/\/go\.example\.com\/console\/invitations#([\w-]{43})/.exec(textOf(mail))![1]!;
const headersOf = ({ raw }: ReceivedMail) => raw.split('\r\n\r\n', 1)[0]!;

/** Invites while the server defers mails, so that `change` comes before the attempt that the server accepts. */
async function inviteThen(change: (id: string) => Promise<unknown>, by: Person): Promise<string> {
  const email = newEmail();
  mailServer.verdict = { code: 451 };
  const { body } = await invite(email, by);
  // A worker that sends it holds it for two minutes.
  const isPostponed = { attempts: { $gt: 0 }, dueAt: { $lt: new Date(Date.now() + 60_000) } };
  const mails = system.database.collection('mails');
  await waitFor('a failed attempt', async () => (await mails.findOne(isPostponed)) !== null);
  await change(body.data.id as string);
  mailServer.verdict = 'accept';
  await noneIsPending();
  return email;
}

test('an invitation to an address is mailed with a link that accepts it, and that alone shows the address', async () => {
  const email = newEmail();

  const { status, body } = await invite(email);

  expect([status, body.meta.mailed]).toEqual([201, true]);
  const mail = await mailTo(email);
  expect(mail).toMatchObject({ from: 'no-reply@go.example.com', to: [email] });
  expect(mail.raw).toMatch(/^Subject: You are invited to a Waymark workspace\r$/m);
  expect(textOf(mail)).toContain('to the workspace "Acme"');
  const shown = (body.meta.invite_url as string).split('#').at(-1)!;
  const emailAt = async (token: string) => {
    const answers = [
      await system.call('GET', `/invitations/${token}`),
      await system.call('POST', '/invitations/look-up', { body: { token } }),
    ];
    return answers.map((answer) => answer.body.data.email as string | null);
  };
  expect(await emailAt(tokenIn(mail))).toEqual([email, email]);
  expect(await emailAt(shown)).toEqual([null, null]);
  const account = { name: 'Grace', email, password: 'a password of her own' };
  const accept = (token: string) => system.call('POST', `/invitations/${token}/accept`, { body: account });
  expect((await accept(tokenIn(mail))).status).toBe(200);
  expect((await accept(shown)).status).toBe(404);
});

test('a mailed invitation takes over an account that another inviter made for its address, unlike the link that was shown', async () => {
  const foreign = await makeForeignAccount(system);
  const { body } = await invite(foreign.email);
  const account = { name: 'Grace', email: foreign.email, password: 'a password of her own' };
  const accept = (token: string) => system.call('POST', '/invitations/accept', { body: { token, ...account } });
  expect((await accept(new URL(body.meta.invite_url as string).hash.slice(1))).status).toBe(422);
  await expectUntouched(system, foreign);

  expect((await accept(tokenIn(await mailTo(foreign.email)))).status).toBe(200);

  await expectReclaimed(system, foreign, {});
  const { email, password } = account;
  expect((await system.trySignIn({ email, password })).status).toBe(200);
});

test('a mailed invitation takes over no account that was in another workspace', async () => {
  const foreign = await makeForeignAccount(system);
  await system.onStore(async (ctx) => {
    const user = (await ctx.users.findUser(foreign.id))!;
    const workspace = `w${(count += 1)}`;
    await createWorkspace(ctx, { workspace: null }, { slug: workspace, name: 'Other', owner: user, plan: null });
  });
  await invite(foreign.email);
  const body = { name: 'Grace', email: foreign.email, password: 'a password of her own' };
  const token = tokenIn(await mailTo(foreign.email));
  expect((await system.call('POST', '/invitations/accept', { body: { token, ...body } })).status).toBe(422);
  await expectUntouched(system, foreign);
});

test('an invitation for everyone with the link is not mailed', async () => {
  expect((await invite(null)).body.meta.mailed).toBe(false);
  expect(await system.database.collection('mails').countDocuments()).toBe(0);
});

test('an invitation to an existing account is mailed as one to any other address', async () => {
  const [guest, unknown] = [await newPerson(), newEmail()];

  const answers = [await invite(guest.email), await invite(unknown)];

  expect(answers.map(({ status, body }) => [status, body.meta.mailed])).toEqual(Array(2).fill([201, true]));
  const [known, other] = [await mailTo(guest.email), await mailTo(unknown)];
  const neutral = (mail: ReceivedMail, email: string) => textOf(mail).replace(tokenIn(mail), '').replace(email, '');
  expect(neutral(known, guest.email).replace(/until .*/, '')).toBe(neutral(other, unknown).replace(/until .*/, ''));
});

test.each<[string, (id: string, admin: Person) => Promise<unknown>]>([
  ['was withdrawn', (id) => withdraw(id)],
  ['is of an inviter who was demoted', (_id, admin) => putInto(admin, 'viewer')],
])('an invitation that %s before its mail is sent is not mailed', async (_what, change) => {
  const admin = await newPerson();
  await putInto(admin, 'admin');

  const email = await inviteThen((id) => change(id, admin), admin);

  expect(mailServer.to(email)).toEqual([]);
});

const putInto = (person: Person, role: 'admin' | 'viewer') =>
  system.onStore(async (ctx) => {
    const user = (await ctx.users.findUser(person.id))!;
    await setMember(ctx, { workspace: slug }, { workspace: slug, user, role, changedBy: 'operator', mode: 'set' });
  });

test('one address gets a few mails a day, however often it is invited', async () => {
  const email = newEmail();

  for (let round = 0; round < 4; round += 1) {
    const { body } = await invite(round % 2 ? email.toUpperCase() : email);
    expect(body.meta.mailed).toBe(true);
    await noneIsPending();
    await withdraw(body.data.id as string);
  }

  expect(mailServer.received.filter(({ to }) => to[0]!.toLowerCase() === email)).toHaveLength(2);
});

describe('a hostile name', () => {
  const LINE_BREAKS = 'Acme\r\nBcc: victim@example.org\r\n\r\n.\r\nMAIL FROM:<x@example.org>\u2028\u0085';
  const ADDRESSES = '"Acme" <victim@example.org>, victim@example.org; Bcc: victim@example.org';

  test.each([LINE_BREAKS, ADDRESSES])('%j adds neither a header nor a recipient nor a line', async (name) => {
    // The API refuses line breaks in names; rows of an earlier version may have them.
    await setNames(name, name);
    const [hostile, plain] = [newEmail(), newEmail()];
    const before = mailServer.received.length;

    await invite(hostile);

    const mail = await mailTo(hostile);
    await setNames('Acme', 'Ada');
    await invite(plain);
    const expected = await mailTo(plain);
    expect(mailServer.received).toHaveLength(before + 2);
    expect(mail.to).toEqual([hostile]);
    const headerNames = (one: ReceivedMail) => headersOf(one).match(/^[\w-]+(?=:)/gm);
    expect(headerNames(mail)).toEqual(headerNames(expected));
    expect(headersOf(mail)).not.toContain('victim');
    expect(textOf(mail).split('\n')).toHaveLength(textOf(expected).split('\n').length);
  });

  async function setNames(workspace: string, user: string): Promise<void> {
    const [workspaces, users] = ['workspaces', 'users'].map((name) =>
      system.database.collection<{ _id: string }>(name),
    );
    await workspaces!.updateOne({ _id: slug }, { $set: { name: workspace } });
    await users!.updateOne({ _id: owner.id }, { $set: { name: user } });
  }

  test.each([
    'a@example.com, victim@example.org',
    'a@example.com\r\nBcc: victim@example.org',
    '"a" <victim@example.org>',
    'a@example.com>\r\nRCPT TO:<victim@example.org',
  ])('the address %j is a 422', async (email) => {
    const { status, body } = await invite(email);
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['email']]);
  });
});
