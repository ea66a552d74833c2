import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { isNetwork, VisitorAddress } from '../src/redirect/visitor-address.js';

/** The server's end of a connection that comes from 127.0.0.1. */
async function withPeer(run: (peer: Socket) => void): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const peer = await accepted;
  try {
    run(peer);
  } finally {
    client.destroy();
    peer.destroy();
    server.close();
  }
}

describe('limits', () => {
  test.each([
    [['loopback'], '203.0.113.9', '203.0.113.9'],
    [['loopback'], '2001:db8:1:2:3::9', '2001:db8:1:2'],
    [['loopback'], undefined, null],
    [['loopback'], 'unknown', null],
    [['loopback', '10.0.0.0/8'], '10.9.9.9, 10.1.2.3', null],
    [[], '203.0.113.9', '127.0.0.1'],
  ])('behind %j with X-Forwarded-For %s count %s', async (trusted, forwardedFor, visitor) => {
    await withPeer((peer) => expect(new VisitorAddress(trusted).visitorOf(peer, forwardedFor)).toBe(visitor));
  });
});

describe("a visitor's address", () => {
  test.each([
    // trusted proxies, X-Forwarded-For, address
    [['loopback'], undefined, '127.0.0.1'],
    [['loopback'], '203.0.113.9', '203.0.113.9'],
    [['loopback'], '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    [['loopback', '10.0.0.0/8'], '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    [['loopback', '10.0.0.0/8'], '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    // A visitor, a CDN and the ingress, which is the peer.
    [['loopback', '172.64.0.0/13'], '81.2.69.142, 172.70.1.1', '81.2.69.142'],
    [['loopback', '172.64.0.0/13'], '1.1.1.1, 81.2.69.142, 172.70.1.1', '81.2.69.142'],
    [['loopback', '2400:cb00::/32'], '2001:db8::1, 2400:cb00::7', '2001:db8::1'],
    [['loopback'], '81.2.69.142, 172.70.1.1', '172.70.1.1'],
    [['loopback'], '203.0.113.9:4711', '203.0.113.9'],
    [['loopback'], '[2001:db8::1]:4711', '2001:db8::1'],
    [['loopback'], '2001:db8::1', '2001:db8::1'],
    [['loopback'], '::ffff:203.0.113.9', '203.0.113.9'],
    [['loopback'], 'unknown', '127.0.0.1'],
    [['loopback'], '"};drop', '127.0.0.1'],
    [['loopback'], '', '127.0.0.1'],
    [['loopback'], 'spoofed, 127.0.0.1', '127.0.0.1'],
    [['127.0.0.1'], '203.0.113.9', '203.0.113.9'],
    [['10.0.0.0/8'], '203.0.113.9', '127.0.0.1'],
    [[], '203.0.113.9', '127.0.0.1'],
    [['loopback'], `203.0.113.9, ${'127.0.0.1, '.repeat(18)}127.0.0.1`, '203.0.113.9'],
    [['loopback'], `203.0.113.9, ${'127.0.0.1, '.repeat(19)}127.0.0.1`, '127.0.0.1'],
    [['loopback'], ',', '127.0.0.1'],
    [['loopback'], ', 203.0.113.9', '203.0.113.9'],
  ])('behind %j with X-Forwarded-For %s is %s', async (trusted, forwardedFor, address) => {
    await withPeer((peer) => expect(new VisitorAddress(trusted).addressOf(peer, forwardedFor)).toBe(address));
  });

  test.each(['10.0.0.0/8', '10.0.0.1', '::1', 'fd00::/8', 'loopback', 'uniquelocal'])('%s is a network', (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  test.each(['10.0.0.0/33', '10.0.0', 'proxy.example.com', '10.0.0.0/8/8', '10.0.0.0/', '', '::1/129'])(
    '%s is no network',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );
});
