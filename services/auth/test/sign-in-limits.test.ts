import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { authConfig } from '@waymark/auth/config';
import { SignInLimits } from '@waymark/auth/sessions/sign-in-limits';

test('the sign-in limits never store the e-mail that was entered, and their rows expire', async () => {
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
  await limits.countAttempt({ email: 'Correct Horse Battery', address: '203.0.113.7', userId: 'unknown' });

  const rows = async (collection: string) => db.connection.collection(collection).find({}).toArray();
  const [attempts, permits] = [await rows('sign_in_attempts'), await rows('sign_in_slots')];
  expect([attempts.length, permits.length]).toEqual([2, 1]);
  expect(JSON.stringify([attempts, permits])).not.toMatch(/horse/i);
  const ends = [...attempts.map(({ expiresAt }) => expiresAt), ...permits.map(({ freeAt }) => freeAt)] as Date[];
  for (const end of ends) expect(end.getTime() - Date.now()).toBeLessThan(3 * config.SIGN_IN_WINDOW_MS);
  await db.connection.dropDatabase();
  await lifecycle.stop();
});
