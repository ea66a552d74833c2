import { networkOf, networksOf } from '@waymark/kernel/limits/networks';
import { NetworkBuckets } from '@waymark/kernel/limits/network-buckets';
import { waitFor } from '@waymark/testing/wait-for';
import { Edge, type EdgeGateway } from './edge.js';

/** Much more than drains during a test, and few enough for a test to send. */
const LIMIT = 60;

let edge: Edge;
let gateway: EdgeGateway;
let token: string;

beforeAll(async () => {
  edge = await Edge.start({ API_WORKSPACE_REQUESTS_PER_MINUTE: '100000' });
  gateway = await edge.startGateway({ UNAUTHENTICATED_REQUESTS_PER_MINUTE: String(LIMIT) });
  token = await edge.addMember('acme', 'ada');
});
afterAll(() => edge.stop());

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  to?: EdgeGateway;
}

const LINKS = '/api/v1/workspaces/acme/links';
const send = (address: string, { path = LINKS, headers, to = gateway, ...init }: Sent = {}) =>
  fetch(to.url + path, { ...init, headers: { 'x-forwarded-for': address, ...headers } });
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const cookie = (value: string) => ({ cookie: `__Host-waymark_session=${value}` });
const statusOf = async (address: string, sent: Sent = {}) => {
  const response = await send(address, sent);
  await response.arrayBuffer();
  return response.status;
};

/** Sends requests until one is refused. @returns how many passed before, and the refusal */
async function flood(address: string, sentOf: (index: number) => Sent): Promise<{ passed: number; refusal: Response }> {
  for (let passed = 0; passed < 3 * LIMIT; passed += 1) {
    const response = await send(address, sentOf(passed));
    if (response.status === 429) return { passed, refusal: response };
    await response.arrayBuffer();
  }
  throw new Error('the address was never refused');
}

const FLOODS: [name: string, sentOf: (index: number) => Sent][] = [
  ['no credential', () => ({})],
  ['sessions that do not exist', (index) => ({ headers: cookie(`unknown-${index}`) })],
  ['tokens that do not exist', (index) => ({ headers: bearer(`wmk_${index}`) })],
  ['paths that do not exist', (index) => ({ path: `/api/v1/nothing/${index}` })],
  [
    'paths that do not exist, with a made-up session',
    (index) => ({ path: '/api/v1/nothing', headers: cookie(`${index}`) }),
  ],
  ['methods that are not allowed', () => ({ method: 'DELETE', path: '/api/v1/user' })],
  ['malformed requests', () => ({ headers: { 'x-host': 'a', authorization: 'Basic x' } })],
  [
    'sign-ins that are not valid',
    () => ({ method: 'POST', path: '/api/v1/session', headers: { 'content-type': 'application/json' }, body: '{}' }),
  ],
  ['look-ups of invitations that do not exist', (index) => ({ path: `/api/v1/invitations/unknown-${index}` })],
  ['the description of the API', () => ({ path: '/api/v1/openapi.json' })],
];

test.each(FLOODS)('refuses an address that sends %s beyond its limit, and no other address', async (name, sentOf) => {
  const number = FLOODS.findIndex(([other]) => other === name);
  const address = `198.51.100.${number}`;
  const { passed, refusal } = await flood(address, sentOf);
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refusal.json()).toEqual({
    error: { code: 'rate_limit_exceeded', message: 'Too many requests from this address. Try again later.' },
  });
  expect(await statusOf(`203.0.113.${number}`)).toBe(401);
});

test('passes a token that was good before while its address floods with unknown ones', async () => {
  const address = '198.51.100.100';
  const good = { headers: bearer(token) };
  expect(await statusOf(address, good)).toBe(200);
  await flood(address, (index) => ({ headers: bearer(`wmk_${index}`) }));
  const bursts = await Promise.all(
    Array.from({ length: LIMIT }, (_, index) =>
      Promise.all([statusOf(address, { headers: cookie(`u${index}`) }), statusOf(address, good)]),
    ),
  );
  expect(new Set(bursts.map(([, status]) => status))).toEqual(new Set([200]));
  expect(bursts.map(([status]) => status)).toContain(429);
});

test.each([
  ['paths that do not exist', '/api/v1/workspaces/acme/nothing'],
  ['the page of the documentation', '/docs'],
  ['the description of the API', '/api/v1/openapi.json'],
])('counts %s with a good credential for the address, which still passes elsewhere', async (_, path) => {
  const address = `198.51.100.${110 + path.length}`;
  const good = { headers: bearer(token) };
  expect(await statusOf(address, good)).toBe(200);
  const { passed } = await flood(address, () => ({ ...good, path }));
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  expect(await statusOf(address, good)).toBe(200);
});

test('limits the preflights of an address apart from its other requests, and to ten times as many', async () => {
  const strict = await edge.startGateway({ UNAUTHENTICATED_REQUESTS_PER_MINUTE: String(LIMIT / 10) });
  const address = '198.51.100.104';
  const preflight = {
    to: strict,
    method: 'OPTIONS',
    path: '/api/v1/session',
    headers: { origin: 'https://app.example' },
  };
  const { passed, refusal } = await flood(address, () => preflight);
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await statusOf(address, { to: strict })).toBe(401);
  expect(await statusOf(address, { to: strict, headers: bearer(token) })).toBe(200);
  expect(await statusOf('203.0.113.104', preflight)).toBe(204);
});

test('asks auth about a remembered token all the same: a revoked one is refused, and counts', async () => {
  const address = '198.51.100.101';
  const revoked = await edge.addToken('acme', 'ada');
  const headers = bearer(revoked);
  expect(await statusOf(address, { headers })).toBe(200);
  const list = await send(address, { path: '/api/v1/workspaces/acme/tokens', headers });
  const [{ id }] = ((await list.json()) as { data: [{ id: string }] }).data;
  const path = `/api/v1/workspaces/acme/tokens/${id}`;
  expect(await statusOf(address, { method: 'DELETE', path, headers })).toBe(204);
  expect(await statusOf(address, { headers })).toBe(401);
  const { passed } = await flood(address, () => ({ headers }));
  expect(passed).toBeLessThan(2 * LIMIT);
});

test('does not count requests whose credential auth accepts, not even those that arrive before auth has seen it', async () => {
  const address = '198.51.100.102';
  const unseen = bearer(await edge.addToken('acme', 'ada'));
  const atOnce = Array.from({ length: 3 * LIMIT }, () => statusOf(address, { headers: unseen }));
  expect(new Set(await Promise.all(atOnce))).toEqual(new Set([200]));
  for (let sent = 0; sent < 2 * LIMIT; sent += 1) {
    expect(await statusOf(address, { headers: bearer(token) })).toBe(200);
  }
  const fresh = await edge.addToken('acme', 'ada');
  expect(await statusOf(address, { headers: bearer(fresh) })).toBe(200);
  const { passed } = await flood(address, () => ({}));
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
});

test('tells the operator when the client address is that of a proxy', async () => {
  const proxied = await edge.startGateway({ TRUSTED_PROXIES: 'loopback,10.0.0.0/8' });
  const before = await proxied.metric('hidden_client_addresses_total');
  await statusOf('203.0.113.7', { to: proxied });
  await statusOf('10.1.2.3', { to: proxied });
  await statusOf('127.0.0.1', { to: proxied });
  expect((await proxied.metric('hidden_client_addresses_total')) - before).toBe(1);
});

test('counts a visitor behind a CDN and an ingress by the address that the CDN saw, whatever the visitor claims', async () => {
  const behindCdn = await edge.startGateway({
    TRUSTED_PROXIES: 'loopback,172.64.0.0/13',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '5',
  });
  const visit = (index: number) =>
    statusOf(`192.0.2.${index}, 81.2.69.142, 172.70.1.1`, { to: behindCdn, path: '/api/v1/nothing' });
  let sent = 0;
  await waitFor('the limit', async () => (await visit((sent += 1) % 250)) === 429);
  // Others behind the same edge of the CDN have a limit of their own.
  expect(await statusOf('81.2.69.143, 172.70.1.1', { to: behindCdn, path: '/api/v1/nothing' })).not.toBe(429);
});

describe('networks of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));

  test('an IPv6 address counts for its /64, /56 and /48 too', () => {
    expect(networksOf('2001:db8:1:2ff::1').map(({ name }) => name)).toEqual([
      '2001:db8:1:2ff',
      '2001:db8:1:2/56',
      '2001:db8:1/48',
    ]);
    expect(networksOf('2001:db8::').map(({ name }) => name)).toEqual([
      '2001:db8:0:0',
      '2001:db8:0:0/56',
      '2001:db8:0/48',
    ]);
  });

  test.each(['203.0.113.9', '2001:db8:1:2ff::1', '2001:db8::', '::1'])(
    'the /64 of %s has the same networks',
    (address) => expect(networksOf(networkOf(address))).toEqual(networksOf(address)),
  );
});

describe('the buckets of networks', () => {
  /** Drains much more slowly than any test runs. */
  const PER_MINUTE = 10;

  test('let an address send its limit at once', () => {
    const buckets = new NetworkBuckets(PER_MINUTE);
    const passed = Array.from({ length: 2 * PER_MINUTE }, () => buckets.add('203.0.113.9')).filter(Boolean);
    expect(passed).toHaveLength(PER_MINUTE);
    expect(buckets.secondsUntilRoom('203.0.113.9')).toBeGreaterThan(0);
    expect(buckets.secondsUntilRoom('203.0.113.10')).toBe(0);
  });

  test('refuse a /48 that uses 65,536 networks of its own', () => {
    const buckets = new NetworkBuckets(PER_MINUTE);
    let passed = 0;
    for (let net = 0; net < 65_536; net += 7) passed += Number(buckets.add(`2001:db8:1:${net.toString(16)}::1`));
    expect(passed).toBeGreaterThanOrEqual(16 * PER_MINUTE);
    expect(passed).toBeLessThan(32 * PER_MINUTE);
    expect(buckets.add('2001:db8:2::1')).toBe(true);
  });
});
