import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import {
  domainCreated,
  domainDegraded,
  domainDeleted,
  domainFailed,
  domainUpdated,
  domainVerified,
  linkArchived,
  linkCreated,
  linkUpdated,
  type DomainSnapshot,
} from '@waymark/contract/events';
import { resolveCode, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { NO_HOST, toHost } from '../src/hosts/host.js';
import {
  Neighbours,
  NO_BROKER,
  NO_DATABASE,
  sampleDomain,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  WORKSPACE,
  type TestRedirect,
} from './support.js';

const backing = freshBacking();
const spool = temporaryDirectory();
let neighbours: Neighbours;
let redirect: TestRedirect;
/** The domains of the domain service, by hostname. */
const owners = new Map<string, DomainSnapshot>();
/** The hosts of erased workspaces. */
const erasedHosts = new Set<string>();
const questions: string[] = [];

beforeAll(async () => {
  neighbours = new Neighbours(backing);
  serveRequests(neighbours.broker, resolveCode, ({ short_code: code }) =>
    Promise.resolve({ target: null, is_gone: code === 'erased' }),
  );
  serveRequests(neighbours.broker, resolveHost, ({ hostname }) => {
    questions.push(hostname);
    const domain = owners.get(hostname);
    return Promise.resolve({
      owner: domain ? { workspace: WORKSPACE, domain } : null,
      is_gone: erasedHosts.has(hostname),
    });
  });
  await neighbours.start();
  redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path });
  await waitFor('broker and database', async () => (await visit('unknown.example.com', '/nothing')).status === 404);
});
afterAll(async () => {
  await redirect.stop();
  await neighbours.stop();
  spool.remove();
});

interface Answer {
  status: number;
  location: string | undefined;
  cacheControl: string | undefined;
}

interface VisitOptions {
  method?: string;
  /** A redirect whose neighbours may be down, so that 503 is an answer; without it, a visit is repeated after a 503. */
  of?: TestRedirect;
}

async function visit(host: string, path: string, { method = 'GET', of }: VisitOptions = {}): Promise<Answer> {
  if (of) return visitOnce({ host, path, method }, of);
  // A look-up can time out on a busy machine.
  return waitFor('an answer', async () => {
    const answer = await visitOnce({ host, path, method }, redirect);
    return answer.status !== 503 && answer;
  });
}

/** `fetch` cannot send a Host other than the URL's. */
function visitOnce({ host, path, method }: Record<'host' | 'path' | 'method', string>, { url }: TestRedirect) {
  return new Promise<Answer>((resolve, reject) => {
    const request = { method, headers: { host }, path };
    get(url, request, (response) => {
      const { location, 'cache-control': cacheControl } = response.headers;
      response.resume().on('end', () => resolve({ status: response.statusCode!, location, cacheControl }));
    }).on('error', reject);
  });
}

/** The whole answer. */
async function visitPage(host: string, path: string, method: string) {
  const [response] = (await once(get(redirect.url, { method, headers: { host }, path }), 'response')) as [
    IncomingMessage,
  ];
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, headers: response.headers, text };
}

const statusBecomes = (host: string, path: string, status: number) =>
  waitFor(
    `${host}${path} to answer ${status}`,
    async () => (await visit(host, path, { method: 'HEAD' })).status === status,
  );

/** A host that serves one link, as the events of two services say. */
async function servedHost(over: Partial<DomainSnapshot> = {}) {
  const domain = sampleDomain(over);
  const link = sampleLink({ hostname: domain.hostname });
  await neighbours.tell(linkCreated, link);
  await neighbours.tellDomain(domainVerified, domain);
  await statusBecomes(domain.hostname, `/${link.short_code}`, 302);
  return { domain, link, hostname: domain.hostname, path: `/${link.short_code}` };
}

const next = (domain: DomainSnapshot, over: Partial<DomainSnapshot>): DomainSnapshot =>
  Object.assign(domain, { revision: domain.revision + 1, ...over });

describe('a verified host', () => {
  test('serves its links under its exact name, and the scan names it', async () => {
    const { hostname, path, link } = await servedHost();
    for (const host of [hostname, `${hostname}:8443`, hostname.toUpperCase(), `${hostname}.`]) {
      expect(await visit(host, path)).toMatchObject({ status: 302, location: link.destination_url });
    }
    await waitFor('the scans', () => neighbours.scansOf(link).length === 4);
    expect(neighbours.scansOf(link).every((scan) => scan.hostname === hostname)).toBe(true);
  });

  test('is the one of a target in absolute form, with any Host header', async () => {
    const { hostname, path, link } = await servedHost();
    const elsewhere = 'elsewhere.example';
    for (const url of [`http://${hostname}${path}`, `HTTPS://${hostname}:443${path}`]) {
      expect(await visit(elsewhere, url)).toMatchObject({ status: 302, location: link.destination_url });
    }
    expect((await visit(hostname, `http://go.acme.com${path}`)).status).toBe(404);
    expect((await visit(hostname, `http://${hostname}`)).status).toBe(404);
  });

  test('serves nothing of the default host, nor of a parent, a child or a neighbour, and they nothing of it', async () => {
    const { hostname, path } = await servedHost();
    const other = await servedHost();
    const ofDefault = sampleLink();
    await neighbours.tell(linkCreated, ofDefault);
    await statusBecomes('go.acme.com', `/${ofDefault.short_code}`, 302);
    for (const [host, asked] of [
      [hostname, `/${ofDefault.short_code}`],
      [hostname, other.path],
      [other.hostname, path],
      ['go.acme.com', path],
      ['example.com', path],
      [`www.${hostname}`, path],
      [`x${hostname}`, path],
    ] as const) {
      expect([host, asked, (await visit(host, asked)).status]).toEqual([host, asked, 404]);
    }
  });

  test('serves a link that came to it, and the default host still does, where it was before; and the other way round', async () => {
    const { hostname, path, link } = await servedHost();
    const [here, away] = [
      { hostname, short_code: link.short_code },
      { hostname: null, short_code: 'came-from' },
    ];
    const came = { ...link, revision: 2, former_codes: [away] };
    await neighbours.tell(linkUpdated, came);
    await statusBecomes('go.acme.com', '/came-from', 302);
    expect((await visit(hostname, path)).status).toBe(302);
    await neighbours.tell(linkUpdated, { ...came, revision: 3, ...away, former_codes: [here] });
    await statusBecomes('go.acme.com', '/Came-From', 302);
    expect(await visit(hostname, path)).toMatchObject({ status: 302, location: link.destination_url });
    // The owner's event after the domain's deletion: nothing of the link is left on its host.
    await neighbours.tell(linkUpdated, { ...came, revision: 4, ...away, former_codes: [] });
    await statusBecomes(hostname, path, 404);
    expect((await visit('go.acme.com', '/came-from')).status).toBe(302);
  });

  test('serves once it is verified, although it was unknown before', async () => {
    const domain = sampleDomain({ status: 'pending', revision: 1 });
    const link = sampleLink({ hostname: domain.hostname });
    await neighbours.tell(linkCreated, link);
    await neighbours.tellDomain(domainCreated, domain);
    for (let i = 0; i < 5; i += 1) {
      expect((await visit(domain.hostname, `/${link.short_code}`)).status).toBe(404);
    }
    await neighbours.tellDomain(domainVerified, next(domain, { status: 'verified' }));
    await statusBecomes(domain.hostname, `/${link.short_code}`, 302);
  });

  test('goes on serving while it is degraded, stops when it has failed, and serves again when it is verified', async () => {
    const { domain, hostname, path } = await servedHost();
    await neighbours.tellDomain(domainDegraded, next(domain, { status: 'degraded' }));
    await neighbours.tellDomain(domainUpdated, next(domain, { not_found_url: 'https://www.acme.com/' }));
    await waitFor('the update', async () => (await visit(hostname, '/nothing')).status === 302);
    expect((await visit(hostname, path)).status).toBe(302);
    await neighbours.tellDomain(domainFailed, next(domain, { status: 'failed' }));
    await statusBecomes(hostname, path, 404);
    expect((await visit(hostname, '/nothing')).status).toBe(404);
    await neighbours.tellDomain(domainVerified, next(domain, { status: 'verified' }));
    await statusBecomes(hostname, path, 302);
  });

  test('stops when it is removed, and an older event that comes late changes nothing', async () => {
    const { domain, hostname, path } = await servedHost();
    const older = { ...domain };
    await neighbours.tellDomain(domainDeleted, next(domain, {}));
    await statusBecomes(hostname, path, 404);
    await neighbours.tellDomain(domainVerified, older);
    await servedHost();
    expect((await visit(hostname, path)).status).toBe(404);
  });

  test.each(['removed first', 'removed last'])(
    'passes to another workspace with nothing of the former (%s)',
    async (order) => {
      const { domain, hostname, path } = await servedHost();
      const theirs = sampleDomain({ hostname, not_found_url: 'https://globex.example.com/' });
      const their = sampleLink({ hostname, destination_url: 'https://globex.example.com/a' });
      const removed = domainDeleted.create({ workspace: WORKSPACE }, { domain: next(domain, {}) });
      const verified = domainVerified.create({ workspace: 'globex' }, { domain: theirs });
      const inOrder = order === 'removed first' ? [removed, verified] : [verified, removed];
      for (const event of inOrder) await neighbours.publisher.publish(event.type, event.id, JSON.stringify(event));
      await neighbours.tell(linkCreated, their, 'globex');
      await waitFor(
        'their link',
        async () => (await visit(hostname, `/${their.short_code}`)).location === their.destination_url,
      );
      expect(await visit(hostname, path)).toMatchObject({ status: 302, location: 'https://globex.example.com/' });
    },
  );
});

describe('what is not there on a host', () => {
  test('leads to its not_found_url: uncached, counted apart, and no scan', async () => {
    const url = 'https://www.acme.com/lost?a=1#top';
    const { hostname, link, path } = await servedHost({ not_found_url: url });
    const before = await redirect.metric('fallbacks_total');
    for (const asked of ['/nothing', '/q/nothing', '/nothing?utm_source=x', '/', '/a/b', '/%ff', '//evil.com']) {
      expect(await visit(hostname, asked)).toEqual({ status: 302, location: url, cacheControl: 'private, no-store' });
    }
    expect(await visit(hostname, '/nothing', { method: 'HEAD' })).toMatchObject({ status: 302, location: url });
    expect(await redirect.metric('fallbacks_total')).toBe(before + 7);
    await visit(hostname, path);
    await waitFor('the scan', () => neighbours.scansOf(link).length === 1);
    expect(neighbours.scans.filter((scan) => scan.hostname === hostname)).toHaveLength(1);
  });

  test('is a 404 without one, and follows its changes', async () => {
    const { domain, hostname } = await servedHost();
    expect((await visit(hostname, '/nothing')).status).toBe(404);
    for (const url of ['https://www.acme.com/1', 'https://www.acme.com/2']) {
      await neighbours.tellDomain(domainUpdated, next(domain, { not_found_url: url }));
      await waitFor('the new one', async () => (await visit(hostname, '/nothing')).location === url);
    }
    await neighbours.tellDomain(domainUpdated, next(domain, { not_found_url: null }));
    await statusBecomes(hostname, '/nothing', 404);
  });

  test('is a 410 for an archived link, with or without one', async () => {
    const { hostname, link, path } = await servedHost({ not_found_url: 'https://www.acme.com/' });
    await neighbours.tell(linkArchived, { ...link, revision: 2, status: 'archived' });
    await statusBecomes(hostname, path, 410);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.com', '\\\\evil.com', 'https://me:secret@acme.com/'])(
    'never leads to %s, however it came to be stored',
    async (not_found_url) => {
      const { hostname } = await servedHost({ not_found_url });
      expect(await visit(hostname, '/nothing')).toMatchObject({ status: 404, location: undefined });
    },
  );

  test('cannot break out of the header', async () => {
    const { hostname } = await servedHost({ not_found_url: 'https://www.acme.com/ü\r\nSet-Cookie: a=b' });
    expect((await visit(hostname, '/nothing')).location).toMatch(/^https:\/\/www\.acme\.com\/%C3%BC[\x21-\x7e]*$/);
  });
});

describe('what a host answers beside its links', () => {
  const ASSOCIATION =
    '{"applinks":{"details":[{"appIDs":["ABCDE12345.com.acme.app"],"components":[{"comment":"ü"}]}]}}';
  const ASSET_LINKS = '[{"include":"https://www.acme.com/assetlinks.json"}]';

  test('is the root_url at its bare address, and the not_found_url elsewhere, which are no scans', async () => {
    const [root_url, not_found_url] = ['https://www.acme.com/', 'https://www.acme.com/lost'];
    const { domain, hostname, path } = await servedHost({ root_url, not_found_url });
    const fallbacks = await redirect.metric('fallbacks_total');
    for (const asked of ['/', '/?utm_source=x', `http://${hostname}`]) {
      for (const method of ['GET', 'HEAD']) {
        const cacheControl = 'private, no-store';
        expect(await visit(hostname, asked, { method })).toEqual({ status: 302, location: root_url, cacheControl });
      }
    }
    expect(await redirect.metric('fallbacks_total')).toBe(fallbacks);
    for (const asked of ['//', '/nothing', '/q/']) expect((await visit(hostname, asked)).location).toBe(not_found_url);
    await neighbours.tellDomain(domainUpdated, next(domain, { root_url: null }));
    await waitFor('the change', async () => (await visit(hostname, '/')).location === not_found_url);
    await visit(hostname, path);
    await waitFor('the scan', () => neighbours.scans.some((scan) => scan.hostname === hostname));
    expect(neighbours.scans.filter((scan) => scan.hostname === hostname)).toHaveLength(1);
  });

  test('forbids to index its redirects, unless the domain says otherwise', async () => {
    const robots = async (host: string, path: string, method: string) =>
      (await visitPage(host, path, method)).headers['x-robots-tag'];
    const hidden = await servedHost({ not_found_url: 'https://www.acme.com/' });
    const shown = await servedHost({ not_found_url: 'https://www.acme.com/', indexable: true });
    for (const method of ['GET', 'HEAD']) {
      for (const path of [hidden.path, '/nothing']) expect(await robots(hidden.hostname, path, method)).toBe('noindex');
      for (const path of [shown.path, '/nothing']) expect(await robots(shown.hostname, path, method)).toBeUndefined();
    }
  });

  test('is the files for apps, as they are, without a redirect and without a fallback', async () => {
    const files = { apple_app_site_association: ASSOCIATION, assetlinks: ASSET_LINKS };
    const { domain, hostname } = await servedHost({ ...files, not_found_url: 'https://www.acme.com/' });
    const texts = { 'apple-app-site-association': ASSOCIATION, 'assetlinks.json': ASSET_LINKS };
    for (const [name, text] of Object.entries(texts)) {
      for (const method of ['GET', 'HEAD']) {
        const page = await visitPage(hostname, `/.well-known/${name}`, method);
        expect(page).toMatchObject({
          status: 200,
          headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
          text: method === 'GET' ? text : '',
        });
        expect(page.headers).not.toHaveProperty('location');
      }
    }
    await neighbours.tellDomain(domainUpdated, next(domain, { assetlinks: null }));
    await waitFor('the removal', async () => (await visit(hostname, '/.well-known/assetlinks.json')).status === 404);
    expect((await visit(hostname, '/.well-known/apple-app-site-association')).status).toBe(200);
    expect((await visit(hostname, '/.well-known/other')).status).toBe(302);
  });

  test('counts in the memory of the cache', async () => {
    const before = await redirect.metric('hosts_cache_bytes');
    const { domain, hostname } = await servedHost({ assetlinks: `["${'x'.repeat(60_000)}"]` });
    expect(await redirect.metric('hosts_cache_bytes')).toBeGreaterThan(before + 60_000);
    await neighbours.tellDomain(domainDeleted, next(domain, {}));
    await statusBecomes(hostname, '/.well-known/assetlinks.json', 404);
  });

  test('is the robots.txt and the favicon.ico of every short host, and of no other', async () => {
    const { hostname } = await servedHost({ not_found_url: 'https://www.acme.com/' });
    for (const [path, status] of [
      ['/robots.txt', 200],
      ['/favicon.ico', 204],
    ] as const) {
      expect((await visit(hostname, path)).status).toBe(status);
      expect((await visit(`not-${hostname}`, path)).status).toBe(404);
    }
  });

  test('is nothing for a domain of an event or a row without these fields', async () => {
    const notFoundUrl = 'https://www.acme.com/lost';
    const { id, revision, hostname, status, not_found_url } = sampleDomain();
    const old = domainVerified.create({ workspace: WORKSPACE }, { domain: {} as DomainSnapshot });
    const event = { ...old, data: { domain: { id, revision, hostname, status, not_found_url } } };
    await neighbours.publisher.publish(event.type, event.id, JSON.stringify(event));
    await statusBecomes(hostname, '/robots.txt', 200);
    expect((await visit(hostname, '/')).status).toBe(404);
    expect((await visit(hostname, '/.well-known/assetlinks.json')).status).toBe(404);
    const row = {
      id,
      key: hostname,
      aliases: [],
      revision,
      workspace: WORKSPACE,
      isGone: false,
      changedAt: new Date(),
    };
    expect(toHost({ ...row, notFoundUrl })).toMatchObject({ ...NO_HOST, fallback: notFoundUrl });
  });

  test('of the default host is what the operator has set', async () => {
    const urls = { ROOT_URL: 'https://www.acme.com/', NOT_FOUND_URL: 'https://www.acme.com/lost' };
    const directory = temporaryDirectory();
    const one = await startRedirect({ ...backing, ...urls, SPOOL_DIR: directory.path });
    const location = async (host: string, path: string) =>
      waitFor(`${host}${path}`, async () => {
        const answer = await visit(host, path, { of: one });
        return answer.status !== 503 && [answer.status, answer.location];
      });
    expect(await location('go.acme.com', '/')).toEqual([302, urls.ROOT_URL]);
    for (const path of ['/nothing', '/a/b'])
      expect(await location('go.acme.com', path)).toEqual([302, urls.NOT_FOUND_URL]);
    expect(await location('go.acme.com', '/.well-known/assetlinks.json')).toEqual([404, undefined]);
    expect(await location('go.acme.com', '/erased')).toEqual([410, undefined]);
    // They are no settings of other hosts.
    const { hostname, path } = await servedHost();
    await waitFor('the host', async () => (await location(hostname, path))[0] === 302);
    for (const host of [hostname, `not-${hostname}`]) {
      for (const asked of ['/', '/nothing']) expect(await location(host, asked)).toEqual([404, undefined]);
    }
    await one.stop();
    directory.remove();
  });
});

describe('a host that no event has told yet', () => {
  test('is looked up at its owner once for all waiting visitors, and served', async () => {
    const domain = sampleDomain({ not_found_url: 'https://www.acme.com/' });
    owners.set(domain.hostname, domain);
    const answers = await Promise.all(Array.from({ length: 20 }, () => visit(domain.hostname, '/nothing')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(302));
    expect(questions.filter((hostname) => hostname === domain.hostname)).toHaveLength(1);
  });

  test('without an owner is a 404, looked up at most once a second', async () => {
    const { hostname } = sampleDomain();
    const startedAt = Date.now();
    for (let i = 0; i < 50; i += 1) expect((await visit(hostname, '/nothing')).status).toBe(404);
    const seconds = Math.ceil((Date.now() - startedAt) / 1000);
    expect(questions.filter((asked) => asked === hostname).length).toBeLessThanOrEqual(seconds + 1);
  });
});

/** A request that waits for an absent server takes longer; an answer comes within 250 ms if a core is free. */
const HANGS_MS = 5000;

describe('without the others', () => {
  async function alone(env: Record<string, string>) {
    const directory = temporaryDirectory();
    const one = await startRedirect({ ...backing, ...env, SPOOL_DIR: directory.path });
    return { one, stop: () => one.stop().then(() => directory.remove()) };
  }

  test('a restarted process serves the hosts that its database knows, and says 503 to the others', async () => {
    const { hostname, path } = await servedHost({ not_found_url: 'https://www.acme.com/' });
    const { one, stop } = await alone({ AMQP_URL: NO_BROKER });
    await waitFor('the database', async () => (await visit(hostname, path, { of: one })).status === 302);
    const startedAt = Date.now();
    expect((await visit('never-seen.example.com', path, { of: one })).status).toBe(503);
    expect(Date.now() - startedAt).toBeLessThan(HANGS_MS);
    // A code that is not in the read model may be known to its owner.
    expect((await visit(hostname, '/nothing', { of: one })).status).toBe(503);
    await stop();
  });

  test('nor a database, it does not wait for them before it answers', async () => {
    const { hostname, path } = await servedHost();
    const { one, stop } = await alone({ AMQP_URL: NO_BROKER, MONGODB_URI: NO_DATABASE });
    const startedAt = Date.now();
    expect((await visit(hostname, path, { of: one })).status).toBe(503);
    expect(Date.now() - startedAt).toBeLessThan(HANGS_MS);
    await stop();
  });

  test('in a deployment without custom hosts each is a 404 at once', async () => {
    const { hostname, path } = await servedHost();
    const { one, stop } = await alone({ AMQP_URL: NO_BROKER, DEPLOYMENT: 'qr' });
    expect((await visit(hostname, path, { of: one })).status).toBe(404);
    await stop();
  });
});

describe('links of an erased workspace, without a record in the read model', () => {
  test('answer 410 on their custom host, until the host serves links of another workspace', async () => {
    const domain = sampleDomain();
    erasedHosts.add(domain.hostname);
    for (const path of ['/any-code', '/q/any-code', '/']) {
      expect([path, (await visit(domain.hostname, path)).status]).toEqual([path, 410]);
    }
    expect((await visit(`other-${domain.hostname}`, '/any-code')).status).toBe(404);

    const link = sampleLink({ hostname: domain.hostname });
    await neighbours.tell(linkCreated, link);
    await neighbours.tellDomain(domainVerified, domain);
    await statusBecomes(domain.hostname, `/${link.short_code}`, 302);
    expect((await visit(domain.hostname, '/any-code')).status).toBe(404);
  });

  test('answer 410 on the default host', async () => {
    expect((await visit('go.acme.com', '/erased')).status).toBe(410);
    const request = { headers: { host: 'go.acme.com' }, path: '/erased' };
    const [page] = (await once(get(redirect.url, request), 'response')) as [IncomingMessage];
    expect((await page.toArray()).join('')).toContain('This link no longer exists.');
    expect((await visit('go.acme.com', '/never-used')).status).toBe(404);
  });
});
