import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainVerified, linkCreated, linkExpired, linkUpdated, type LinkSnapshot } from '@waymark/contract/events';
import { resolveCode, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import {
  Neighbours,
  sampleDomain,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  visitUrl,
  type TestRedirect,
} from './support.js';

const spools = [temporaryDirectory(), temporaryDirectory()] as const;
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const backing = freshBacking();
const HOUR_MS = 3600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

let neighbours: Neighbours;
let redirects: TestRedirect[];

beforeAll(async () => {
  neighbours = new Neighbours(backing);
  serveRequests(neighbours.broker, resolveCode, () => Promise.resolve({ target: null }));
  serveRequests(neighbours.broker, resolveHost, () => Promise.resolve({ owner: null }));
  await neighbours.start();
  redirects = await Promise.all(spools.map(({ path }) => startRedirect({ ...backing, SPOOL_DIR: path })));
  for (const { url } of redirects)
    await waitFor('broker and database', async () => (await visitUrl(`${url}/nothing`)).status === 404);
});
afterAll(async () => {
  for (const redirect of redirects) await redirect.stop();
  await neighbours.stop();
  for (const spool of spools) spool.remove();
});

/** Visits as a person, again after a 503: a busy machine may not look a code up in time. */
const visit = (path: string, init: RequestInit = {}, redirect = redirects[0]!): Promise<Response> =>
  waitFor('an answer', async () => {
    const headers = { 'User-Agent': CHROME, ...init.headers };
    const response = await visitUrl(redirect.url + path, { ...init, headers });
    return response.status !== 503 && response;
  });

async function publish(over: Partial<LinkSnapshot> = {}): Promise<LinkSnapshot> {
  const link = sampleLink(over);
  await neighbours.tell(linkCreated, link);
  for (const redirect of redirects) {
    await waitFor('the link', async () => {
      const response = await visit(
        `/${link.short_code}`,
        { method: 'HEAD', headers: { Accept: 'text/html' } },
        redirect,
      );
      return response.status !== 404 || over.starts_at != null;
    });
  }
  return link;
}

/** Returns the `Location` of an answer at another host than that of the URL, if it has one. */
function requestAt(url: string, host: string, path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { headers: { Host: host, 'User-Agent': CHROME } }, (response) => {
      response.resume();
      resolve(response.headers.location);
    });
    sent.on('error', reject).end();
  });
}

/** Returns the link after a change that every redirect knows. */
async function change(link: LinkSnapshot, over: Partial<LinkSnapshot>, isKnown: (answer: Response) => boolean) {
  const changed = { ...link, ...over, revision: link.revision + 1 };
  await neighbours.tell(linkUpdated, changed);
  for (const redirect of redirects)
    await waitFor('the change', async () => isKnown(await visit(`/${link.short_code}`, { method: 'HEAD' }, redirect)));
  return changed;
}

const answerOf = async (link: LinkSnapshot, init?: RequestInit, redirect?: TestRedirect) => {
  const { status, headers } = await visit(`/${link.short_code}`, init, redirect);
  return [status, headers.get('location')];
};

describe('a link with a schedule', () => {
  test('answers 404 without its date before the start, and redirects from then on', async () => {
    const startsAt = Date.now() + 3000;
    const link = await publish({ starts_at: new Date(startsAt).toISOString() });
    const json = { headers: { Accept: 'application/json' } };
    const early = await waitFor('the link', async () => {
      const response = await visit(`/${link.short_code}`, json);
      const { error } = (await response.json().catch(() => ({ error: {} }))) as { error: { message?: string } };
      return (error.message?.includes('yet') || Date.now() > startsAt) && { response, error };
    });
    if (Date.now() < startsAt) {
      expect(early.response.status).toBe(404);
      expect(early.error).toEqual({ code: 'not_found', message: 'This link is not available yet.' });
    }
    await waitFor('the start', async () => (await visit(`/${link.short_code}`)).status === 302);
    expect(Date.now()).toBeGreaterThanOrEqual(startsAt);
  });

  test('leads to its expired_url after the end, else answers 410, and is never a scan', async () => {
    const gone = await publish({ expires_at: inHours(-1) });
    const elsewhere = await publish({ expires_at: inHours(-1), expired_url: 'https://acme.com/over?a=1' });
    expect(await answerOf(gone)).toEqual([410, null]);
    expect(await (await visit(`/${gone.short_code}`)).text()).toContain('has expired');
    expect(await answerOf(elsewhere)).toEqual([302, 'https://acme.com/over?a=1']);
    const { headers } = await visit(`/${elsewhere.short_code}?utm_source=x`);
    expect([headers.get('location'), headers.get('cache-control')]).toEqual([
      'https://acme.com/over?a=1',
      'private, no-store',
    ]);
    const open = await publish();
    await visit(`/${open.short_code}`);
    await waitFor('the scan', () => neighbours.scansOf(open).length === 1);
    expect(neighbours.scansOf(elsewhere)).toEqual([]);
    expect(await redirects[0]!.metric('expired_visits_total')).toBeGreaterThanOrEqual(2);
  });

  test('on a custom host leads to the expired_url of the host, unless it has one of its own', async () => {
    const domain = sampleDomain({ expired_url: 'https://acme.com/host-over' });
    await neighbours.tellDomain(domainVerified, domain);
    const on = { hostname: domain.hostname, expires_at: inHours(-1) };
    const [plain, own] = [sampleLink(on), sampleLink({ ...on, expired_url: 'https://acme.com/own-over' })];
    for (const link of [plain, own]) await neighbours.tell(linkCreated, link);
    const locationOf = ({ short_code }: LinkSnapshot) =>
      waitFor('the link', () => requestAt(redirects[0]!.url, domain.hostname, `/${short_code}`));
    expect(await locationOf(plain)).toBe('https://acme.com/host-over');
    expect(await locationOf(own)).toBe('https://acme.com/own-over');
  });

  test('answers at the millisecond of its end', async () => {
    const end = Date.now() + 4000;
    const link = await publish({ expires_at: new Date(end).toISOString() });
    const statuses: [number, number, number][] = [];
    do {
      const from = Date.now();
      const { status } = await visit(`/${link.short_code}`, { method: 'HEAD' });
      statuses.push([from, status, Date.now()]);
      await sleep(20);
    } while (Date.now() < end + 200);
    expect(statuses.filter(([from, status]) => status === 302 && from >= end)).toEqual([]);
    expect(statuses.filter(([, status, to]) => status === 410 && to < end)).toEqual([]);
  });

  test('an unsafe expired_url is none', async () => {
    const link = await publish({ expires_at: inHours(-1), expired_url: 'javascript:alert(1)' });
    expect(await answerOf(link)).toEqual([410, null]);
  });
});

describe('max_scans', () => {
  const visits = async (link: LinkSnapshot, count: number, among: TestRedirect[]) => {
    const answers = Array.from({ length: count }, (_, index) =>
      visit(`/${link.short_code}`, {}, among[index % among.length]),
    );
    return (await Promise.all(answers)).filter(({ status }) => status === 302).length;
  };

  test('lets exactly as many of 100 simultaneous people pass in one redirect', async () => {
    const link = await publish({ max_scans: 40 });
    expect(await visits(link, 100, [redirects[0]!])).toBe(40);
    await waitFor('the scans', () => neighbours.scansOf(link).length === 40);
  });

  test('lets no more than the visitors of a second pass beyond it in two redirects, and ends in both', async () => {
    const link = await publish({ max_scans: 40, expired_url: 'https://acme.com/sold-out' });
    const passed = await Promise.all(
      redirects.map((redirect) =>
        Promise.all(Array.from({ length: 50 }, () => visit(`/${link.short_code}`, {}, redirect))),
      ),
    );
    const toDestination = passed
      .flat()
      .filter(({ headers }) => headers.get('location') === link.destination_url).length;
    expect(toDestination).toBeGreaterThanOrEqual(40);
    expect(toDestination).toBeLessThanOrEqual(80);
    for (const redirect of redirects)
      await waitFor('its end', async () => (await answerOf(link, {}, redirect))[1] === 'https://acme.com/sold-out');
  });

  test('counts neither bots, nor previews, nor HEAD', async () => {
    const link = await publish({ max_scans: 1 });
    const others: RequestInit[] = [
      { headers: { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } },
      { headers: { 'User-Agent': 'WhatsApp/2.23.20.0' } },
      { headers: { 'User-Agent': '' } },
      { headers: { 'Sec-Purpose': 'prefetch;prerender' } },
      { method: 'HEAD' },
    ];
    for (let round = 0; round < 20; round += 1)
      for (const init of others) expect((await visit(`/${link.short_code}`, init)).status).toBe(302);
    expect(await answerOf(link)).toEqual([302, link.destination_url]);
    expect(await answerOf(link)).toEqual([410, null]);
    expect(await answerOf(link, others[0])).toEqual([410, null]);
  });

  test('begins with the scans that the link has, opens again when it is raised, and keeps its count without it', async () => {
    const used = await publish({ max_scans: 3, scans_count: 2 });
    expect(await visits(used, 10, [redirects[0]!])).toBe(1);
    const raised = await change(used, { max_scans: 5, scans_count: 2 }, ({ status }) => status === 302);
    expect(await visits(raised, 10, [redirects[0]!])).toBe(2);
    const open = await change(raised, { max_scans: null, scans_count: 3 }, ({ status }) => status === 302);
    await change(open, { max_scans: 5, scans_count: 5 }, ({ status }) => status === 410);
  });

  test('ends with the event of the owner, which counts the scans of all redirects', async () => {
    const link = await publish({ max_scans: 3 });
    await neighbours.tell(linkExpired, { ...link, revision: 2, scans_count: 3 });
    for (const redirect of redirects)
      await waitFor('its end', async () => (await answerOf(link, { method: 'HEAD' }, redirect))[0] === 410);
  });

  test('survives a restart, also of a redirect that did not know the link', async () => {
    const link = await publish({ max_scans: 2 });
    expect(await visits(link, 5, [redirects[0]!])).toBe(2);
    // It learns of the count with a scan of its own.
    await waitFor('the count of both', async () => (await answerOf(link, {}, redirects[1]))[0] === 410);
    for (const [index, { path }] of spools.entries()) {
      await redirects[index]!.stop();
      redirects[index] = await startRedirect({ ...backing, SPOOL_DIR: path });
      const restarted = await waitFor('the database', async () => {
        const [status] = await answerOf(link, {}, redirects[index]);
        return status !== 404 && status;
      });
      expect(restarted).toBe(410);
    }
  });
});

test.each([301, 302, 307, 308] as const)('a link redirects with %d, which nobody caches', async (redirect_status) => {
  const link = await publish({ redirect_status });
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await visit(`/${link.short_code}`, { method });
    expect([status, headers.get('location')]).toEqual([redirect_status, link.destination_url]);
    expect(headers.get('cache-control')).toBe('private, no-store');
  }
  await waitFor('the scan', () => neighbours.scansOf(link).length === 1);
});

describe('forward_path', () => {
  test('adds the path behind the code to the destination, and keeps query and fragment in place', async () => {
    const link = await publish({ forward_path: true, destination_url: 'https://acme.com/shop/?own=1#top' });
    const locationOf = async (rest: string) => (await visit(`/${link.short_code}${rest}`)).headers.get('location');
    expect(await locationOf('')).toBe('https://acme.com/shop/?own=1#top');
    expect(await locationOf('/')).toBe('https://acme.com/shop/?own=1#top');
    expect(await locationOf('/a/b?c=2')).toBe('https://acme.com/shop/a/b?own=1&c=2#top');
    expect(await locationOf('/a%2Fb/%C3%BC')).toBe('https://acme.com/shop/a%2Fb/%C3%BC?own=1#top');
    const qr = await visit(`/q/${link.short_code}/x`);
    expect(qr.headers.get('location')).toBe('https://acme.com/shop/x?own=1#top');
    await waitFor('the scans', () => neighbours.scansOf(link).some(({ trigger }) => trigger === 'qr'));
  });

  test('without it such a path is a 404, as before', async () => {
    const link = await publish();
    expect((await visit(`/${link.short_code}/a`)).status).toBe(404);
    expect((await visit(`/${link.short_code}/`)).status).toBe(302);
    expect(neighbours.scansOf(link).length).toBeLessThanOrEqual(1);
  });

  test('of a path that is too long is a 404', async () => {
    const link = await publish({ forward_path: true });
    expect((await visit(`/${link.short_code}/${'a'.repeat(1023)}`)).status).toBe(302);
    expect((await visit(`/${link.short_code}/${'a'.repeat(1024)}`)).status).toBe(404);
  });
});
