import { networkOf } from '@waymark/shared/kernel/network-of';
import { BadBearers } from '@waymark/gateway/pipeline/bad-bearers';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));

test('one address is refused after its number, another is not', () => {
  const bad = new BadBearers(3);
  for (let sent = 0; sent < 3; sent += 1) {
    bad.check('203.0.113.9');
    bad.count('203.0.113.9');
  }
  expect(() => bad.check('203.0.113.9')).toThrow('Too many requests');
  expect(() => bad.check('203.0.113.10')).not.toThrow();
});
