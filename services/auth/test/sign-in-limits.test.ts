import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { WindowCounter } from '@waymark/auth/limits/window-counter';
import { SignInLimits, WrongGuess } from '@waymark/auth/sign-in/sessions/sign-in-limits';
import { isKnownNetwork, withNetwork } from '@waymark/auth/users/known-networks';
import type { User } from '@waymark/auth/users/user-store';

test('the sign-in limits never store the e-mail that was entered, and their rows expire', async () => {
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  const limits = new SignInLimits(new WindowCounter(db), new Metrics('test'));
  await db.start();
  const guess = { email: 'Correct Horse Battery', address: '203.0.113.7', user: null };
  const wrong = () => Promise.reject(new WrongGuess('unauthenticated', 'wrong'));
  await expect(limits.limitPasswordGuess(guess, wrong)).rejects.toThrow('wrong');

  const rows = await db.connection.collection('limit_counts').find().toArray();
  expect(rows.map(({ count }) => count as number)).toEqual([1, 1, 1]);
  expect(JSON.stringify(rows)).not.toMatch(/horse/i);
  for (const { endsAt } of rows) expect((endsAt as Date).getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  await lifecycle.stop();
});

describe('the networks of a user', () => {
  const user = { _id: 'usr_1' } as User;

  test('are known by address or IPv6 /64, and only of this user', () => {
    const home: User = { ...user, signInNetworks: withNetwork(user, '2001:db8:7:7::1') };
    expect(isKnownNetwork(home, '2001:db8:7:7::2')).toBe(true);
    expect(isKnownNetwork(home, '2001:db8:7:8::1')).toBe(false);
    expect(isKnownNetwork({ ...home, _id: 'usr_2' }, '2001:db8:7:7::1')).toBe(false);
    expect(isKnownNetwork(user, null)).toBe(false);
  });

  test('are kept as the last twenty marks, which many addresses share', () => {
    let travelling = user;
    for (let index = 0; index < 40; index += 1) {
      travelling = { ...travelling, signInNetworks: withNetwork(travelling, `198.51.100.${index}`) };
    }
    expect(travelling.signInNetworks).toHaveLength(20);
    expect(isKnownNetwork(travelling, '198.51.100.39')).toBe(true);
    expect(isKnownNetwork(travelling, '198.51.100.0')).toBe(false);
    expect(withNetwork(travelling, '198.51.100.39')).toEqual(travelling.signInNetworks);
    // Of the 4 billion IPv4 addresses over 16,000 have the same one.
    for (const mark of travelling.signInNetworks!) expect(mark).toMatch(/^[\w-]{3}$/);
  });
});
