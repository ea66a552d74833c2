import { hashPassword, PasswordChecker } from '@waymark/auth/secrets/password';

test('the password checker runs one check at a time, queues 64, and rejects the rest at once', async () => {
  const checker = new PasswordChecker(1);
  const hashed = await hashPassword('right');
  const checks = Array.from({ length: 100 }, () => checker.checkPassword(hashed, 'right'));
  const results = await Promise.allSettled(checks);
  const rejected = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  // One runs and 64 wait; on a slow machine, checks that wait too long are rejected too.
  expect(rejected.length).toBeGreaterThanOrEqual(35);
  expect(new Set(rejected.map(({ reason }) => (reason as { code: string }).code))).toEqual(
    new Set(['service_unavailable']),
  );
  expect(await checker.checkPassword(hashed, 'right')).toBe(true);
  expect(await checker.checkPassword(hashed, 'wrong')).toBe(false);
  expect(await checker.checkPassword(undefined, 'no password at all')).toBe(false);
});

test.each([
  ['an IPv4 address', 16, () => '192.0.2.1'],
  ['an IPv6 /64', 16, (index: number) => `2001:db8:1:1::${index}`],
  ['an IPv6 /48', 32, (index: number) => `2001:db8:1:${index}::1`],
])(
  'the password checker limits %s to %i attempts and keeps capacity for other addresses',
  async (_network, attemptsMax, addressOf) => {
    const checker = new PasswordChecker(1);
    const hashed = await hashPassword('right');
    const verify = (address: string) =>
      checker
        .inTurn(address, () => checker.checkPassword(hashed, 'right'))
        .catch((error: { code: string }) => error.code);
    const flood = Array.from({ length: 66 }, (_, index) => verify(addressOf(index)));
    const other = verify('203.0.113.1');
    const outcomes = await Promise.all(flood);
    expect(outcomes.filter((outcome) => outcome === 'rate_limit_exceeded')).toHaveLength(66 - attemptsMax);
    expect(await other).not.toBe('rate_limit_exceeded');
    expect(await verify(addressOf(0))).toBe(true);
  },
);

/** Attempts that run until the test ends them, and the addresses of those that have started. */
function heldAttempts(checker: PasswordChecker) {
  const started: string[] = [];
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const begin = (address: string) =>
    checker
      .inTurn(address, () => {
        started.push(address);
        return ended;
      })
      .catch(() => undefined);
  return { begin, started, end };
}

test('an address that floods the password checker blocks no other address of its IPv6 /48', async () => {
  const { begin, started, end } = heldAttempts(new PasswordChecker(1));
  const attempts = Array.from({ length: 66 }, (_, index) => begin(`2001:db8:1:1::${index}`));
  attempts.push(begin('2001:db8:1:2::1'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(['2001:db8:1:1::0', '2001:db8:1:2::1']);
  end();
  await Promise.all(attempts);
});

test('the password checker runs four attempts of an IPv6 /48 at a time', async () => {
  const { begin, started, end } = heldAttempts(new PasswordChecker(1));
  const attempts = Array.from({ length: 8 }, (_, index) => begin(`2001:db8:1:${index}::1`));
  attempts.push(begin('2001:db8:2::1'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([...[0, 1, 2, 3].map((index) => `2001:db8:1:${index}::1`), '2001:db8:2::1']);
  end();
  await Promise.all(attempts);
  expect(started).toHaveLength(9);
});
