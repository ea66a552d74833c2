import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';

const addedOf = (buckets: NetworkBuckets, addresses: string[]) => addresses.filter((address) => buckets.add(address));
const addresses = (count: number, addressAt: (hex: string) => string) =>
  Array.from({ length: count }, (_, index) => addressAt(index.toString(16)));

test('buckets of networks count a /64 once, a /56 four times and a /48 sixteen times', () => {
  const buckets = new NetworkBuckets(1);
  expect(addedOf(buckets, ['203.0.113.1', '203.0.113.1', '203.0.113.2'])).toEqual(['203.0.113.1', '203.0.113.2']);
  expect(
    addedOf(
      buckets,
      addresses(8, (hex) => `2001:db8:0:0:${hex}::1`),
    ),
  ).toHaveLength(1);
  expect(
    addedOf(
      buckets,
      addresses(8, (hex) => `2001:db8:0:${hex}::1`),
    ),
  ).toHaveLength(3);
  expect(
    addedOf(
      buckets,
      addresses(80, (hex) => `2001:db8:0:${hex}00::1`),
    ),
  ).toHaveLength(12);
  expect(buckets.add('2001:db8:1::1')).toBe(true);
});

test('what is refused takes no room of the other networks', () => {
  const buckets = new NetworkBuckets(1);
  for (let n = 0; n < 100; n += 1) buckets.add('2001:db8::1');
  expect(
    addedOf(
      buckets,
      addresses(80, (hex) => `2001:db8:0:${hex}00::1`),
    ),
  ).toHaveLength(15);
});
