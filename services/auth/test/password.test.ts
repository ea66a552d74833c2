import { hashPassword, PasswordChecker } from '@waymark/auth/secrets/password';

test('the password checker runs one check at a time, queues 64, and rejects the rest at once', async () => {
  const checker = new PasswordChecker(1);
  const hashed = await hashPassword('right');
  const checks = Array.from({ length: 100 }, (_, index) => checker.checkPassword(hashed, 'right', `192.0.2.${index}`));
  const results = await Promise.allSettled(checks);
  const rejected = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  // One runs and 64 wait; on a slow machine, checks that wait too long are rejected too.
  expect(rejected.length).toBeGreaterThanOrEqual(35);
  expect(new Set(rejected.map(({ reason }) => (reason as { code: string }).code))).toEqual(
    new Set(['service_unavailable']),
  );
  expect(await checker.checkPassword(hashed, 'right', null)).toBe(true);
  expect(await checker.checkPassword(hashed, 'wrong', null)).toBe(false);
  expect(await checker.checkPassword(undefined, 'no password at all', null)).toBe(false);
});

test('an address, or an IPv6 /64, that floods the password checker delays another one by no more than one check', async () => {
  const checker = new PasswordChecker(1);
  const hashed = await hashPassword('right');
  const ended: string[] = [];
  const check = async (address: string) => {
    await checker.checkPassword(hashed, 'right', address);
    ended.push(address);
  };
  const flood = Array.from({ length: 10 }, (_, index) => check(`2001:db8:1:1::${index}`));

  await Promise.all([...flood, check('2001:db8:1:2::1')]);

  expect(ended.indexOf('2001:db8:1:2::1')).toBeLessThanOrEqual(2);
});
