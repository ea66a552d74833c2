import { MissLimiter } from '../src/redirect/miss-limiter.js';

const addedOf = (limiter: MissLimiter, addresses: string[]) => addresses.filter((address) => limiter.add(address));
const addresses = (count: number, addressAt: (hex: string) => string) =>
  Array.from({ length: count }, (_, index) => addressAt(index.toString(16)));

test('the limiter of misses counts a /64 once, a /56 four times and a /48 sixteen times', () => {
  const limiter = new MissLimiter(1);
  expect(addedOf(limiter, ['203.0.113.1', '203.0.113.1', '203.0.113.2'])).toEqual(['203.0.113.1', '203.0.113.2']);
  expect(
    addedOf(
      limiter,
      addresses(8, (hex) => `2001:db8:0:0:${hex}::1`),
    ),
  ).toHaveLength(1);
  expect(
    addedOf(
      limiter,
      addresses(8, (hex) => `2001:db8:0:${hex}::1`),
    ),
  ).toHaveLength(3);
  expect(
    addedOf(
      limiter,
      addresses(80, (hex) => `2001:db8:0:${hex}00::1`),
    ),
  ).toHaveLength(12);
  expect(limiter.add('2001:db8:1::1')).toBe(true);
});

test('a rejected miss takes no room of the other networks', () => {
  const limiter = new MissLimiter(1);
  for (let n = 0; n < 100; n += 1) limiter.add('2001:db8::1');
  expect(
    addedOf(
      limiter,
      addresses(80, (hex) => `2001:db8:0:${hex}00::1`),
    ),
  ).toHaveLength(15);
});
