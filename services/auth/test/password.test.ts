import { hashPassword, PasswordChecker } from '@waymark/auth/users/password';

test('checks few passwords at a time, lets some wait, and refuses the rest at once', async () => {
  const checker = new PasswordChecker(1);
  const hashed = await hashPassword('right');
  const checks = Array.from({ length: 100 }, () => checker.verify(hashed, 'right'));
  const results = await Promise.allSettled(checks);
  const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  // One is at work and 64 wait; those that waited for too long on a slow machine are refused, too.
  expect(refused.length).toBeGreaterThanOrEqual(35);
  expect(new Set(refused.map(({ reason }) => (reason as { code: string }).code))).toEqual(
    new Set(['service_unavailable']),
  );
  expect(await checker.verify(hashed, 'right')).toBe(true);
  expect(await checker.verify(hashed, 'wrong')).toBe(false);
  expect(await checker.verify(undefined, 'no password at all')).toBe(false);
});
