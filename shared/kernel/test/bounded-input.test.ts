import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { META_MAX_BYTES } from '@waymark/contract/conversions';
import type { ApiRequest } from '@waymark/kernel/http/api';
import { noContent } from '@waymark/kernel/http/reply';
import { LENIENT, type ServiceAnswer } from '@waymark/testing/service-caller';
import { SmallService } from '@waymark/testing/small-service';
import { waitFor } from '@waymark/testing/wait-for';

/** Analytics takes any JSON as the `meta` of a conversion; a body of 64 kB at most. */
let service: SmallService;
let seen: ApiRequest[];
beforeAll(async () => {
  const handler = (request: ApiRequest) => {
    seen.push(request);
    return Promise.resolve(noContent());
  };
  service = await SmallService.start({ service: 'analytics', handler });
});
afterAll(() => service.stop());
beforeEach(() => {
  seen = [];
});

const LIMIT = 64 * 1024;

function post(body: string | Buffer, headers: Record<string, string> = {}, path = '/conversions') {
  const json = { 'content-type': 'application/json', ...headers };
  return service.caller.raw('POST', path, { headers: json, body });
}

const filled = (text: string, unit: string, bytes: number, end: string) =>
  text + unit.repeat(Math.floor((bytes - text.length - end.length) / unit.length)) + end;
const KNOWN = '"id":"lnk_a","source":"web"';
const nested = (levels: number, inner: string) => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;

/** The largest accepted body: as much meta as allowed, and every character of it escaped. */
const escaped = (text: string) =>
  text.replace(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const largest = `{${KNOWN},"meta":{"k":"${escaped('m'.repeat(META_MAX_BYTES - 8))}"}}`;

const lone = (levels: number) => nested(levels, `["${filled('', '\\ud800","', 40_000, '')}"]`);
const gzip = { 'content-encoding': 'gzip' };
type Bomb = [what: string, status: number, body: string | Buffer, headers: Record<string, string>];
const BODIES: [string, number, string | Buffer, Record<string, string>?][] = [
  ['1 MB of zeros in 1 kB of gzip', 413, gzipSync(filled(`{${KNOWN},"junk":[0`, ',0', 1024 * 1024, ']}')), gzip],
  ['10.5 MB of zeros in 10 kB of gzip', 413, gzipSync(filled('{"links":[0', ',0', 10.5 * 1024 * 1024, ']}')), gzip],
  ['10 MB of spaces in 10 kB of deflate', 413, deflateSync(' '.repeat(10_000_000)), { 'content-encoding': 'deflate' }],
  [
    '10 MB of spaces in 27 bytes of Brotli',
    413,
    brotliCompressSync(' '.repeat(10_000_000)),
    { 'content-encoding': 'br' },
  ],
  ['a small body that expands 100 times', 413, gzipSync(filled(`{${KNOWN},"junk":"`, 'x', 50_000, '"}')), gzip],
  ['64 kB of zeros', 422, filled(`{${KNOWN},"junk":[0`, ',0', LIMIT, ']}')],
  ['64 kB of empty objects', 422, filled(`{${KNOWN},"junk":[0`, ',{}', LIMIT, ']}')],
  ['30,000 nested arrays', 422, `{${KNOWN},"junk":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ['65 levels', 422, `{${KNOWN},"meta":${nested(64, '1')}}`],
  ['lone surrogates under an unknown name', 422, `{${KNOWN},"junk":${lone(60)}}`],
  ['lone surrogates in a known field', 422, `{${KNOWN},"meta":${lone(60)}}`],
  ['6,000 unknown names', 422, `{${KNOWN},${Array.from({ length: 6000 }, (_, index) => `"k${index}":1`).join(',')}}`],
  ['a known field of 60 kB', 422, `{"id":"lnk_a","source":"${'e\\u0301'.repeat(8000)}"}`],
  ['a text of 64 kB in place of an object', 422, JSON.stringify('x'.repeat(LIMIT - 2))],
];
// With fewer values than the test has parameters, Jest passes a callback in place of the last one.
const BOMBS = BODIES.map(([what, status, body, headers = {}]): Bomb => [what, status, body, headers]);

test.each(BOMBS)('%s answers %i', async (_what, status, body, headers) => {
  expect((await post(body, headers)).status).toBe(status);
});

test('the handler receives the largest legal body, and a body of 64 levels, unchanged', async () => {
  expect((await post(largest)).status).toBe(201);
  const deep = nested(63, '1');
  expect((await post(`{${KNOWN},"meta":${deep}}`)).status).toBe(201);
  const metas = seen.map(({ body }) => (body as unknown as { meta: unknown }).meta);
  expect(metas).toEqual([{ k: 'm'.repeat(META_MAX_BYTES - 8) }, JSON.parse(deep)]);
});

const RUNS_MIN = 30;
const RUNS_MAX = 300;
const COST_MAX = 5;
/** The first step of Brotli alone costs 4 to 6; 10 MB that are unpacked and parsed cost 12. */
const BROTLI_COST_MAX = 8;

describe('cost', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  /** CPU time of the process, which does not depend on other load on the machine. */
  async function cpuOf(work: () => Promise<ServiceAnswer>): Promise<number> {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  async function heapGrowthOf(work: () => Promise<ServiceAnswer>): Promise<number> {
    collectGarbage();
    const before = process.memoryUsage();
    await work();
    const after = process.memoryUsage();
    return after.heapUsed + after.external - before.heapUsed - before.external;
  }

  test.each(BOMBS)(
    '%s takes no more work than a few of the largest legal bodies',
    async (what, _status, body, headers) => {
      const costMax = what.includes('Brotli') ? BROTLI_COST_MAX : COST_MAX;
      // The first runs compile both paths; the least of many alternating runs is free of disturbances by the machine.
      let [legal, bomb] = [Infinity, Infinity];
      for (let run = 0; run < RUNS_MIN || (run < RUNS_MAX && bomb / legal >= costMax); run += 1) {
        legal = Math.min(legal, await cpuOf(() => post(largest)));
        bomb = Math.min(bomb, await cpuOf(() => post(body, headers)));
      }
      expect(bomb / legal).toBeLessThan(costMax);
    },
  );

  test.each(BOMBS)('%s needs no more than a few megabytes of memory', async (_what, _status, body, headers) => {
    await post(body, headers);
    expect(await heapGrowthOf(() => post(body, headers))).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('a body', () => {
  test('is refused with 415 in an unknown encoding, and with 400 when it is corrupt or truncated', async () => {
    const body = `{${KNOWN}}`;
    expect((await post(body, { 'content-encoding': 'zstd' })).status).toBe(415);
    for (const encoding of ['gzip', 'deflate', 'br']) {
      expect((await post(body, { 'content-encoding': encoding })).status).toBe(400);
    }
    expect((await post(gzipSync(body).subarray(0, -4), gzip)).status).toBe(400);
    expect((await post(gzipSync(body), gzip)).status).toBe(201);
    expect((await post(body, { 'content-encoding': 'identity' })).status).toBe(201);
  });

  test.each([
    ['not JSON', '{"id":'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['without a quote at its end', `{"id":"${'\\'.repeat(1001)}`],
  ])('is refused with 400 when it is %s', async (_what, body) => {
    expect((await post(body)).status).toBe(400);
  });

  test('may begin with a byte order mark', async () => {
    expect((await post(`\ufeff{${KNOWN}}`)).status).toBe(201);
  });

  test('is discarded unread, up to the limit, when the route accepts none', async () => {
    const send = (text: string) => service.caller.raw('DELETE', '/conversions', { body: text });
    expect((await send('x')).status).toBe(405);
    const get = (bytes: number, type = 'application/json') =>
      rawRequest(`GET`, '/analytics/filters', [`Content-Type: ${type}`, `Content-Length: ${bytes}`], '['.repeat(bytes));
    expect(await get(LIMIT)).toBe(200);
    expect(await get(LIMIT + 1)).toBe(413);
    expect(await get(10, 'text/plain')).toBe(415);
  });

  test('is read only for a caller with access to the route', async () => {
    const access = { abilities: ['read' as const] };
    const answer = await service.caller.raw('POST', '/conversions', { access, body: 'x'.repeat(LIMIT + 1) });
    expect(answer.status).toBe(403);
  });
});

test('a request with an idempotency key and a too deeply nested body is refused with 422', async () => {
  const deep = `{${KNOWN},"meta":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  expect((await post(deep, { 'idempotency-key': 'k' })).status).toBe(422);
});

test('a request whose body stops in the middle gets 408, and its connection is closed', async () => {
  const started = ['Content-Type: application/json', 'Content-Length: 20'];
  expect(await rawRequest('POST', '/conversions', started, '{')).toBe(408);
});

describe('a request line and headers', () => {
  const list = (query: string) => service.caller.raw('GET', `/analytics/filters?${query}`, { headers: LENIENT });

  test('may have 100 parameters, and are refused with 422 beyond that', async () => {
    expect((await list('a=1&'.repeat(99) + 'search=x')).status).toBe(200);
    expect(seen[0]!.query).toEqual({ search: 'x' });
    const { status, body } = await list('a&'.repeat(100));
    expect([status, Object.keys(body.error.details as object)]).toEqual([422, ['query']]);
  });

  test('may have no more on a route that takes no parameters, which ignores the others', async () => {
    const send = (count: number) =>
      service.caller.call('POST', `/conversions?${'a&'.repeat(count)}`, {
        body: JSON.parse(`{${KNOWN}}`),
        headers: LENIENT,
      });
    expect((await send(99)).status).toBeLessThan(300);
    expect((await send(100)).status).toBe(422);
  });

  test('are refused with 431 beyond 32 kB', async () => {
    expect((await list('x'.repeat(30_000))).status).toBe(200);
    expect((await list('x'.repeat(33_000))).status).toBe(431);
  });

  test('are refused with 431 beyond 200 headers; no header is silently dropped', async () => {
    const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`);
    expect(await rawRequest('GET', '/analytics/filters', headers(190))).toBe(200);
    expect(await rawRequest('GET', '/analytics/filters', headers(1000))).toBe(431);
    expect(
      await rawRequest(
        'GET',
        '/analytics/filters',
        Array.from({ length: 3000 }, () => 'a: b'),
      ),
    ).toBe(431);
  });

  test('do not let a refused client keep its half of the connection open', async () => {
    const { port } = service.server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    await once(socket, 'connect');
    const opened = await connectionCount();
    socket.write('GARBAGE\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 400 /);
    await waitFor('the connection to be gone', async () => (await connectionCount()) < opened);
    socket.destroy();
  });

  const connectionCount = () =>
    new Promise<number>((resolve, reject) => {
      service.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  test('get 404 for a path of 15,000 characters', async () => {
    expect((await service.caller.raw('GET', `/${'a/'.repeat(7500)}`, {})).status).toBe(404);
  });
});

test('the server closes connections beyond the limit, and serves the earlier ones', async () => {
  const small = await SmallService.start({
    service: 'audit',
    handler: () => Promise.resolve(noContent()),
    env: { CONNECTIONS_MAX: '3' },
  });
  const { port } = small.server.address() as AddressInfo;
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  const closed = await Promise.any(
    sockets.map(async (socket, index) => once(socket.resume(), 'close').then(() => index)),
  );
  for (const [index, socket] of sockets.entries()) {
    if (index === closed) continue;
    socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
  }
  await small.stop();
});

/** The status of a request that no well-behaved client would send. */
async function rawRequest(method: string, path: string, headers: string[], body = ''): Promise<number> {
  const { url, headers: signed } = service.caller.addressed(path, { method, body });
  const { port, pathname } = new URL(url);
  const lines = [`${method} ${pathname} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers];
  for (const [name, value] of Object.entries(signed)) lines.push(`${name}: ${value}`);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined).write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) answer += chunk as string;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}
