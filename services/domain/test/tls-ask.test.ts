import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { entryOf } from '@waymark/launcher/process-table';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { DomainService } from './domain-service.js';

let service: DomainService;
beforeAll(async () => {
  service = await DomainService.start({ firstPausesMs: [50], pauseMs: 100, longPauseMs: 100 });
});
afterAll(() => service.stop());

test('the TLS check allows a host while it serves links', async () => {
  const { body } = await service.register('go.acme.com');
  const { id, dns } = body.data;
  await service.waitForStatus('verifying', id);
  expect(await service.tlsAsk('?domain=go.acme.com')).toBe(404);
  service.dns.setTexts(dns.txt.name, dns.txt.value);
  await service.waitForStatus('verified', id);
  // Until then, the service may remember the host as unknown for some seconds.
  await waitFor('the certificate', async () => (await service.tlsAsk('?domain=go.acme.com')) === 200);
  expect(await service.tlsAsk('?domain=GO.Acme.com')).toBe(200);
  service.dns.removeName(dns.txt.name);
  await service.waitForStatus('degraded', id);
  await service.register('other.acme.com');
  const serving = { hostname: 'go.acme.com', workspace: 'acme', status: 'degraded' };
  expect(await listDomains('--serving')).toEqual([serving]);
  expect(await listDomains()).toMatchObject([serving, { hostname: 'other.acme.com' }]);
  expect(await service.tlsAsk('?domain=go.acme.com')).toBe(200);
  await service.call('DELETE', `/domains/${id}`);
  expect(await service.tlsAsk('?domain=go.acme.com')).toBe(404);
});

/** Runs the operator's command. */
async function listDomains(...flags: string[]): Promise<object[]> {
  const args = [entryOf('domain', 'admin/main.js'), 'domain', 'list', '--json', ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...service.backing },
  });
  return (JSON.parse(stdout) as { data: object[] }).data;
}

test.each(['go.ours.com', 'GO.ours.com', 's.ours.com'])(
  'the TLS check allows the default short host %s',
  async (name) => {
    expect(await service.tlsAsk(`?domain=${name}`)).toBe(200);
  },
);

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
  expect(await service.tlsAsk(query)).toBe(404);
});

test('the TLS check rejects a thousand unknown names and still allows the default short host', async () => {
  const names = Array.from({ length: 1000 }, (_, i) => `?domain=stranger-${i}.example.com`);
  const answers: number[] = [];
  for (let i = 0; i < names.length; i += 20) {
    answers.push(...(await Promise.all(names.slice(i, i + 20).map((name) => service.tlsAsk(name)))));
  }
  expect(answers.filter((status) => status !== 404 && status !== 503)).toEqual([]);
  expect(await service.tlsAsk('?domain=go.ours.com')).toBe(200);
});

test('probes are answered while more TLS checks wait than the operator port accepts connections', async () => {
  const connectionsMax = service.ops.maxConnections;
  await service.delayQueries(1000);
  try {
    const asks = Array.from({ length: connectionsMax + 20 }, (_, i) => service.tlsAsk(`?domain=slow-${i}.example.com`));
    const answers = Promise.allSettled(asks);
    const server = service.tlsAskServer;
    const connectionCount = promisify(server.getConnections.bind(server));
    await waitFor('the connections', async () => (await connectionCount()) >= connectionsMax);
    expect((await fetch(`${urlOf(service.ops)}/healthz`)).status).toBe(200);
    expect((await fetch(`${urlOf(service.ops)}/readyz`)).status).toBe(200);
    const statuses = (await answers).map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason));
    expect(statuses.filter((status) => status !== 404 && status !== 503)).toEqual([]);
    expect(statuses).toContain(503);
  } finally {
    await service.delayQueries(0);
  }
});

test.each(['/healthz', '/metrics', '/', '/internal/tls-ask/x?domain=go.ours.com'])(
  'the port of the TLS check has no %s',
  async (path) => {
    expect((await fetch(`${urlOf(service.tlsAskServer)}${path}`)).status).toBe(404);
  },
);

test('the operator port does not answer the TLS check', async () => {
  expect((await fetch(`${urlOf(service.ops)}/internal/tls-ask?domain=go.ours.com`)).status).toBe(404);
});
