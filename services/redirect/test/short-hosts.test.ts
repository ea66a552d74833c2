import { shortHosts } from '@waymark/contract/short-hosts';
import { ShortHosts } from '../src/redirect/short-hosts.js';

const hosts = new ShortHosts(
  shortHosts({ SHORT_BASE_URL: 'https://go.acme.com', SHORT_HOSTS: ['localhost:8090', '[::1]:8090'] }),
  true,
);

test.each([
  ['go.acme.com', null],
  ['GO.acme.com', null],
  ['go.acme.com:443', null],
  ['go.acme.com.', null],
  ['localhost:8090', null],
  ['localhost', null],
  ['[::1]:8090', null],
  ['Links.Example.com', 'links.example.com'],
  ['links.example.com:8090', 'links.example.com'],
  ['links.example.com.', 'links.example.com'],
  ['203.0.113.9', undefined],
  ['203.0.113.9:8090', undefined],
  ['[::2]:8090', undefined],
  ['intranet', undefined],
  ['*.example.com', undefined],
  ['', undefined],
  [undefined, undefined],
  ['a/b', undefined],
  ['a b.com', undefined],
  [`${'a'.repeat(300)}.com`, undefined],
])('Host %s is %s', (header, hostname) => {
  expect(hosts.hostnameOf(header)).toBe(hostname);
});

test('where there are no custom hosts there is the default host alone', () => {
  const alone = new ShortHosts(shortHosts({ SHORT_BASE_URL: 'https://go.acme.com', SHORT_HOSTS: [] }), false);
  expect([alone.hostnameOf('go.acme.com'), alone.hostnameOf('links.example.com')]).toEqual([null, undefined]);
});
