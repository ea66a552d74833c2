import mongoose, { type Connection } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import type { OneTimeLinkKind } from '@waymark/contract/console-paths';
import { oneTimeLinkUrl } from '@waymark/auth/secrets/one-time-link-store';
import { OneTimeLinkStore, TOKEN_LENGTH, type IssuedLink } from '@waymark/auth/secrets/one-time-link-store';

const HOUR_MS = 3600_000;
const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const { MONGODB_URI } = freshBacking();
const stores: { db: Database; links: OneTimeLinkStore }[] = [];
let connection: Connection;

beforeAll(async () => {
  for (let replica = 0; replica < 2; replica += 1) {
    const db = new Database(MONGODB_URI, { log, lifecycle });
    stores.push({ db, links: new OneTimeLinkStore(db) });
    await db.start();
  }
  connection = await mongoose.createConnection(MONGODB_URI).asPromise();
});
afterAll(async () => {
  await connection.close();
  await lifecycle.stop();
});

let subjects = 0;
function issue(kind: OneTimeLinkKind, subject = `usr_${(subjects += 1)}`): Promise<IssuedLink> {
  const { db, links } = stores[0]!;
  return db.transaction((tx) => links.issueLink({ kind, subject }, tx.session));
}

function use(kind: OneTimeLinkKind, token: string, replica = 0) {
  const { db, links } = stores[replica]!;
  return db.transaction((tx) => links.useLink(kind, token, tx.session));
}

const rows = () => connection.collection('one_time_links');

test('a link is stored as a hash of its token alone, which has 256 random bits', async () => {
  const { token } = await issue('password_reset', 'usr_hashed');

  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(token).toHaveLength(TOKEN_LENGTH);
  expect(JSON.stringify(await rows().find({ subject: 'usr_hashed' }).toArray())).not.toContain(token);
  expect((await issue('password_reset')).token).not.toBe(token);
});

test.each([
  ['password_reset', HOUR_MS],
  ['invitation', 7 * 24 * HOUR_MS],
] as const)('a link of the kind %s is valid for %i ms', async (kind, lifetimeMs) => {
  const { token, expiresAt } = await issue(kind, `usr_${kind}`);
  const { links } = stores[1]!;

  const link = (await links.findLink(kind, token))!;
  expect(link).toMatchObject({ kind, subject: `usr_${kind}` });
  expect(expiresAt.getTime() - link.createdAt.getTime()).toBe(lifetimeMs);

  await rows().updateOne({ subject: `usr_${kind}` }, { $set: { expiresAt: new Date(0) } });
  expect([await links.findLink(kind, token), await use(kind, token)]).toEqual([null, null]);
});

test('a link is used once, by one of 100 concurrent uses on two replicas', async () => {
  const { token } = await issue('password_reset', 'usr_once');

  const uses = await Promise.all(Array.from({ length: 100 }, (_, index) => use('password_reset', token, index % 2)));

  expect(uses.filter((link) => link !== null)).toEqual([expect.objectContaining({ subject: 'usr_once' })]);
});

test('a link stays usable when the transaction of its effect rolls back', async () => {
  const { token } = await issue('invitation');
  const { db, links } = stores[0]!;
  const failing = db.transaction(async (tx) => {
    await links.useLink('invitation', token, tx.session);
    throw new Error('the effect failed');
  });

  await expect(failing).rejects.toThrow('the effect failed');
  expect(await use('invitation', token)).not.toBeNull();
});

test('a link of one kind is none of another, and unknown tokens are none', async () => {
  const { token } = await issue('invitation');

  expect([await use('password_reset', token), await use('invitation', 'x')]).toEqual([null, null]);
  expect(await use('invitation', token)).not.toBeNull();
});

test('revoking ends every link of that kind and subject, and no other', async () => {
  const [first, second] = [await issue('password_reset', 'usr_r'), await issue('password_reset', 'usr_r')];
  const [invitation, other] = [await issue('invitation', 'usr_r'), await issue('password_reset', 'usr_other')];
  const { db, links } = stores[0]!;

  await db.transaction((tx) => links.revokeLinks({ kind: 'password_reset', subject: 'usr_r' }, tx.session));

  const found = await Promise.all([
    links.findLink('password_reset', first.token),
    links.findLink('password_reset', second.token),
    links.findLink('invitation', invitation.token),
    links.findLink('password_reset', other.token),
  ]);
  expect(found.map((link) => link?.subject ?? null)).toEqual([null, null, 'usr_r', 'usr_other']);
});

test("a link's address is the console's page, with the token behind the #, which no server receives", () => {
  expect(oneTimeLinkUrl('https://go.example.com', 'password_reset', 'abc')).toBe(
    'https://go.example.com/console/reset#abc',
  );
});
