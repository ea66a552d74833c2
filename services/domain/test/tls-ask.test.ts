import { waitFor } from '@waymark/testing/wait-for';
import { UnknownHosts } from '@waymark/domain/tls/unknown-hosts';
import { Stack } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start({ FIRST_PAUSES_SECONDS: '0.05', PAUSE_SECONDS: '0.1', LONG_PAUSE_SECONDS: '0.1' });
});
afterAll(() => stack.stop());

test('a TLS terminator may have a certificate for a host as long as it serves links', async () => {
  const { body } = await stack.register('go.acme.com');
  const { id, dns } = body.data;
  await stack.becomes('verifying', id);
  expect(await stack.tlsAsk('?domain=go.acme.com')).toBe(404);
  stack.dns.setTexts(dns.txt.name, dns.txt.value);
  await stack.becomes('verified', id);
  // Until then, the service may remember the host as unknown for some seconds.
  await waitFor('the certificate', async () => (await stack.tlsAsk('?domain=go.acme.com')) === 200);
  expect(await stack.tlsAsk('?domain=GO.Acme.com')).toBe(200);
  stack.dns.removeName(dns.txt.name);
  await stack.becomes('degraded', id);
  expect(await stack.tlsAsk('?domain=go.acme.com')).toBe(200);
  await stack.call('DELETE', `/domains/${id}`);
  expect(await stack.tlsAsk('?domain=go.acme.com')).toBe(404);
});

test.each(['go.ours.com', 'GO.ours.com', 's.ours.com'])('for the default short host %s it may', async (name) => {
  expect(await stack.tlsAsk(`?domain=${name}`)).toBe(200);
});

test.each([
  '',
  '?domain=',
  '?domain=unknown.acme.com',
  '?domain=*.acme.com',
  '?domain=10.0.0.1',
  '?domain=s.ours.com:8443',
  '?domain[$ne]=1',
  '?other=go.ours.com',
])('for %j it may not', async (query) => {
  expect(await stack.tlsAsk(query)).toBe(404);
});

test('a thousand invented names are refused, and the default short host is still allowed', async () => {
  const names = Array.from({ length: 1000 }, (_, i) => `?domain=stranger-${i}.example.com`);
  const answers: number[] = [];
  // The ops port accepts a limited number of connections.
  for (let i = 0; i < names.length; i += 20) {
    answers.push(...(await Promise.all(names.slice(i, i + 20).map((name) => stack.tlsAsk(name)))));
  }
  expect(answers.filter((status) => status !== 404 && status !== 503)).toEqual([]);
  expect(await stack.tlsAsk('?domain=go.ours.com')).toBe(200);
});

test('the memory of unknown hosts holds ten thousand names, the newest ones', () => {
  const hosts = new UnknownHosts();
  for (let i = 0; i < 25_000; i += 1) hosts.add(`stranger-${i}.example.com`);
  expect(hosts.size).toBe(10_000);
  expect([hosts.has('stranger-14999.example.com'), hosts.has('stranger-15000.example.com')]).toEqual([false, true]);
});
