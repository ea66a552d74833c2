import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { freePorts } from '@waymark/stack/ports';
import { MailServer, textOf, type ReceivedMail } from '@waymark/testing/mail-server';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, newAddress, type Credentials } from './account-system.js';
import { expectReclaimed, makeForeignAccount } from './foreign-account.js';
import { usualSteps } from './steps.js';

const CHOSEN = 'a password that the user chose';
const UNLIMITED = { resetRequestsOfAddress: 100_000, resetRequestsOfAccount: 100_000 };
let mailServer: MailServer;
let system: AccountSystem;
let opsPort: number;

beforeAll(async () => {
  mailServer = await MailServer.start();
  [opsPort] = (await freePorts(1)) as [number];
  system = await AccountSystem.start({ SMTP_URL: mailServer.url, OPS_PORT: String(opsPort) }, 1, UNLIMITED);
});
afterAll(async () => {
  await system.stop();
  await mailServer.stop();
});
beforeEach(() => {
  mailServer.verdict = 'accept';
});

const request = (email: string, ask = {}) =>
  system.call('POST', '/password-reset-request', { headers: newAddress(), ...ask, body: { email } });
const mailTo = ({ email }: Credentials) => waitFor('the mail', () => mailServer.to(email)[0]);
const pendingMails = () => system.database.collection('mails').countDocuments();
const noneIsPending = () => waitFor('an empty queue', async () => (await pendingMails()) === 0);

/** As the metrics of auth show it. */
async function damagedCount(): Promise<string | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return /^waymark_damaged_rows\{collection="mails".*\} (\d+)$/m.exec(text)?.[1];
}

const tokenIn = (mail: ReceivedMail) =>
  /https:\/\/go\.example\.com\/console\/reset#([\w-]{43})/.exec(textOf(mail))![1]!;

test('the mail has a link that sets a new password', async () => {
  const user = await system.newUser();

  const { status, body } = await request(user.email.toUpperCase());

  expect([status, body]).toEqual([202, null]);
  const mail = await mailTo(user);
  expect(mail).toMatchObject({ from: 'no-reply@go.example.com', to: [user.email] });
  expect(mail.raw).toMatch(/^Subject: Reset your Waymark password\r$/m);
  expect(mail.raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m);
  expect(textOf(mail)).toContain('If you did not expect this mail, ignore it');
  const reset = { token: tokenIn(mail), new_password: CHOSEN };
  expect((await system.call('POST', '/password-reset', { body: reset })).status).toBe(200);
  expect((await system.trySignIn({ ...user, password: CHOSEN })).status).toBe(200);
  expect((await system.eventsOf('user.password_reset_requested', user.id))[0]).toMatchObject({
    ip_address: expect.stringMatching(/^198\.51\./) as string,
  });
});

test('an unknown address and a disabled user get the same answer, and no mail', async () => {
  const user = await system.newUser();
  await COMMANDS['user disable']!.run(adminTargets(system.env), { email: user.email });

  const answers = await Promise.all(
    [user.email, 'nobody@example.com', 'no address at all'].map((email) => request(email)),
  );

  expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([202, null]));
  await noneIsPending();
  expect(mailServer.received.filter(({ to }) => to[0] === user.email || to[0]!.startsWith('nobody'))).toEqual([]);
});

test('damaged mails do not stop the others, and those that cannot be taken are counted', async () => {
  const user = await system.newUser();
  const mails = system.database.collection<{ _id: string; attempts: unknown; dueAt: Date }>('mails');
  const row = { kind: 'password_reset', attempts: 0, dueAt: new Date(0), expiresAt: new Date(Date.now() + 3600_000) };
  const damages = [
    { attempts: 'none' },
    { subject: { not: 'text' } },
    { kind: 'invitation', subject: null },
    { dueAt: 'now' },
  ];
  const damaged = damages.map((damage, index) => ({ subject: 'nobody', ...row, ...damage, _id: `damaged-${index}` }));
  await mails.insertMany(damaged as never[]);

  await request(user.email);
  await mailTo(user);
  await waitFor('the other damaged ones, each sent, dropped or postponed', async () => {
    const left = await mails.find({ _id: { $in: ['damaged-1', 'damaged-2'] } }).toArray();
    // Less than the lease of a mail: the failure was handled.
    return left.every(({ dueAt }) => dueAt.getTime() > Date.now() && dueAt.getTime() < Date.now() + 60_000);
  });
  expect(await damagedCount()).toBe('2');

  await mails.deleteMany({ _id: { $in: damaged.map(({ _id }) => _id) } });
  expect(await damagedCount()).toBe('0');
});

test('known and unknown addresses take the same steps', async () => {
  const { email } = await system.newUser();
  const steps = (address: string) =>
    usualSteps(async (headers) => {
      expect((await request(address, { headers: { ...newAddress(), ...headers } })).status).toBe(202);
    });

  const [known, unknown] = [await steps(email), await steps('nobody-here@example.com')];

  expect(known).toContain('mails.insertMany');
  expect(known).toEqual(unknown);
});

test('a mail that the server defers is sent later, and one that it rejects is dropped', async () => {
  const [deferred, rejected] = [await system.newUser(), await system.newUser()];
  await noneIsPending();
  mailServer.verdict = { code: 451 };
  const before = mailServer.attempts;
  await request(deferred.email);
  await waitFor('an attempt', () => mailServer.attempts > before);
  mailServer.verdict = 'accept';
  await mailTo(deferred);

  mailServer.verdict = { code: 550 };
  await request(rejected.email);
  await noneIsPending();
  mailServer.verdict = 'accept';
  expect(mailServer.to(rejected.email)).toEqual([]);
});

test('a mail that has expired is not sent', async () => {
  const user = await system.newUser();
  await noneIsPending();
  mailServer.verdict = { code: 451 };
  await request(user.email);
  const mails = system.database.collection('mails');
  // A worker that sends it holds it for two minutes.
  const isPostponed = { attempts: { $gt: 0 }, dueAt: { $lt: new Date(Date.now() + 60_000) } };
  await waitFor('a failed attempt', async () => (await mails.findOne(isPostponed)) !== null);

  await mails.updateMany({}, { $set: { expiresAt: new Date(0) } });
  mailServer.verdict = 'accept';

  await noneIsPending();
  expect(mailServer.to(user.email)).toEqual([]);
});

test('the queue stores neither a token nor a link', async () => {
  const user = await system.newUser();
  await noneIsPending();
  mailServer.verdict = { code: 451 };
  await request(user.email);

  const row = await waitFor('the mail', () => system.database.collection('mails').findOne({ subject: user.email }));

  expect(row['subject']).toBe(user.email);
  expect(JSON.stringify(row)).not.toContain('console/reset');
  mailServer.verdict = 'accept';
  const token = tokenIn(await mailTo(user));
  const links = await system.database.collection('one_time_links').find({ subject: user.id }).toArray();
  expect(JSON.stringify(links)).not.toContain(token);
});

test("the operator's link is mailed as well", async () => {
  const user = await system.newUser();

  const printed = await COMMANDS['user reset-password']!.run(adminTargets(system.env), { email: user.email });

  expect(printed).toMatchObject({
    mailed: true,
    reset_url: expect.stringMatching(/\/console\/reset#[\w-]{43}$/) as string,
  });
  const mailed = { token: tokenIn(await mailTo(user)), new_password: CHOSEN };
  expect((await system.call('POST', '/password-reset', { body: mailed })).status).toBe(200);
  const printedToken = (printed as { reset_url: string }).reset_url.split('#').at(-1)!;
  const late = await system.call('POST', '/password-reset', { body: { token: printedToken, new_password: CHOSEN } });
  expect(late.status).toBe(422);
});

test('a mailed link proves the address of an account that an inviter made, and leaves its maker nothing', async () => {
  const account = await makeForeignAccount(system);
  await request(account.email);
  const body = { token: tokenIn(await mailTo(account)), new_password: CHOSEN };

  const reset = await system.call('POST', '/password-reset', { body });

  expect(reset.body).toEqual({
    data: { ended_sessions: 1, revoked_tokens: 1, totp_disabled: true, email_confirmed: true },
    meta: { live_tokens: 0 },
  });
  await expectReclaimed(system, account, { email_confirmed: { from: false, to: true } });
  expect((await system.trySignIn({ email: account.email, password: CHOSEN })).status).toBe(200);
});

test.each([
  ['account', { resetRequestsOfAccount: 3 }, () => 'ada@example.com', newAddress],
  ['address', { resetRequestsOfAddress: 3 }, (index: number) => `ada-${index}@example.com`, undefined],
])('requests are limited per %s, known or not', async (_what, maxima, emailOf, address) => {
  const replica = await system.startReplica({ OPS_PORT: '0' }, maxima);
  const headers = newAddress();
  const statuses: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const answer = await request(emailOf(index), { replica, headers: address?.() ?? headers });
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(statuses).toEqual([202, 202, 202, 429, 429]);
});

test('without an SMTP server the route is a 404', async () => {
  const replica = await system.startReplica({ SMTP_URL: '', OPS_PORT: '0' });
  expect((await request('ada@example.com', { replica })).status).toBe(404);
});

describe('an SMTP server that accepts connections and says nothing', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => silent.close(resolve));
  });

  test('delays no request', async () => {
    const { port } = silent.address() as AddressInfo;
    const own = await AccountSystem.start({ SMTP_URL: `smtp://127.0.0.1:${port}` }, 1, UNLIMITED);
    try {
      const { email } = await own.newUser();
      await own.call('POST', '/password-reset-request', { body: { email } });
      await waitFor('a connection', () => sockets.length > 0);

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => own.call('POST', '/password-reset-request', { body: { email } })),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
      // Mails are still waiting: the answers did not wait for them.
      expect(await own.database.collection('mails').countDocuments()).toBe(21);
    } finally {
      await own.stop();
    }
  });
});
