import { LeakyBuckets } from '@waymark/kernel/limits/leaky-buckets';

test('a leaky bucket holds what leaks in a minute, for each key', () => {
  const buckets = new LeakyBuckets(3);
  expect([1, 2, 3, 4].map(() => buckets.add('a'))).toEqual([true, true, true, false]);
  expect([buckets.isFull('a'), buckets.isFull('b'), buckets.add('b')]).toEqual([true, false, true]);
  expect(buckets.secondsUntilRoom('a')).toBeGreaterThan(0);
  expect(buckets.secondsUntilRoom('a')).toBeLessThanOrEqual(20);
  expect(buckets.secondsUntilRoom('b')).toBe(0);
});

test('a leaky bucket has room again after a leak', async () => {
  const buckets = new LeakyBuckets(60_000);
  for (let index = 0; index < 60_000; index += 1) buckets.add('a');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(buckets.add('a')).toBe(true);
});

test('leaky buckets evict the least recently used keys', () => {
  const buckets = new LeakyBuckets(1, 2);
  for (const key of ['a', 'b']) buckets.add(key);
  expect(buckets.isFull('a')).toBe(true);
  buckets.add('c');
  expect(['a', 'b', 'c'].map((key) => buckets.isFull(key))).toEqual([true, false, true]);
});
