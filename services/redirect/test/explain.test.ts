import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { destinationBlocked, domainVerified, linkCreated, type LinkSnapshot } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { explainVisit, resolveCode, resolveHost } from '@waymark/contract/requests';
import { openRequester, serveRequests, type Requester } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { publishEvent } from '@waymark/testing/publish-event';
import { waitFor } from '@waymark/testing/wait-for';
import {
  Neighbours,
  sampleDomain,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  visitUrl,
  WORKSPACE,
  type TestRedirect,
} from './support.js';

const spool = temporaryDirectory();
const backing = freshBacking();
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const GOOGLEBOT = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
let neighbours: Neighbours;
let requester: Requester;
let redirect: TestRedirect;

beforeAll(async () => {
  neighbours = new Neighbours(backing);
  requester = openRequester(neighbours.broker);
  serveRequests(neighbours.broker, resolveCode, () => Promise.resolve({ target: null }));
  serveRequests(neighbours.broker, resolveHost, () => Promise.resolve({ owner: null }));
  await neighbours.start();
  redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path, VISITOR_MISSES_PER_MINUTE: '1000000' });
  await waitFor('broker and database', async () => (await visitUrl(`${redirect.url}/nothing`)).status === 404);
});
afterAll(async () => {
  agent.destroy();
  await redirect.stop();
  await neighbours.stop();
  spool.remove();
});

const agent = new Agent({ keepAlive: true });

/** Visits a URL of any host at the running redirect. */
function visit(url: URL, userAgent: string): Promise<{ status: number; location: string | null }> {
  const { hostname, port } = new URL(redirect.url);
  const headers = { Host: url.host, 'User-Agent': userAgent };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, path: url.pathname + url.search, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode!, location: response.headers.location ?? null }));
    });
    sent.on('error', reject).end();
  });
}

const explain = async (url: string, { userAgent = CHROME, workspace = WORKSPACE, at = new Date() } = {}) =>
  requester.ask(explainVisit, { workspace, url, user_agent: userAgent, at: at.toISOString() }, 5000);

async function publish(links: LinkSnapshot[]): Promise<void> {
  await Promise.all(links.map((link) => neighbours.tell(linkCreated, link)));
  const last = links.at(-1)!;
  await waitFor('the links', async () => (await explain(last.short_url)).link_id === last.id);
}

test('names the steps up to the one that decides, and counts nothing', async () => {
  const link = sampleLink({ max_scans: 2, utm_defaults: { ...sampleLink().utm_defaults, utm_source: 'nl' } });
  await publish([link]);
  for (let round = 0; round < 3; round += 1) {
    const { explanation, link_id } = await explain(`${link.short_url}?a=%C3%BC&utm_source=x`);
    expect(link_id).toBe(link.id);
    expect(explanation).toMatchObject({
      status: 302,
      location: 'https://acme.com/spring?utm_source=x&a=%C3%BC',
      scan: { counted: true, is_bot: false, bot_pattern: null },
      parameters: [
        { name: 'utm_source', value: 'x', from: 'visitor' },
        { name: 'a', value: 'ü', from: 'visitor' },
      ],
    });
    expect(explanation.steps.map(({ step, result }) => `${step} ${result}`)).toEqual([
      'host default',
      'code found',
      'blocked no',
      'archived no',
      'availability available',
      'query append',
    ]);
    expect(explanation.steps.at(-2)!.because).toBe('The link is open: 0 of 2 scans are used.');
  }
  await visit(new URL(link.short_url), CHROME);
  expect((await explain(link.short_url)).explanation.steps.at(-2)!.because).toContain('1 of 2 scans');
});

test('tells a visit at another time, and one by a bot', async () => {
  const link = sampleLink({ starts_at: '2030-01-01T09:00:00.000Z', expires_at: '2030-02-01T09:00:00.000Z' });
  await publish([link]);
  const at = async (time: string) => (await explain(link.short_url, { at: new Date(time) })).explanation;
  expect(await at('2030-01-01T08:59:59.999Z')).toMatchObject({ status: 404, location: null });
  expect((await at('2029-01-01T00:00:00Z')).steps.at(-1)).toEqual({
    step: 'availability',
    result: 'scheduled',
    because: 'The link opens at 2030-01-01T09:00:00.000Z.',
  });
  expect(await at('2030-01-01T09:00:00.000Z')).toMatchObject({ status: 302, location: link.destination_url });
  expect(await at('2030-02-01T09:00:00.000Z')).toMatchObject({ status: 410, location: null, parameters: [] });
  const { explanation } = await explain(link.short_url, { userAgent: GOOGLEBOT, at: new Date('2030-01-05T00:00:00Z') });
  expect(explanation.scan).toEqual({ counted: false, is_bot: true, bot_pattern: expect.stringMatching(/google|bot/i) });
});

test('explains a code, a host and a link of another workspace as unknown', async () => {
  const link = sampleLink();
  const domain = sampleDomain();
  const onDomain = sampleLink({
    hostname: domain.hostname,
    short_url: `https://${domain.hostname}/x`,
    short_code: 'x',
  });
  await neighbours.tellDomain(domainVerified, domain);
  await publish([link, onDomain]);
  const unknown = { explanation: { status: 404, location: null, scan: { counted: false } }, link_id: null };
  expect((await explain(onDomain.short_url)).explanation.status).toBe(302);
  expect(await explain(onDomain.short_url, { workspace: 'globex' })).toMatchObject(unknown);
  const strange = await explain(link.short_url, { workspace: 'globex' });
  expect(strange).toMatchObject(unknown);
  const nothing = await explain(link.short_url.replace(link.short_code, 'nothing'), { workspace: 'globex' });
  expect(strange.explanation.steps.map(({ result }) => result)).toEqual(
    nothing.explanation.steps.map(({ result }) => result),
  );
  expect((await explain('https://elsewhere.example/x')).explanation.steps).toMatchObject([
    { step: 'host', result: 'unknown' },
  ]);
});

const CASES = 10_000;
const AT_ONCE = 20;
const HOUR_MS = 3600_000;
/** Hours from now, none of which passes during the test. */
const hours = fc.constantFrom(null, -48, -2, 2, 48);
const urls = fc.constantFrom(
  'https://acme.com',
  'https://acme.com/a/?own=1&utm_source=x#top',
  'http://acme.com/%C3%BC?a=1&a=2',
  'https://acme.com/x?',
);
const randomLink = fc.record({
  starts: hours,
  ends: hours,
  expired_url: fc.option(urls),
  max_scans: fc.constantFrom(null, 1, 5),
  scans_count: fc.constantFrom(0, 4, 5),
  redirect_status: fc.constantFrom(301, 302, 307, 308),
  forward_path: fc.boolean(),
  query_policy: fc.constantFrom('append', 'override', 'drop'),
  status: fc.constantFrom('active', 'active', 'active', 'archived'),
  blocked: fc.constantFrom(null, null, null, { at: '2026-01-31T12:00:00.000Z', reason: 'Phishing' }),
  destination_url: urls,
  utm_source: fc.option(fc.constantFrom('nl', 'a b', 'ü')),
  isOnDomain: fc.boolean(),
});
const randomVisit = fc.record({
  userAgent: fc.constantFrom(CHROME, GOOGLEBOT, 'curl/8.1'),
  prefix: fc.constantFrom('/', '/q/', '/Q/'),
  rest: fc.constantFrom('', '', '', '/', '.', '/a/b', '/..%2fa', '/../x', '//evil.example', `/${'a'.repeat(1100)}`),
  query: fc.constantFrom('', '?', '?qr=1', '?a=9&b=%20', '?utm_source=v&utm_medium=m', '?own=2;x=1', '?ü=é'),
  isUnknown: fc.constantFrom(false, false, false, false, true),
});

test(`agrees with the running redirect about ${CASES} links and visitors: same status, same Location`, async () => {
  const domain = sampleDomain({
    root_url: 'https://acme.com/',
    not_found_url: 'https://blocked.example/nothing-here',
    expired_url: 'https://acme.com/over-here',
  });
  await neighbours.tellDomain(domainVerified, domain);
  const block = { host: 'blocked.example', revision: 1, is_blocked: true };
  await publishEvent(neighbours.publisher, destinationBlocked.create({ workspace: null }, block));
  const statusAt = async (url: string) => (await explain(url)).explanation.status;
  await waitFor('the block', async () => (await statusAt(`https://${domain.hostname}/no.code`)) === 451);
  const cases = fc.sample(fc.tuple(randomLink, randomVisit), { numRuns: CASES }).map(([over, visitor], index) => {
    const { starts, ends, utm_source, isOnDomain, ...fields } = over;
    const at = (offset: number | null) =>
      offset === null ? null : new Date(Date.now() + offset * HOUR_MS).toISOString();
    const hostname = isOnDomain ? domain.hostname : null;
    const short_code = `case${index}`;
    const origin = `https://${hostname ?? 'go.acme.com'}`;
    const link: LinkSnapshot = sampleLink({
      ...fields,
      id: newId('lnk'),
      short_code,
      hostname,
      short_url: `${origin}/${short_code}`,
      starts_at: at(starts),
      expires_at: at(ends),
      utm_defaults: { ...sampleLink().utm_defaults, utm_source },
    });
    const code = visitor.isUnknown ? `unknown${index}` : short_code;
    return {
      link,
      userAgent: visitor.userAgent,
      url: `${origin}${visitor.prefix}${code}${visitor.rest}${visitor.query}`,
    };
  });
  await publish(cases.map(({ link }) => link));
  const seen = new Set<string>();
  const check = async ({ url, userAgent }: { url: string; userAgent: string }) => {
    const { explanation } = await explain(url, { userAgent });
    const answer = await visit(new URL(url), userAgent);
    expect({ url, status: explanation.status, location: explanation.location }).toEqual({ url, ...answer });
    const { step, result } = explanation.steps.at(-1)!;
    seen.add(`${step} ${result} ${explanation.location === null ? 'nowhere' : 'leads on'}`);
  };
  for (let start = 0; start < CASES; start += AT_ONCE)
    await Promise.all(cases.slice(start, start + AT_ONCE).map(check));
  expect(await statusAt(`https://${domain.hostname}/`)).toBe(302);
  // The cases are not all alike.
  expect(seen.size).toBeGreaterThanOrEqual(10);
});
