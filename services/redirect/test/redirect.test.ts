import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  rawScan,
  linkArchived,
  linkCreated,
  linkDeleted,
  linkReactivated,
  linkUpdated,
} from '@waymark/contract/events';
import { resolveCode, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor, waitForCount } from '@waymark/testing/wait-for';
import {
  Neighbours,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  visitUrl,
  WORKSPACE,
  type TestRedirect,
} from './support.js';

const spool = temporaryDirectory();
let neighbours: Neighbours;
let redirect: TestRedirect;
/** The links of the resource service, by code. */
const owned = new Map<string, ReturnType<typeof sampleLink>>();
const questions: string[] = [];
/** How long the resource service takes for a look-up. */
let lookUpMs = 0;

beforeAll(async () => {
  const backing = freshBacking();
  neighbours = new Neighbours(backing);
  serveRequests(neighbours.broker, resolveCode, async ({ short_code: code }) => {
    questions.push(code);
    await sleep(lookUpMs);
    const link = owned.get(code.toLowerCase());
    return { target: link ? { workspace: WORKSPACE, link } : null };
  });
  serveRequests(neighbours.broker, resolveHost, () => Promise.resolve({ owner: null }));
  await neighbours.start();
  redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path, PAGE_NAME: 'Acme <Links>' });
  await waitFor('broker and database', async () => (await visit('/nothing')).status === 404);
});
afterAll(async () => {
  await redirect.stop();
  await neighbours.stop();
  spool.remove();
});

const visitOnce = (path: string, init?: RequestInit) => visitUrl(redirect.url + path, init);

/** Visits again after a 503: a busy machine may not look a code up in time. */
const visit = (path: string, init?: RequestInit): Promise<Response> =>
  waitFor('an answer', async () => {
    const response = await visitOnce(path, init);
    return response.status !== 503 && response;
  });

async function publishLink(over: Parameters<typeof sampleLink>[0] = {}) {
  const link = sampleLink(over);
  await neighbours.tell(linkCreated, link);
  await waitFor('the link', async () => (await visit(`/${link.short_code}`, { method: 'HEAD' })).status !== 404);
  return link;
}

const statusBecomes = (path: string, status: number) =>
  waitFor(`${path} to answer ${status}`, async () => (await visit(path, { method: 'HEAD' })).status === status);

test('a page of the short host can neither be framed nor be used for forms, and the host asks for https', async () => {
  const { status, headers } = await visit('/not-a-link');
  expect(status).toBe(404);
  for (const directive of ['frame-ancestors', 'form-action', 'base-uri'])
    expect(headers.get('content-security-policy')).toContain(`${directive} 'none'`);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
});

describe('a visit to an active link', () => {
  test('gets a 302 to the destination with its UTM defaults, and nothing to cache or index', async () => {
    const link = await publishLink({ utm_defaults: { ...sampleLink().utm_defaults, utm_source: 'nl' } });
    const response = await visit(`/${link.short_code}?utm_medium=email`);
    expect(response.status).toBe(302);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location: 'https://acme.com/spring?utm_source=nl&utm_medium=email',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer-when-downgrade',
      'x-robots-tag': 'noindex',
      'content-length': '0',
    });
  });

  test.each([
    ['Sec-Purpose', 'prefetch;prerender', true],
    ['Purpose', 'Prefetch', true],
    ['X-Purpose', 'preview', true],
    ['X-Moz', 'prefetch', true],
    ['Purpose', 'reading', false],
  ])('with %s: %s is recorded as a prefetch or not', async (name, value, prefetch) => {
    const link = await publishLink();
    await visit(`/${link.short_code}`, { headers: { [name]: value } });
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect(scan!.prefetch).toBe(prefetch);
  });

  test('is one scan with everything that was seen', async () => {
    const link = await publishLink();
    const before = Date.now();
    await visit(`/${link.short_code}`, {
      headers: {
        'User-Agent': 'Agent "1" \\ é',
        'Accept-Language': 'de-AT,en;q=0.5',
        Referer: 'https://news.example.com/a?b',
        'Sec-Purpose': 'prefetch',
      },
    });
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect(rawScan.parse(scan)).toEqual({
      id: expect.stringMatching(/^scn_[0-9A-Z]{26}$/) as string,
      at: expect.any(String) as string,
      workspace: WORKSPACE,
      link_id: link.id,
      short_code: link.short_code,
      hostname: null,
      title: link.title,
      campaign: 'spring',
      trigger: 'link',
      address: '127.0.0.1',
      user_agent: 'Agent "1" \\ é',
      accept_language: 'de-AT,en;q=0.5',
      referrer: 'https://news.example.com/a?b',
      prefetch: true,
    });
    expect(Date.parse(scan!.at)).toBeGreaterThanOrEqual(before);
  });

  test('is counted exactly once for each of many visitors at the same time', async () => {
    const link = await publishLink();
    const responses = await Promise.all(Array.from({ length: 500 }, () => visit(`/${link.short_code}`)));
    expect(responses.every(({ status }) => status === 302)).toBe(true);
    await waitForCount('all scans', 500, () => neighbours.scansOf(link).length);
    expect(new Set(neighbours.scansOf(link).map(({ id }) => id)).size).toBe(500);
    await waitFor('the spool to be empty', async () => (await redirect.metric('spool_bytes')) === 0);
  });

  test('with HEAD gets the same answer and is not counted', async () => {
    const link = await publishLink();
    const head = await visit(`/${link.short_code}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('location')]).toEqual([302, link.destination_url]);
    await visit(`/${link.short_code}`);
    await waitFor('the scan', () => neighbours.scansOf(link).length > 0);
    expect(neighbours.scansOf(link)).toHaveLength(1);
  });

  test.each([
    ['/q/CODE', 'qr', ''],
    ['/Q/CODE', 'qr', ''],
    ['/CODE?qr=1', 'qr', ''],
    ['/CODE?qr=2', 'link', '?qr=2'],
    ['/CODE', 'link', ''],
    ['/%43ODE', 'link', ''],
  ])('at %s has the trigger %s', async (path, trigger, query) => {
    const link = await publishLink();
    const response = await visit(path.replace(/(%43|C)ODE/, link.short_code.replace('C', '$1')));
    expect(response.headers.get('location')).toBe(link.destination_url + query);
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect(scan!.trigger).toBe(trigger);
  });

  test('finds the code in capitals and in small letters', async () => {
    const { short_code: code } = await publishLink();
    expect((await visit(`/${code.toUpperCase()}`)).status).toBe(302);
    expect((await visit(`/${code.toLowerCase()}`)).status).toBe(302);
  });

  test('behind a trusted proxy is counted for the address that the proxy tells', async () => {
    const link = await publishLink();
    await visit(`/${link.short_code}`, { headers: { 'X-Forwarded-For': '198.51.100.1, 203.0.113.9' } });
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect(scan!.address).toBe('203.0.113.9');
  });

  test('cuts what is too long', async () => {
    const link = await publishLink();
    await visit(`/${link.short_code}`, { headers: { 'User-Agent': 'x'.repeat(600), Referer: 'y'.repeat(3000) } });
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect([scan!.user_agent.length, scan!.referrer.length]).toEqual([512, 2048]);
  });
});

describe('the time of a visit', () => {
  const countOf = (outcome: string) => redirect.metric('visit_seconds_count', `outcome="${outcome}"`);

  test.each([
    ['redirect', 302, 'GET', (code: string) => `/${code}`],
    ['redirect', 302, 'HEAD', (code: string) => `/${code}`],
    ['not_found', 404, 'GET', () => '/nothing'],
    ['refused', 405, 'POST', () => '/nothing'],
  ] as const)('counts one more %s for the answer %d to %s', async (outcome, status, method, pathOf) => {
    const { short_code: code } = await publishLink();
    const before = await countOf(outcome);
    expect((await visit(pathOf(code), { method })).status).toBe(status);
    expect(await countOf(outcome)).toBe(before + 1);
  });

  test('counts an archived link as gone', async () => {
    const link = await publishLink();
    const before = await countOf('gone');
    await neighbours.tell(linkArchived, { ...link, revision: 2, status: 'archived' });
    await statusBecomes(`/${link.short_code}`, 410);
    expect(await countOf('gone')).toBe(before + 1);
  });

  test('includes the look-up of the code', async () => {
    const sum = () => redirect.metric('visit_seconds_sum', 'outcome="redirect"');
    const before = await sum();
    lookUpMs = 50;
    await waitFor('a look-up in time', async () => {
      const link = sampleLink();
      owned.set(link.short_code.toLowerCase(), link);
      return (await visitOnce(`/${link.short_code}`)).status === 302;
    });
    lookUpMs = 0;
    expect((await sum()) - before).toBeGreaterThan(0.045);
  });
});

describe('the parameters that a visitor adds', () => {
  test.each([
    ['append', '?to=alice&utm_source=me&note=hi'],
    ['override', '?to=mallory&note=hi&utm_source=me'],
    ['drop', '?to=alice'],
  ] as const)('go through the query_policy %s of the link, which can change', async (query_policy, query) => {
    const destination_url = 'https://acme.com/pay?to=alice';
    const link = await publishLink({ destination_url, query_policy: query_policy === 'drop' ? 'override' : 'drop' });
    await neighbours.tell(linkUpdated, { ...link, revision: 2, query_policy });
    await waitFor('the change', async () => {
      const { headers } = await visit(`/${link.short_code}?to=mallory&note=hi&utm_source=me`);
      return headers.get('location') === `https://acme.com/pay${query}`;
    });
  });
});

describe('a change of a link', () => {
  test('of the destination is followed', async () => {
    const link = await publishLink();
    await neighbours.tell(linkUpdated, { ...link, revision: 2, destination_url: 'https://acme.com/summer' });
    await waitFor(
      'the new destination',
      async () => (await visit(`/${link.short_code}`)).headers.get('location') === 'https://acme.com/summer',
    );
  });

  test('answers in a sentence as without one', async () => {
    const link = await publishLink();
    for (const [path, query] of [
      ['.', ''],
      ['%E2%80%A6', ''],
      ['&x=1', '?x=1'],
      ['%3Fx=1', '?x=1'],
    ] as const) {
      const { status, headers } = await visit(`/q/${link.short_code}${path}`);
      expect([path, status, headers.get('location')]).toEqual([path, 302, link.destination_url + query]);
    }
  });

  test('that archives it answers 410, and 302 again after it was reactivated', async () => {
    const link = await publishLink();
    await neighbours.tell(linkArchived, { ...link, revision: 2, status: 'archived' });
    await statusBecomes(`/${link.short_code}`, 410);
    const json = await visit(`/${link.short_code}`, { headers: { Accept: 'application/json' } });
    expect(await json.json()).toEqual({ error: { code: 'gone', message: expect.any(String) as string } });
    expect(await (await visit(`/${link.short_code}`)).text()).toContain('<h1>No longer here</h1>');
    await neighbours.tell(linkReactivated, { ...link, revision: 3 });
    await statusBecomes(`/${link.short_code}`, 302);
    expect(neighbours.scansOf(link)).toHaveLength(0);
  });

  test('that deletes it answers 404, and an older event that comes late changes nothing', async () => {
    const link = await publishLink();
    await neighbours.tell(linkDeleted, { ...link, revision: 3 });
    await statusBecomes(`/${link.short_code}`, 404);
    await neighbours.tell(linkUpdated, { ...link, revision: 2 });
    const later = await publishLink();
    expect((await visit(`/${later.short_code}`)).status).toBe(302);
    expect((await visit(`/${link.short_code}`)).status).toBe(404);
  });

  test('of its code goes on serving a former one, which counts as a scan of the link', async () => {
    const link = await publishLink();
    const former_codes = [{ hostname: null, short_code: link.short_code }];
    const moved = { ...link, revision: 2, short_code: `${link.short_code}-new`, former_codes };
    await neighbours.tell(linkUpdated, moved);
    await statusBecomes(`/${moved.short_code}`, 302);
    const printed = await visit(`/q/${link.short_code}`);
    expect([printed.status, printed.headers.get('location')]).toEqual([302, link.destination_url]);
    const [scan] = await waitFor('the scan', () => neighbours.scansOf(link).length > 0 && neighbours.scansOf(link));
    expect(scan).toMatchObject({ short_code: moved.short_code, trigger: 'qr' });
  });

  test('of its code serves a former one that only the owner knows of', async () => {
    const link = sampleLink();
    const former_codes = [{ hostname: null, short_code: `${link.short_code}-old` }];
    owned.set(`${link.short_code}-old`.toLowerCase(), { ...link, revision: 2, former_codes });
    expect((await visit(`/${link.short_code}-old`)).status).toBe(302);
    expect((await visit(`/${link.short_code}`)).status).toBe(302);
  });

  test('of its code serves the new code and no longer the old one, which another link may take', async () => {
    const link = await publishLink();
    const moved = { ...link, revision: 2, short_code: `${link.short_code}-new` };
    await neighbours.tell(linkUpdated, moved);
    await statusBecomes(`/${moved.short_code}`, 302);
    await statusBecomes(`/${link.short_code}`, 404);
    const other = sampleLink({ short_code: link.short_code, destination_url: 'https://acme.com/other' });
    await neighbours.tell(linkCreated, other);
    await statusBecomes(`/${link.short_code}`, 302);
    expect((await visit(`/${link.short_code}`)).headers.get('location')).toBe('https://acme.com/other');
  });
});

describe('a code that no event has told yet', () => {
  test('is looked up at its owner once for all waiting visitors, and served', async () => {
    const { link, statuses } = await waitFor('a look-up in time', async () => {
      const link = sampleLink();
      owned.set(link.short_code.toLowerCase(), link);
      const responses = await Promise.all(Array.from({ length: 20 }, () => visitOnce(`/${link.short_code}`)));
      const statuses = responses.map(({ status }) => status);
      return !statuses.includes(503) && { link, statuses };
    });
    expect(statuses).toEqual(Array(20).fill(302));
    expect(questions.filter((code) => code === link.short_code)).toHaveLength(1);
    await waitFor('all scans', () => neighbours.scansOf(link).length === 20);
  });

  test('of a deleted link is looked up at its owner too, because it may belong to another link', async () => {
    const link = await publishLink();
    await neighbours.tell(linkDeleted, { ...link, revision: 2 });
    await statusBecomes(`/${link.short_code}`, 404);
    owned.set(link.short_code.toLowerCase(), sampleLink({ short_code: link.short_code }));
    // The redirect remembers the missing code for a second.
    await statusBecomes(`/${link.short_code}`, 302);
  });
});

describe('a path with a slash at its end', () => {
  test('is the same, with and without /q, and so is one with two', async () => {
    const link = await publishLink();
    await statusBecomes(`/${link.short_code}/`, 302);
    for (const [path, status] of [
      [`/${link.short_code}/?a=1`, 302],
      [`/q/${link.short_code}/`, 302],
      [`/${link.short_code}%2F`, 302],
      [`/${link.short_code}//`, 302],
      [`/${link.short_code}/x`, 404],
    ] as const) {
      expect([path, (await visit(path)).status]).toEqual([path, status]);
    }
  });
});

describe('anything else', () => {
  test.each([
    '/',
    '/nothing',
    '/nothing/deeper',
    '/nothing/',
    '/nothing//',
    '//nothing',
    '/q/',
    '/q/a/b',
    '/robots.txt/',
    '/.well-known/apple-app-site-association',
    '/.well-known/assetlinks.json',
    '/.well-known/other',
    '/%',
    '/%ff',
    '/%00',
    '/%2F',
    '/..%2f',
    '/12345678901234567890123456789012345678901234567890123456789012345',
    '//evil.com',
    '/?a=1',
  ])('%s is a 404', async (path) => {
    expect((await visit(path)).status).toBe(404);
  });

  test('unknown is a page for browsers and the error envelope for programs', async () => {
    const page = await visit('/nothing', { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<h1>Not found</h1>');
    const json = await visit('/nothing', { headers: { Accept: 'application/json' } });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await json.json()).toEqual({ error: { code: 'not_found', message: expect.any(String) as string } });
  });

  test('is a page in the language that the visitor prefers, with the name of the installation', async () => {
    const page = async (language: string, accept = 'text/html') => {
      const response = await visit('/nothing', { headers: { Accept: accept, 'Accept-Language': language } });
      expect(response.headers.get('vary')).toBe('Accept, Accept-Language');
      return response.text();
    };
    const german = await page('fr, de-AT;q=0.9, en;q=0.8');
    expect(german).toContain('<html lang="de">');
    expect(german).toContain('<title>Nicht gefunden · Acme &lt;Links&gt;</title>');
    const english = await page('fr');
    expect(english).toContain('<html lang="en">');
    expect(english).toContain('<footer>Acme &lt;Links&gt;</footer>');
    expect(await page('de', 'application/json')).toBe(await page('en', 'application/json'));
  });

  test.each([
    ['/robots.txt', 200, 'text/plain; charset=utf-8', 'User-agent: *\nDisallow:\n'],
    ['/robots.txt?a=1', 200, 'text/plain; charset=utf-8', 'User-agent: *\nDisallow:\n'],
    ['/favicon.ico', 204, null, ''],
  ])('%s is no link: %i', async (path, status, type, text) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await visit(path, { method });
      expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(await response.text()).toBe(method === 'GET' ? text : '');
    }
  });

  test('on another host is a 404, also for a code of the default host', async () => {
    const link = await publishLink();
    const answer = await raw(`GET /${link.short_code} HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw(`GET /${link.short_code} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 404 /);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is a 405', async (method) => {
    const response = await visit('/nothing', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('to two hosts is a 400, whichever comes first', async () => {
    const link = await publishLink();
    const { host } = new URL(redirect.url);
    for (const hosts of [
      ['Host: evil.example.com', `host: ${host}`],
      [`HOST: ${host}`, `Host: ${host}`],
    ]) {
      const headers = [...hosts, 'Connection: close'].join('\r\n');
      expect(await raw(`GET /${link.short_code} HTTP/1.1\r\n${headers}\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
    }
  });

  test.each([
    ['in its version', 'GET / HTTP/9.9\r\n\r\n'],
    ['in every way', 'rubbish\r\n\r\n'],
    ['in its path', 'GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['in the size of its headers', `GET /a HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('malformed %s is refused, and the next visitor is served', async (_what, request) => {
    expect(await raw(request)).toMatch(/^HTTP\/1.1 4\d\d /);
    expect((await visit('/nothing')).status).toBe(404);
  });
});

/** Sends exactly these bytes. @returns the answer, up to the end of the connection */
function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(redirect.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
