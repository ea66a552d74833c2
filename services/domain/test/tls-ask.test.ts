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
  expect(await stack.tlsAsk('?domain=go.acme.com')).toBe(200);
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
