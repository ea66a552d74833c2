import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { LinksClient } from '@waymark/client';
import { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import { answered } from './calls.js';
import type { Demo, Step } from './demo.js';
import { visit } from './visits.js';

const TIMEOUT_MS = 30_000;
const DESTINATION = 'https://example.com/on-a-custom-host';
const FALLBACK = 'https://example.com/lost';
/** A browser's user agent: the scan of a program would not be counted. */
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36';

/** Takes a domain from registration to removal, with a name server at the address that the domain service queries. */
export async function takeDomainThroughItsLife(demo: Demo, api: LinksClient, step: Step) {
  const names = await nameServerOf(demo);
  if (!names) {
    step('leave custom domains out: start with DNS_SERVERS=127.0.0.1:5300 to have them');
    return 'left out';
  }
  try {
    await live(demo, api, names, step);
    return 'removed';
  } finally {
    await names.stop();
  }
}

/** Starts a name server at the address that the domain service queries, if that address is one for tests. */
export async function nameServerOf({ dns_servers: servers }: Demo): Promise<NameServer | undefined> {
  const port = /^127\.0\.0\.1:(\d+)$/.exec(servers)?.[1];
  return port === undefined ? undefined : NameServer.start(Number(port));
}

/** Registers an unused hostname, and proves it by DNS. */
export async function proveDomain({ workspace }: Demo, api: LinksClient, names: NameServer) {
  const hostname = `go-${randomBytes(6).toString('hex')}.acme.com`;
  const body = { hostname };
  const registered = await answered(
    201,
    api.POST('/api/v1/workspaces/{workspace}/domains', { params: { path: { workspace } }, body }),
  );
  const { id, dns } = registered.data;
  const domain = { params: { path: { workspace, id } } };
  /** Publishes the record, or none, and waits for what a check finds. */
  const check = async (status: 'verified' | 'degraded', ...texts: string[]) => {
    names.setTexts(dns.txt.name, ...texts);
    await answered(202, api.POST('/api/v1/workspaces/{workspace}/domains/{id}/verify', domain));
    const shown = async () => answered(200, api.GET('/api/v1/workspaces/{workspace}/domains/{id}', domain));
    await waitFor(`the domain to be ${status}`, async () => (await shown()).data.status === status, TIMEOUT_MS);
  };
  const findRecord = () => check('verified', dns.txt.value);
  await findRecord();
  return { id, hostname, findRecord, loseRecord: () => check('degraded') };
}

async function live(demo: Demo, api: LinksClient, names: NameServer, step: Step) {
  const { workspace } = demo;
  step('register a custom domain, and prove it by DNS');
  const { id, hostname, findRecord, loseRecord } = await proveDomain(demo, api, names);
  const domain = { params: { path: { workspace, id } } };
  const visitAt = (code: string, headers: Record<string, string>) =>
    visit(demo.short_url, code, {
      method: 'GET',
      path: () => `/${code}`,
      headers: { 'user-agent': AGENT, ...headers },
    });
  const visitHost = (code: string) => visitAt(code, { host: hostname });
  const visitDefault = (code: string) => visitAt(code, {});

  const change = { ...domain, body: { not_found_url: FALLBACK } };
  await answered(200, api.PATCH('/api/v1/workspaces/{workspace}/domains/{id}', change));

  step('create a link on it, and scan it');
  const { data: link } = await answered(
    201,
    api.POST('/api/v1/workspaces/{workspace}/links', {
      params: { path: { workspace } },
      body: { destination_url: DESTINATION, domain_id: id },
    }),
  );
  assert.equal(link.short_url, `https://${hostname}/${link.short_code}`);
  await waitFor('the link', async () => (await visitHost(link.short_code)).location === DESTINATION, TIMEOUT_MS);
  await waitFor('the fallback', async () => (await visitHost('unknown')).location === FALLBACK, TIMEOUT_MS);
  assert.equal((await visitDefault(link.short_code)).status, 404);
  const shown = async () => {
    const params = { path: { workspace, id: link.id } };
    return (await answered(200, api.GET('/api/v1/workspaces/{workspace}/links/{id}', { params }))).data;
  };
  await waitFor('the scan to be counted', async () => (await shown()).scans_count > 0, TIMEOUT_MS);

  step('lose the record, and publish it again: the host serves its link all the time');
  await loseRecord();
  assert.equal((await visitHost(link.short_code)).location, DESTINATION);
  await findRecord();

  step('remove it: its link continues at the default host');
  await answered(204, api.DELETE('/api/v1/workspaces/{workspace}/domains/{id}', domain));
  await waitFor('the host to stop', async () => (await visitHost('unknown')).status === 404, TIMEOUT_MS);
  const movedTo = async () => (await shown()).short_url;
  await waitFor('the link to move', async () => (await movedTo()).startsWith(demo.short_url), TIMEOUT_MS);
  const code = new URL(await movedTo()).pathname.slice(1);
  await waitFor('the moved link', async () => (await visitDefault(code)).location === DESTINATION, TIMEOUT_MS);
}
