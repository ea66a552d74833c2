import { hash, randomBytes } from 'node:crypto';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { authConfig } from '@waymark/auth/config';
import { PasswordChecker } from '@waymark/auth/secrets/password';
import { checkPasswordAttempt } from '@waymark/auth/sessions/check-password-attempt';
import { KnownAddressStore } from '@waymark/auth/sessions/known-addresses';
import { SignInLimits } from '@waymark/auth/sessions/sign-in-limits';

async function openLimits() {
  const backing = freshBacking();
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, { log, lifecycle });
  const { config } = testProcess(authConfig, {
    ...backing,
    IDENTITY_PUBLIC_KEY: identityKeys().publicKey,
    API_BASE_URL: 'http://api.test',
  });
  const limits = new SignInLimits(db, config, new Metrics('test'));
  await db.start();
  const rows = async (collection: string) => db.connection.collection(collection).find({}).toArray();
  const close = () => lifecycle.stop();
  return { config, db, limits, rows, close };
}

test('many sign-ins of an address at once cost the database no more than those that may wait', async () => {
  const { limits, rows, close } = await openLimits();
  const ctx = { passwords: new PasswordChecker(1), signInLimits: limits };
  const password = 'a wrong password';
  const attempt = (index: number) =>
    checkPasswordAttempt(ctx, { email: `user${index}@example.com`, password, address: '203.0.113.7', user: null });
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => attempt(index)));
  const refusals: string[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') continue;
    const { code } = outcome.reason as { code: string };
    // On a slow machine, some of those that may wait do so for too long: they are refunded, and made again.
    if (code === 'service_unavailable') await attempt(index);
    else refusals.push(code);
  }
  expect(refusals).toEqual(Array.from({ length: 84 }, () => 'rate_limit_exceeded'));
  expect(await rows('sign_in_slots')).toHaveLength(16);
  await close();
});

test('the sign-in limits never store the e-mail that was entered, and their rows expire', async () => {
  const { config, limits, rows, close } = await openLimits();
  await limits.countAttempt({ email: 'Correct Horse Battery', address: '203.0.113.7', userId: 'unknown' });

  const [attempts, permits] = [await rows('sign_in_attempts'), await rows('sign_in_slots')];
  expect([attempts.length, permits.length]).toEqual([2, 1]);
  expect(JSON.stringify([attempts, permits])).not.toMatch(/horse/i);
  const ends = [...attempts.map(({ expiresAt }) => expiresAt), ...permits.map(({ freeAt }) => freeAt)] as Date[];
  for (const end of ends) expect(end.getTime() - Date.now()).toBeLessThan(3 * config.SIGN_IN_WINDOW_MS);
  await close();
});

test('a dump without the key does not reveal a network, and hashes of earlier keys and versions still count', async () => {
  const { db, rows, close } = await openLimits();
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const [plain, earlier, store] = [[], [oldKey], [newKey, oldKey]].map((keys) => new KnownAddressStore(db, keys));
  await plain!.addAddress('usr_1', 'of 0.1.0');
  await earlier!.addAddress('usr_1', 'of the old key');
  await store!.addAddress('usr_1', '203.0.113.0/24');
  for (const network of ['of 0.1.0', 'of the old key', '203.0.113.0/24']) {
    expect([network, await store!.isKnown('usr_1', network)]).toEqual([network, true]);
    expect([network, await store!.isKnown('usr_2', network)]).toEqual([network, false]);
  }
  const ids = (await rows('known_addresses')).map(({ _id }) => String(_id));
  expect(ids).toHaveLength(3);
  expect(ids).not.toContain(hash('sha256', 'usr_1 203.0.113.0/24', 'base64url'));
  expect(ids).toContain(hash('sha256', 'usr_1 of 0.1.0', 'base64url'));
  await close();
});
