import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { NameServer } from '@waymark/shared/testing/name-server';
import { waitFor } from '@waymark/shared/testing/wait-for';
import type { ApiClient } from './api-client.js';
import type { Demo, Step } from './scenario.js';
import { visit } from './visits.js';

const TIMEOUT_MS = 30_000;
const DESTINATION = 'https://example.com/on-a-custom-host';
const FALLBACK = 'https://example.com/lost';
/** A person's: the scan of a program would not be counted. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

/** From registration to removal, with a name server of its own in the place where the domain service looks for records. */
export async function takeDomainThroughItsLife(demo: Demo, api: ApiClient, workspace: string, step: Step) {
  const port = /^127\.0\.0\.1:(\d+)$/.exec(demo.dns_servers)?.[1];
  if (port === undefined) {
    step('leave custom domains out: start with DNS_SERVERS=127.0.0.1:5300 to have them');
    return 'left out';
  }
  const names = await NameServer.start(Number(port));
  try {
    await live(demo, api, `${workspace}/domains`, `${workspace}/links`, names, step);
    return 'removed';
  } finally {
    await names.stop();
  }
}

async function live(demo: Demo, api: ApiClient, domains: string, links: string, names: NameServer, step: Step) {
  const hostname = `go-${randomBytes(6).toString('hex')}.acme.com`;
  const visitAt = (code: string, headers: Record<string, string>) =>
    visit(demo.short_url, code, {
      method: 'GET',
      path: () => `/${code}`,
      headers: { 'user-agent': AGENT, ...headers },
    });
  const visitHost = (code: string) => visitAt(code, { host: hostname });
  const visitDefault = (code: string) => visitAt(code, {});

  step('register a custom domain, and prove it by DNS');
  const { body } = await api.expect(201, 'POST', domains, { hostname });
  const { id, dns } = body.data as { id: string; dns: { txt: { name: string; value: string } } };
  assert.equal((await visitHost('')).status, 404);
  names.setTexts(dns.txt.name, dns.txt.value);
  await api.expect(202, 'POST', `${domains}/${id}/verify`);
  await waitFor(
    'the domain to be verified',
    async () => (await shown(api, domains, id)).status === 'verified',
    TIMEOUT_MS,
  );
  await api.expect(200, 'PATCH', `${domains}/${id}`, { not_found_url: FALLBACK });

  step('create a link on it, and scan it');
  const created = await api.expect(201, 'POST', links, { destination_url: DESTINATION, domain_id: id });
  const link = created.body.data as { id: string; short_code: string; short_url: string };
  assert.equal(link.short_url, `https://${hostname}/${link.short_code}`);
  await waitFor('the link', async () => (await visitHost(link.short_code)).location === DESTINATION, TIMEOUT_MS);
  await waitFor('the fallback', async () => (await visitHost('unknown')).location === FALLBACK, TIMEOUT_MS);
  assert.equal((await visitDefault(link.short_code)).status, 404);
  const scanned = async () => ((await shown(api, links, link.id)).scans_count as number) > 0;
  await waitFor('the scan to be counted', scanned, TIMEOUT_MS);

  step('remove it: its link goes on at the default host');
  await api.expect(204, 'DELETE', `${domains}/${id}`);
  await waitFor('the host to stop', async () => (await visitHost('unknown')).status === 404, TIMEOUT_MS);
  const movedTo = async () => (await shown(api, links, link.id)).short_url as string;
  await waitFor('the link to move', async () => (await movedTo()).startsWith(demo.short_url), TIMEOUT_MS);
  const code = new URL(await movedTo()).pathname.slice(1);
  await waitFor('the moved link', async () => (await visitDefault(code)).location === DESTINATION, TIMEOUT_MS);
}

const shown = async (api: ApiClient, path: string, id: string) =>
  (await api.get(`${path}/${id}`)).body.data as Record<string, unknown>;
